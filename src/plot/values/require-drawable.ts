import { ArgumentError } from "../../core/errors.js";

/** Dates or intervals of a figure: more than the pixels that it is wide. */
export const MOST_DATES = 10_000;

/**
 * Refuses a figure of more than can be drawn in a reasonable time.
 *
 * @param what plural: `dates`
 * @throws ArgumentError
 */
export function requireDrawable(count: number, what: string, most: number): void {
  if (count <= most) return;
  const shown = (one: number) => one.toLocaleString("en-US");
  throw new ArgumentError(`The figure has ${shown(count)} ${what}, more than ${shown(most)}.`, {
    hint: "Draw fewer: give other dates, or filter the data.",
    facts: { count, limit: most },
  });
}
