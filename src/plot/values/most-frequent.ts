import { labels, valueLabel } from "./value-label.js";

/** Series of a chart of curves or bands beyond which nobody tells them apart, and every one makes the page larger. */
export const MOST_SERIES = 20;
/** Lines of a list or a matrix that can be read. */
export const MOST_LINES = 40;

/** The values that a figure shows, and what it says of the others. */
export interface MostFrequent {
  readonly kept: ReadonlySet<string>;
  /** How many are not shown. */
  readonly others: number;
  /** `; the 20 most frequent of 3,000 values`, or nothing where all are shown. */
  readonly note: string;
}

/**
 * Chooses what a figure shows of more values than it can: those that the caller listed, and the most frequent ones. What
 * is unknown and what has none is no value among them and is kept.
 *
 * @param counts how often there is each value, by its label
 * @param noun what the figure calls its values
 */
export function mostFrequent(
  counts: ReadonlyMap<string, number>,
  most: number,
  { listed = [], noun = "values" }: { readonly listed?: readonly unknown[] | undefined; readonly noun?: string } = {},
): MostFrequent {
  const special = [labels.unknown, labels.none];
  const asked = new Set(listed.map((value) => valueLabel(value)));
  const rest = [...counts.keys()].filter((label) => !asked.has(label) && !special.some((one) => one === label));
  const room = Math.max(most - asked.size, 0);
  if (rest.length <= room) return { kept: new Set([...asked, ...counts.keys()]), others: 0, note: "" };
  const frequent = rest.sort((a, b) => Number(counts.get(b)) - Number(counts.get(a))).slice(0, room);
  const all = rest.length + asked.size;
  const shown = asked.size + frequent.length;
  return {
    kept: new Set([...asked, ...frequent, ...special.filter((label) => counts.has(label))]),
    others: all - shown,
    note: `; ${asked.size > 0 ? "" : "the "}${shown} ${asked.size > 0 ? "" : "most frequent "}of ${all.toLocaleString("en-US")} ${noun}`,
  };
}
