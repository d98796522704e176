/**
 * How many of something there are, as people read it: `1 row`, `12,345 rows`, `2 properties`.
 *
 * @param one what they are; the number stands alone without it
 */
export function counted(count: number, one?: string, many = `${one}s`): string {
  const number = count.toLocaleString("en-US");
  return one === undefined ? number : `${number} ${count === 1 ? one : many}`;
}

interface FirstOptions {
  /** Default a comma. */
  readonly separator?: string;
  /** How many there are, where `texts` are not all of them. */
  readonly total?: number;
}

/** The first of some texts, and how many there are beside them: `A, B and 3 more`. */
export function firstOf(
  texts: readonly string[],
  most: number,
  { separator = ", ", total = texts.length }: FirstOptions = {},
): string {
  const shown = texts.slice(0, most);
  const more = total - shown.length;
  return `${shown.join(separator)}${more > 0 ? ` and ${more} more` : ""}`;
}
