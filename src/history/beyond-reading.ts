import type { Finding } from "../core/finding.js";
import { formatInstant, US_PER_DAY } from "../core/instant.js";
import { showValue } from "../core/show-value.js";
import type { HistoryData } from "./cell/history-data.js";
import { withoutTemporal } from "./time/temporal-point.js";
import { isCalendarDate, resolveTimePoint, type TimePoint } from "./time/valid-time.js";

/**
 * What to know of an answer about a time after the log was read: nobody knows what was edited in between. The day on
 * which it was read is not after it.
 */
export function beyondReading(
  { readAtUs, timeZone }: Pick<HistoryData, "readAtUs" | "timeZone">,
  given: TimePoint,
): Finding | undefined {
  const point = withoutTemporal(given);
  const us = resolveTimePoint(point, timeZone);
  if (us - (isCalendarDate(point) ? US_PER_DAY : 0) <= readAtUs) return undefined;
  const readAt = formatInstant(readAtUs);
  return {
    code: "beyond-reading",
    message: `${showValue(point)} is after the log was read (${readAt}): the answer is what was known then.`,
    facts: { asked: point, read_at: readAt },
  };
}
