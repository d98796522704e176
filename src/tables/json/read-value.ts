import { ascii, byteAt, type JsonBytes, MALFORMED, scanKey, scanNumber, scanText, skipSpace } from "./scan-json.js";

/** Reads the value of a member or element. Returns the position after it, or `MALFORMED`. */
type ReadValue<K> = (key: K, start: number) => number;

/**
 * Reads the object at `start` member by member, in the order of the text, repeated keys included.
 *
 * @returns the position after the object, or `MALFORMED`
 */
export function readMembers(bytes: Uint8Array, start: number, readValue: ReadValue<string>): number {
  return readItems(bytes, start, ascii.openBrace, (p) => {
    const value = scanKey(bytes, p);
    return value === MALFORMED ? MALFORMED : readValue(textAt(bytes, p), value);
  });
}

/**
 * Reads the array at `start` element by element.
 *
 * @returns the position after the array, or `MALFORMED`
 */
export function readElements(bytes: Uint8Array, start: number, readValue: ReadValue<number>): number {
  let index = 0;
  return readItems(bytes, start, ascii.openBracket, (p) => {
    index += 1;
    return readValue(index - 1, p);
  });
}

function readItems(bytes: Uint8Array, start: number, open: number, readItem: (p: number) => number): number {
  if (bytes[start] !== open) return MALFORMED;
  const close = open + 2;
  let p = skipSpace(bytes, start + 1);
  if (bytes[p] === close) return p + 1;
  for (;;) {
    p = readItem(p);
    if (p === MALFORMED) return MALFORMED;
    p = skipSpace(bytes, p);
    if (bytes[p] === close) return p + 1;
    if (bytes[p] !== ascii.comma) return MALFORMED;
    p = skipSpace(bytes, p + 1);
  }
}

function textAt(bytes: Uint8Array, start: number): string {
  const text: unknown = jsonAt(bytes, start, scanText(bytes, start));
  return String(text);
}

/** The value of a slice that is known to be valid JSON in UTF-8. */
export function jsonAt(bytes: Uint8Array, start: number, end: number): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString());
}

const WIDTH = 8;

/**
 * Bytes for repeated comparison, eight at a time.
 *
 * Eight bytes are compared as a double. A double that is neither NaN nor zero equals no other bit pattern. ASCII makes
 * neither (the exponent of a NaN needs a byte above 0x7f, a zero needs eight zero bytes); if other bytes do, the
 * literal is compared byte by byte.
 */
export class Literal {
  readonly length: number;
  readonly bytes: Uint8Array;
  /** The bytes from 0, 8, 16, …, and the last eight. */
  readonly #doubles: Float64Array;
  readonly #last: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.length = bytes.length;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const doubles = Float64Array.from({ length: Math.floor(bytes.length / WIDTH) }, (_, n) =>
      view.getFloat64(n * WIDTH, true),
    );
    this.#last = bytes.length >= WIDTH ? view.getFloat64(bytes.length - WIDTH, true) : 0;
    const isComparable = [...doubles, this.#last].every((double) => double !== 0 && !Number.isNaN(double));
    this.#doubles = isComparable ? doubles : new Float64Array(0);
  }

  /** Whether these bytes are at `start`. */
  isAt({ bytes, view }: JsonBytes, start: number): boolean {
    const doubles = this.#doubles;
    const count = doubles.length;
    if (start + this.length > bytes.length) return false;
    if (count === 0) return this.#isAtByBytes(bytes, start);
    for (let n = 0; n < count; n += 1) if (view.getFloat64(start + n * WIDTH, true) !== doubles[n]) return false;
    return view.getFloat64(start + this.length - WIDTH, true) === this.#last;
  }

  #isAtByBytes(bytes: Uint8Array, start: number): boolean {
    for (let n = 0; n < this.length; n += 1) if (bytes[start + n] !== this.bytes[n]) return false;
    return true;
  }
}

/** Powers of ten that are exact as doubles. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** Maximum number of digits whose number fits 32 bits, and whose number is exact as a double. */
const INT_DIGITS = 9;
const EXACT_DIGITS = 15;

/**
 * Reads the number at `start` into `out[slot]`, bit for bit as `JSON.parse` does.
 *
 * The digits before and after the point are collected as 32-bit integers, which is three times as fast as doubles. Up
 * to 15 digits, their number and the power of ten are exact, and the quotient of two exact doubles is correctly rounded
 * (Clinger 1990). All other numbers are parsed by `Number`.
 *
 * @returns the position after the number, or `MALFORMED`
 */
export function readNumber(json: JsonBytes, start: number, out: Float64Array, slot: number): number {
  const { bytes } = json;
  const negative = bytes[start] === ascii.minus;
  const first = negative ? start + 1 : start;
  let p = first;
  let whole = 0;
  let digit = byteAt(bytes, p) - ascii.zero;
  while (digit >= 0 && digit <= 9) {
    whole = (Math.imul(whole, 10) + digit) | 0;
    p += 1;
    digit = byteAt(bytes, p) - ascii.zero;
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
    digit = byteAt(bytes, p) - ascii.zero;
    while (digit >= 0 && digit <= 9) {
      fraction = (Math.imul(fraction, 10) + digit) | 0;
      p += 1;
      digit = byteAt(bytes, p) - ascii.zero;
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
 * The number of the four digits at `start`; -1 for other characters. Adding 0x76 sets the high bit of every byte above
 * 9; then adjacent digits are combined, first to pairs, which fit a byte each.
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
