import { historyFromLog } from "../../modules/history/build-history.js";
import { ownLog } from "../history/own-log.mjs";

/** A history of the log. */
export function benchHistory() {
  const { log, input, codeOf } = ownLog();
  const options = { readAt: input.readAt, diagnostics: [], layerOf: (past) => past };
  return { history: historyFromLog(input, log, options), codeOf };
}
