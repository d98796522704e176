import { NetworkError, ProtocolError, ServerError } from "../../core/errors.js";

/**
 * Whether a request failed to the end in a way that a smaller page may mend: with 5xx, by taking too long, or by an
 * answer beyond the limit.
 */
export function isTooMuch(error: unknown): boolean {
  if (error instanceof NetworkError) return error.facts["problem"] === "timeout";
  return error instanceof ServerError || (error instanceof ProtocolError && error.facts["problem"] === "size");
}
