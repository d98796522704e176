import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { formatInstant } from "../../core/format/format-date.js";
import { showValue } from "../../core/show-value.js";
import type { DateGrid } from "../time/date-grid.js";
import {
  resolveTimeLimit,
  resolveTimeStart,
  type TimeLimit,
  type TimePoint,
  withoutTemporal,
} from "../time/valid-time.js";
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

/** A table with its diagnostics. */
export interface FoundTable {
  readonly table: ColumnTable;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Diagnostics for a time after the log was read: edits in between are unknown. The day of the reading is not after it.
 *
 * @param given the requested time; undefined if none
 */
export function dateAfterRead(
  { readAtUs, timeZone }: Pick<HistoryData, "readAtUs" | "timeZone">,
  given: TimePoint | undefined,
): readonly Diagnostic[] {
  if (given === undefined) return [];
  const point = withoutTemporal(given);
  if (resolveTimeStart(point, timeZone) <= readAtUs) return [];
  const readAt = formatInstant(readAtUs);
  return [
    withSeverity({
      code: "date-after-read",
      message: `${showValue(point)} is after the log was read (${readAt}). The result has the values known then.`,
      facts: { asked: point, read_at: readAt },
    }),
  ];
}

/** The same for many dates. */
export function datesAfterRead(
  { readAtUs, timeZone }: Pick<HistoryData, "readAtUs" | "timeZone">,
  { dates, sortedUs }: DateGrid,
): readonly Diagnostic[] {
  if ((sortedUs.at(-1) ?? readAtUs) <= readAtUs) return [];
  const beyond = dates.filter((date) => resolveTimeStart(date, timeZone) > readAtUs);
  const [first] = beyond;
  if (first === undefined) return [];
  const readAt = formatInstant(readAtUs);
  const are = beyond.length === 1 ? "is" : "are";
  return [
    withSeverity({
      code: "date-after-read",
      message: `${beyond.length} of ${dates.length} dates ${are} after the log was read (${readAt}), for example ${showValue(first)}. Their results have the values known then.`,
      count: beyond.length,
      facts: { asked: first, read_at: readAt },
    }),
  ];
}
