/** Entry of the table for an invalid pair. */
export const NO_PAIR = 0xff;

/** Numbers of two decimal digits, by their bytes as a little-endian 16-bit integer; `NO_PAIR` for other bytes. */
export const digitPairs = new Uint8Array(1 << 16).fill(NO_PAIR);

for (let number = 0; number < 100; number += 1) {
  digitPairs[Buffer.from(String(number).padStart(2, "0")).readUInt16LE()] = number;
}
