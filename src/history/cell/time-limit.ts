import { resolveTimeLimit, type TimeLimit, type TimePoint } from "../time/valid-time.js";
import type { HistoryData } from "./history-data.js";

/**
 * Where a question ends that may say `until`: there, else at the point up to which edits are known, else when the log was
 * read.
 */
export function limitOf(
  { readAtUs, knownUntil, timeZone }: Pick<HistoryData, "readAtUs" | "knownUntil" | "timeZone">,
  { until = knownUntil }: { readonly until?: TimePoint },
): TimeLimit {
  return until === undefined ? { lastUs: readAtUs, endUs: readAtUs } : resolveTimeLimit(until, timeZone);
}
