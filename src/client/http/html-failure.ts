import { ProtocolError } from "../../core/errors.js";
import { requestText } from "../page/request-text.js";
import type { Failure } from "./attempt.js";

/** Whether an answer that could not be read is a page for people. */
export function isHtml(body: Uint8Array, type: unknown): boolean {
  if (/\bx?html\b/i.test(String(type ?? ""))) return true;
  return /^\s*<(!doctype html|html|head|body)\b/i.test(new TextDecoder().decode(body.subarray(0, 1000)));
}

/** Why a page for people brought nothing. It may come once from a proxy; from a wrong address it comes every time. */
export function htmlFailure(url: string): Failure {
  return {
    retryable: true,
    throttled: false,
    retryAfter: undefined,
    toError: (attempts) =>
      new ProtocolError(
        `${requestText(url, attempts)} was answered with an HTML page: is this the API's address?`,
        "$",
        {
          facts: { method: "GET", url, attempts, problem: "html" },
          hint: "Check the base URL (baseUrl or SITEFRAME_BASE_URL), its path included.",
        },
      ),
  };
}
