// Integers as text: written by the library, read by the script of a map.

/**
 * The character of 0, and the number of characters that follow: the printable ASCII characters, except those before it.
 * HTML replaces the control characters after them.
 */
const FIRST = 40;
const ASCII = 87;
/**
 * The other characters of one-character numbers: ideographs, which parsers, editors and normalization do not change.
 */
const FIRST_IDEOGRAPH = 0x3400;
/** Count of one-character numbers; larger numbers take two. */
const SPAN = ASCII + 0x6c00;
/** The first character of a two-character number: Hangul syllables. */
const FIRST_OF_TWO = 0xac00;
/** The largest number, of either sign. */
export const mostPacked = 50_000_000;
const CHUNK = 8192;

/**
 * Packs numbers as one character for each number near 0, and two for others. HTML, JSON, XML and editors leave every
 * character unchanged, and frames read the text without a parser. Numbers beyond 50 million are set to the limit.
 *
 * @param values signed ones alternate with others: 0, -1, 1, -2, 2
 */
export function packNumbers(values: Iterable<number>): string {
  const parts: string[] = [];
  let codes: number[] = [];
  for (const value of values) {
    const near = Math.max(-mostPacked, Math.min(mostPacked, value));
    const code = near < 0 ? -2 * near - 1 : 2 * near;
    if (code >= SPAN) codes.push(FIRST_OF_TWO + Math.floor(code / SPAN));
    const rest = code % SPAN;
    codes.push(rest < ASCII ? FIRST + rest : FIRST_IDEOGRAPH + rest - ASCII);
    if (codes.length < CHUNK) continue;
    parts.push(String.fromCharCode(...codes));
    codes = [];
  }
  return parts.join("") + String.fromCharCode(...codes);
}

/** Unpacks numbers. */
export function unpackNumbers(text: string): Int32Array {
  const numbers = new Int32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    let code = text.charCodeAt(at);
    const isOfTwo = code >= FIRST_OF_TWO;
    const multiple = isOfTwo ? (code - FIRST_OF_TWO) * SPAN : 0;
    if (isOfTwo) {
      at += 1;
      code = text.charCodeAt(at);
    }
    code = multiple + (code < FIRST_IDEOGRAPH ? code - FIRST : code - FIRST_IDEOGRAPH + ASCII);
    numbers[length] = code % 2 ? -(code + 1) / 2 : code / 2;
    length += 1;
  }
  return numbers.subarray(0, length);
}
