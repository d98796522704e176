import { NetworkError, ServerError } from "../../core/errors.js";

/** Whether a request failed to the end in a way that a smaller page may mend: with 5xx, or by taking too long. */
export function isTooMuch(error: unknown): boolean {
  return error instanceof ServerError || (error instanceof NetworkError && error.facts["problem"] === "timeout");
}
