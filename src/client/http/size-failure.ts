import { ProtocolError } from "../../core/errors.js";
import { requestText } from "../page/request-text.js";
import type { Failure } from "./attempt.js";

/** Why a body that is too large brought nothing. Another attempt would bring the same; a smaller page may fit. */
export function sizeFailure(maxBodyBytes: number, url: string): Failure {
  const limit = `${(maxBodyBytes / 1e6).toLocaleString("en-US", { maximumSignificantDigits: 4 })} MB`;
  return {
    retryable: false,
    throttled: false,
    retryAfter: undefined,
    toError: (attempts) =>
      new ProtocolError(`${requestText(url, attempts)} was answered with more than ${limit}.`, "$", {
        facts: { method: "GET", url, attempts, problem: "size", maxBodyBytes },
        hint: "Raise the option maxBodyBytes if the service has such records.",
      }),
  };
}
