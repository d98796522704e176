import { LocalClock } from "../../time/local-clock.js";
import type { QuestionData } from "../ask.js";
import type { Dialect } from "./dialect/dialect.js";
import { usLiteral } from "./dialect/literals.js";

/** From when on clocks are how far ahead of UTC. */
export interface ClockOffset {
  /** −Infinity for the first. */
  readonly fromUs: number;
  readonly offsetUs: number;
}

/** How far clocks are ahead of UTC at a time, microseconds since 1970: there are two changes a year at most. */
export function clockOffset(us: string, offsets: readonly ClockOffset[]): string {
  const [first, ...later] = offsets;
  const cases = later.map(({ fromUs, offsetUs }) => `WHEN ${us} >= ${usLiteral(fromUs)} THEN ${offsetUs}`).reverse();
  return cases.length === 0 ? `(${first?.offsetUs ?? 0})` : `CASE ${cases.join(" ")} ELSE ${first?.offsetUs ?? 0} END`;
}

/**
 * The calendar date of a time where clocks show a time zone. The offsets are literals: engines know other versions of the
 * rules of time zones, and not all of them know any.
 *
 * @param us microseconds since 1970, null for no time. Services create nothing before 1970.
 */
export function localDate(
  dialect: Dialect,
  us: string,
  { timeZone, extent, readAtUs }: Pick<QuestionData, "timeZone" | "extent" | "readAtUs">,
): string {
  const firstUs = Math.min(0, extent.firstUs);
  const lastUs = Math.max(readAtUs, extent.lastUs);
  const offsets = new LocalClock(timeZone).offsetsBetween(firstUs, lastUs);
  return dialect.utcDate(`${us} + ${clockOffset(us, offsets)}`);
}
