import { NetworkError } from "../../core/errors.js";
import { requestText } from "../page/request-text.js";
import type { Failure } from "./attempt.js";
import { networkReason } from "./network-reason.js";

/** What went wrong below HTTP: `timeout` may pass with smaller pages, `body` arrived but could not be read. */
export type NetworkProblem = "timeout" | "body" | "connection";

/** Why no usable answer came. */
export function networkFailure(problem: NetworkProblem, error: unknown, url: string): Failure {
  const { code, reason, isFinal, cause } = networkReason(error);
  return {
    retryable: !isFinal,
    throttled: false,
    retryAfter: undefined,
    toError: (attempts) =>
      new NetworkError(`${requestText(url, attempts)} brought no usable answer: ${reason}.`, {
        cause,
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
