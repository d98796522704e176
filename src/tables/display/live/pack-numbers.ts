// Integers as text: written by the library, read by the script of a map.

/** The character of 0. Those before it would be escaped in JSON. */
const FIRST = 40;
/** Numbers of one character; from here on they take two. No surrogate is reached. */
const SPAN = 0xd000;
/** The largest number, either sign. */
export const mostPacked = 50_000_000;
const CHUNK = 8192;

/**
 * A character for each number that is near 0, two for others. JSON holds it, deflating makes it small, and frames read it
 * without a parser. Those that are not within 50 million are set to the limit.
 *
 * @param values signed ones alternate with others: 0, -1, 1, -2, 2
 */
export function packNumbers(values: Iterable<number>): string {
  const parts: string[] = [];
  let codes: number[] = [];
  for (const value of values) {
    const near = Math.max(-mostPacked, Math.min(mostPacked, value));
    const code = near < 0 ? -2 * near - 1 : 2 * near;
    if (code >= SPAN) codes.push(FIRST + SPAN + Math.floor(code / SPAN));
    codes.push(FIRST + (code % SPAN));
    if (codes.length < CHUNK) continue;
    parts.push(String.fromCharCode(...codes));
    codes = [];
  }
  return parts.join("") + String.fromCharCode(...codes);
}

/** The numbers that have been packed. */
export function unpackNumbers(text: string): Int32Array {
  const numbers = new Int32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    let code = text.charCodeAt(at) - FIRST;
    if (code >= SPAN) {
      at += 1;
      code = (code - SPAN) * SPAN + text.charCodeAt(at) - FIRST;
    }
    numbers[length] = code % 2 ? -(code + 1) / 2 : code / 2;
    length += 1;
  }
  return numbers.subarray(0, length);
}
