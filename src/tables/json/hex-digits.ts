import type { JsonBytes } from "./json-bytes.js";

/** Two hexadecimal digits as bytes, read as a little-endian 16-bit integer: their number, or -1. */
const pairs = new Int16Array(1 << 16).fill(-1);

for (let number = 0; number < 256; number += 1) {
  pairs[Buffer.from(number.toString(16).padStart(2, "0")).readUInt16LE()] = number;
}

/** The number of the four hexadecimal digits at `start`, letters in lower case; below 0 if they are others. */
export function fourHexDigits({ view }: JsonBytes, start: number): number {
  return ((pairs[view.getUint16(start, true)] as number) << 8) | (pairs[view.getUint16(start + 2, true)] as number);
}
