import { formatCount } from "./format/format-number.js";

/**
 * Returns a count with its noun: `1 row`, `12,345 rows`, `2 properties`.
 *
 * @param one the noun; without it, the number alone is returned
 */
export function counted(count: number, one?: string, many = `${one}s`): string {
  const number = formatCount(count);
  return one === undefined ? number : `${number} ${count === 1 ? one : many}`;
}

interface FirstOptions {
  /** Default: a comma. */
  readonly separator?: string;
  /** Total number, if `texts` are only a part. */
  readonly total?: number;
}

/** Returns the first strings of a list, and the number of the others: `A, B and 3 more`. */
export function firstOf(
  texts: readonly string[],
  most: number,
  { separator = ", ", total = texts.length }: FirstOptions = {},
): string {
  const listed = texts.slice(0, most);
  const more = total - listed.length;
  return `${listed.join(separator)}${more > 0 ? ` and ${more} more` : ""}`;
}
