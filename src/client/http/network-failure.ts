import { NetworkError } from "../../core/errors.js";
import { requestText } from "../page/request-text.js";
import type { Failure } from "./attempt.js";

/** What went wrong below HTTP: `timeout` may pass with smaller pages, `body` arrived but could not be read. */
export type NetworkProblem = "timeout" | "body" | "connection";

/** Another attempt cannot mend a wrong name or certificate. */
const FINAL =
  /^(ENOTFOUND|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_INVALID|UND_ERR_INVALID_ARG|UND_ERR_DESTROYED|UND_ERR_CLOSED)/;

/** Why no usable answer came. The cause is copied without what libraries attach to it: headers hold the key. */
export function networkFailure(problem: NetworkProblem, error: unknown, url: string): Failure {
  const code = errorCode(error);
  const reason = reasonOf(error);
  return {
    retryable: !FINAL.test(code),
    throttled: false,
    retryAfter: undefined,
    toError: (attempts) =>
      new NetworkError(`${requestText(url, attempts)} brought no usable answer: ${reason}.`, {
        cause: Object.assign(new Error(reason), { code }),
        facts: { method: "GET", url, attempts, problem, code },
        hint: hints[problem],
      }),
  };
}

const hints: Readonly<Record<NetworkProblem, string>> = {
  timeout: "Raise the option timeoutMs, or lower pageSize.",
  body: "Check that the base URL is the service's, not that of a page or proxy in front of it.",
  connection: "Check the base URL and the network.",
};

function errorCode(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** Node reports several failed addresses as one AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\.$/, "");
}
