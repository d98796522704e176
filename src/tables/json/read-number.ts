import { ascii } from "./ascii.js";
import type { JsonBytes } from "./json-bytes.js";
import { MALFORMED, scanNumber } from "./scan-json.js";

/** Powers of ten that are exact as doubles. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** Digits whose number fits 32 bits, and digits whose number is exact as a double. */
const INT_DIGITS = 9;
const EXACT_DIGITS = 15;

/**
 * Reads the number at `start` into `out[slot]`, bit for bit as `JSON.parse` does.
 *
 * The digits before and behind the point are collected as 32-bit integers, which is three times as fast as in doubles.
 * Up to 15 digits their number is exact, so is the power of ten, and the quotient of two exact doubles is correctly
 * rounded (Clinger 1990). Everything else goes to `Number`.
 *
 * @returns the position after the number, or `MALFORMED`
 */
export function readNumber(json: JsonBytes, start: number, out: Float64Array, slot: number): number {
  const { bytes } = json;
  const negative = bytes[start] === ascii.minus;
  const first = negative ? start + 1 : start;
  let p = first;
  let whole = 0;
  let digit = (bytes[p] ?? 0) - ascii.zero;
  while (digit >= 0 && digit <= 9) {
    whole = (Math.imul(whole, 10) + digit) | 0;
    p += 1;
    digit = (bytes[p] ?? 0) - ascii.zero;
  }
  const wholeDigits = p - first;
  let value = whole;
  let decimals = 0;
  if (bytes[p] === ascii.dot) {
    p += 1;
    const point = p;
    let fraction = 0;
    const four = fourDigits(json, p);
    if (four >= 0) {
      fraction = four;
      p += 4;
    }
    digit = (bytes[p] ?? 0) - ascii.zero;
    while (digit >= 0 && digit <= 9) {
      fraction = (Math.imul(fraction, 10) + digit) | 0;
      p += 1;
      digit = (bytes[p] ?? 0) - ascii.zero;
    }
    decimals = p - point;
    const power = powers[decimals] ?? 1;
    value = (whole * power + fraction) / power;
    if (decimals === 0) return MALFORMED;
  }
  if (wholeDigits === 0 || (bytes[first] === ascii.zero && wholeDigits > 1)) return MALFORMED;
  const isExponent = bytes[p] === ascii.lowerE || bytes[p] === ascii.upperE;
  const isLong = wholeDigits > INT_DIGITS || decimals > INT_DIGITS || wholeDigits + decimals > EXACT_DIGITS;
  if (isExponent || isLong) return readAnyNumber(bytes, start, out, slot);
  out[slot] = negative ? -value : value;
  return p;
}

/**
 * The number of the four digits at `start`; -1 if they are not all digits. Adding 0x76 sets the high bit of every byte
 * above 9; then neighbours are put together, first to pairs, which fit a byte each.
 */
function fourDigits({ bytes, view }: JsonBytes, start: number): number {
  if (start + 4 > bytes.length) return -1;
  const digits = view.getInt32(start, true) ^ 0x30303030;
  if ((((digits + 0x76767676) | digits) & 0x80808080) !== 0) return -1;
  const twos = Math.imul(digits, 10) + (digits >>> 8);
  return (twos & 0xff) * 100 + ((twos >>> 16) & 0xff);
}

function readAnyNumber(bytes: Uint8Array, start: number, out: Float64Array, slot: number): number {
  const end = scanNumber(bytes, start);
  if (end === MALFORMED) return MALFORMED;
  out[slot] = Number(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1"));
  return end;
}
