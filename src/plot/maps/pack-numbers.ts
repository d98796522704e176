/** The character of 0. Those before it would be escaped in JSON. */
const FIRST = 40;
/** Numbers of one character; from here on they take two. No surrogate is reached. */
const SPAN = 0xd000;
/** The largest number, either sign. */
const MOST = 50_000_000;
const CHUNK = 8192;

/**
 * Integers as text: a character for each that is near 0, two for others. JSON holds it, deflating makes it small, and
 * frames read it without a parser. Those that are not within 50 million are set to the limit.
 *
 * @param values signed ones alternate with others: 0, -1, 1, -2, 2
 */
export function packNumbers(values: Iterable<number>): string {
  const parts: string[] = [];
  let codes: number[] = [];
  for (const value of values) {
    const near = Math.max(-MOST, Math.min(MOST, value));
    const code = near < 0 ? -2 * near - 1 : 2 * near;
    if (code >= SPAN) codes.push(FIRST + SPAN + Math.floor(code / SPAN));
    codes.push(FIRST + (code % SPAN));
    if (codes.length < CHUNK) continue;
    parts.push(String.fromCharCode(...codes));
    codes = [];
  }
  return parts.join("") + String.fromCharCode(...codes);
}
