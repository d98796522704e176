import { ArgumentError } from "../../core/errors.js";
import { formatCount } from "../../core/format/format-number.js";

/** Maximum number of dates or intervals in a figure: more than its pixels. */
export const MOST_DATES = 10_000;

/**
 * Refuses a figure with more elements than can be drawn in a reasonable time.
 *
 * @param what plural: `dates`
 * @throws ArgumentError above the maximum
 */
export function requireDrawable(count: number, what: string, most: number): void {
  if (count <= most) return;
  const formatted = (one: number) => formatCount(one);
  throw new ArgumentError(`The figure has ${formatted(count)} ${what}, the maximum is ${formatted(most)}.`, {
    hint: "Use fewer dates, or filter the data.",
    facts: { count, limit: most },
  });
}
