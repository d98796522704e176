import { US_PER_DAY } from "../../../core/instant.js";
import { LocalClock, type OffsetInterval } from "../../../core/local-clock.js";
import type { QuestionData } from "../engine/query-in-batches.js";
import type { Dialect } from "./dialect/dialect.js";
import { usLiteral } from "./dialect/literals.js";

/** From here on the rules of all time zones repeat with the calendar, every 400 years. */
const REPEATING_US = Date.UTC(2100, 0, 1) * 1000;
const CYCLE_US = 146_097 * US_PER_DAY;

/**
 * Offset of local time from UTC for a time in a range, all in microseconds since 1970. The offsets are literals,
 * because engines have different versions of the time zone rules, or none. There are at most two changes a year.
 */
export function clockOffset(
  us: string,
  timeZone: string,
  { firstUs, lastUs }: { readonly firstUs: number; readonly lastUs: number },
): string {
  const isFar = lastUs >= REPEATING_US;
  const end = isFar ? REPEATING_US + CYCLE_US : lastUs;
  // There is at least one: no log ends before it begins.
  const intervals = new LocalClock(timeZone).offsetsBetween(Math.min(firstUs, REPEATING_US), end);
  const [first, ...later] = intervals as readonly [OffsetInterval, ...OffsetInterval[]];
  const near = `CASE WHEN ${us} < ${REPEATING_US} THEN ${us} ELSE ${REPEATING_US} + mod(${us} - ${REPEATING_US}, ${CYCLE_US}) END`;
  const time = isFar ? near : us;
  const cases = later.map(({ fromUs, offsetUs }) => `WHEN ${time} >= ${usLiteral(fromUs)} THEN ${offsetUs}`).reverse();
  return cases.length === 0 ? `(${first.offsetUs})` : `CASE ${cases.join(" ")} ELSE ${first.offsetUs} END`;
}

/**
 * The calendar date in a time zone for a time of the log, or for the creation of a feature.
 *
 * @param us microseconds since 1970, null for no time
 */
export function localDate(
  dialect: Dialect,
  us: string,
  { timeZone, extent, features }: Pick<QuestionData, "timeZone" | "extent" | "features">,
): string {
  let { firstUs, lastUs } = extent;
  for (const createdUs of features.createdUs) {
    if (createdUs < firstUs && Number.isFinite(createdUs)) firstUs = createdUs;
    if (createdUs > lastUs) lastUs = createdUs;
  }
  return dialect.utcDate(`${us} + ${clockOffset(us, timeZone, { firstUs, lastUs })}`);
}
