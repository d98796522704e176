import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import { formatInstant } from "../../core/instant.js";
import { showValue } from "../../core/show-value.js";
import type { DateGrid } from "../time/date-grid.js";
import { resolveTimeStart, type TimePoint, withoutTemporal } from "../time/valid-time.js";
import type { HistoryData } from "./history-data.js";

/** The answer to a question, and what to know of it. */
export interface FoundTable {
  readonly table: ColumnTable;
  readonly findings: readonly Finding[];
}

/**
 * What to know of an answer about a time after the log was read: nobody knows what was edited in between. The day on
 * which it was read is not after it.
 *
 * @param given the time that is asked about; undefined where none is
 */
export function beyondReading(
  { readAtUs, timeZone }: Pick<HistoryData, "readAtUs" | "timeZone">,
  given: TimePoint | undefined,
): readonly Finding[] {
  if (given === undefined) return [];
  const point = withoutTemporal(given);
  if (resolveTimeStart(point, timeZone) <= readAtUs) return [];
  const readAt = formatInstant(readAtUs);
  return [
    {
      code: "beyond-reading",
      message: `${showValue(point)} is after the log was read (${readAt}): the answer is what was known then.`,
      facts: { asked: point, read_at: readAt },
    },
  ];
}

/** The same of many dates. */
export function datesBeyondReading(
  { readAtUs, timeZone }: Pick<HistoryData, "readAtUs" | "timeZone">,
  { dates, sortedUs }: DateGrid,
): readonly Finding[] {
  if ((sortedUs.at(-1) ?? readAtUs) <= readAtUs) return [];
  const beyond = dates.filter((date) => resolveTimeStart(date, timeZone) > readAtUs);
  const [first] = beyond;
  if (first === undefined) return [];
  const readAt = formatInstant(readAtUs);
  const are = beyond.length === 1 ? "is" : "are";
  return [
    {
      code: "beyond-reading",
      message: `${beyond.length} of ${dates.length} dates ${are} after the log was read (${readAt}), ${showValue(first)} among them: their answer is what was known then.`,
      count: beyond.length,
      facts: { asked: first, read_at: readAt },
    },
  ];
}
