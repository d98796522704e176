/** What a table says of a pair that is none. */
export const NO_PAIR = 0xff;

/** Two decimal digits as bytes, read as a little-endian 16-bit integer: their number, or `NO_PAIR`. */
export const digitPairs = pairs("0123456789", (first, second) => 10 * first + second);

/** Two hexadecimal digits in either case, likewise: 1, or `NO_PAIR`. */
export const hexPairs = pairs("0123456789abcdefABCDEF", () => 1);

function pairs(digits: string, meaning: (first: number, second: number) => number): Uint8Array {
  const table = new Uint8Array(1 << 16).fill(NO_PAIR);
  const bytes = Buffer.from(digits);
  bytes.forEach((first, a) => {
    bytes.forEach((second, b) => {
      table[first | (second << 8)] = meaning(a, b);
    });
  });
  return table;
}
