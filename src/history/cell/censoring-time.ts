import { resolveTimeLimit, type TimeLimit, type TimePoint } from "../time/valid-time.js";
import type { HistoryData } from "./history-data.js";

/**
 * The end of a question with an `until` option: that time, else the point up to which edits are known, else the time of
 * the reading.
 */
export function censoringTime(
  { readAtUs, knownUntil, timeZone }: Pick<HistoryData, "readAtUs" | "knownUntil" | "timeZone">,
  { until = knownUntil }: { readonly until?: TimePoint },
): TimeLimit {
  return until === undefined ? { lastUs: readAtUs, endUs: readAtUs } : resolveTimeLimit(until, timeZone);
}
