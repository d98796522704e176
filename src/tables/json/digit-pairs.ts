/** What the table says of a pair that is none. */
export const NO_PAIR = 0xff;

/** Two decimal digits as bytes, read as a little-endian 16-bit integer: their number, or `NO_PAIR`. */
export const digitPairs = new Uint8Array(1 << 16).fill(NO_PAIR);

for (let number = 0; number < 100; number += 1) {
  digitPairs[Buffer.from(String(number).padStart(2, "0")).readUInt16LE()] = number;
}
