import type { Content } from "../wire/message.js";

/** An `execute_request` with its defaults filled in. */
export interface ExecuteRequest {
  readonly code: string;
  readonly silent: boolean;
  readonly storeHistory: boolean;
  readonly userExpressions: Readonly<Record<string, string>>;
  readonly allowStdin: boolean;
  readonly stopOnError: boolean;
}

export function readExecuteRequest(content: Content): ExecuteRequest {
  const silent = content["silent"] === true;
  const expressions = content["user_expressions"];
  return {
    code: String(content["code"] ?? ""),
    silent,
    storeHistory: !silent && content["store_history"] !== false,
    userExpressions: Object.fromEntries(
      Object.entries(typeof expressions === "object" && expressions !== null ? expressions : {}).map(
        ([name, expression]) => [name, String(expression)],
      ),
    ),
    allowStdin: content["allow_stdin"] === true,
    stopOnError: content["stop_on_error"] !== false,
  };
}
