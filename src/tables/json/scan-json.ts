import { MAX_DEPTH } from "../../core/depth.js";

/** Result of every reader of bytes for invalid JSON; otherwise, readers return the position after the value. */
export const MALFORMED = -1;

/** The byte at a position. Past the end it is 0, a control character, which makes any value malformed. */
export function byteAt(bytes: Uint8Array, position: number): number {
  return bytes[position] ?? 0;
}

/** Position of the next byte that is not whitespace. */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let p = start;
  for (;;) {
    const byte = byteAt(bytes, p);
    const isSpace =
      byte === ascii.space || byte === ascii.lineFeed || byte === ascii.carriageReturn || byte === ascii.tab;
    if (!isSpace) return p;
    p += 1;
  }
}

/** Position after the string that starts at `start` with its quote. */
export function scanText(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== ascii.quote) return MALFORMED;
  let p = start + 1;
  for (;;) {
    const byte = byteAt(bytes, p);
    if (byte === ascii.quote) return p + 1;
    if (byte < ascii.space) return MALFORMED;
    if (byte !== ascii.backslash) p += 1;
    else if (bytes[p + 1] === ascii.lowerU) {
      for (let digit = 2; digit < 6; digit += 1) if (!isHexDigit(bytes[p + digit] as number)) return MALFORMED;
      p += 6;
    } else {
      if (!simpleEscapes.has(byteAt(bytes, p + 1))) return MALFORMED;
      p += 2;
    }
  }
}

/** Position after the number that starts at `start`. */
export function scanNumber(bytes: Uint8Array, start: number): number {
  let p = bytes[start] === ascii.minus ? start + 1 : start;
  const whole = p;
  p = skipDigits(bytes, p);
  if (p === whole || (bytes[whole] === ascii.zero && p > whole + 1)) return MALFORMED;
  if (bytes[p] === ascii.dot) {
    const fraction = p + 1;
    p = skipDigits(bytes, fraction);
    if (p === fraction) return MALFORMED;
  }
  if (bytes[p] === ascii.lowerE || bytes[p] === ascii.upperE) {
    p += bytes[p + 1] === ascii.plus || bytes[p + 1] === ascii.minus ? 2 : 1;
    const exponent = p;
    p = skipDigits(bytes, exponent);
    if (p === exponent) return MALFORMED;
  }
  return p;
}

/** Position after `true`, `false` or `null`. */
function scanLiteral(bytes: Uint8Array, start: number): number {
  const word = bytes[start] === ascii.lowerN ? nullBytes : bytes[start] === ascii.lowerT ? trueBytes : falseBytes;
  for (let index = 0; index < word.length; index += 1) if (bytes[start + index] !== word[index]) return MALFORMED;
  return start + word.length;
}

/**
 * Position after the value that starts at `start`, of any type. Not recursive, like `JSON.parse`.
 *
 * @throws DeepJsonError
 */
export function scanValue(bytes: Uint8Array, start: number): number {
  open.depth = 0;
  let p = start;
  while (p !== MALFORMED) {
    const byte = bytes[p];
    const isContainer = byte === ascii.openBrace || byte === ascii.openBracket;
    p = isContainer ? enter(bytes, p) : leave(bytes, scanScalar(bytes, p));
    if (open.depth === 0) break;
  }
  return p;
}

/** The error for a value that is nested too deeply. */
export class DeepJsonError extends SyntaxError {
  /** The offset of the first array or object beyond the limit. */
  readonly offset: number;

  constructor(offset: number) {
    super(`a value that is nested deeper than ${MAX_DEPTH} levels`);
    this.offset = offset;
  }
}

/** The closing bytes of the open containers. */
class OpenContainers {
  depth = 0;
  readonly #closes = new Uint8Array(MAX_DEPTH);

  push(close: number): void {
    this.#closes[this.depth] = close;
    this.depth += 1;
  }

  /** The closing byte of the innermost container. */
  get close(): number {
    return this.#closes[this.depth - 1] as number;
  }
}

/** Shared by all values: each is scanned in one pass, and most are small. */
const open = new OpenContainers();

/** Opens the container at `start`. Returns the position of the next value, or after the last. */
function enter(bytes: Uint8Array, start: number): number {
  const close = (bytes[start] as number) + 2; // The codes of `[` and `]`, and of `{` and `}`, differ by two.
  if (open.depth === MAX_DEPTH) throw new DeepJsonError(start);
  open.push(close);
  const p = skipSpace(bytes, start + 1);
  if (bytes[p] === close) return leave(bytes, p);
  return close === ascii.closeBrace ? scanKey(bytes, p) : p;
}

/** Closes the containers that end after a value. Returns the position of the next value, or after the last. */
function leave(bytes: Uint8Array, end: number): number {
  let p = end;
  while (p !== MALFORMED && open.depth > 0) {
    const { close } = open;
    p = skipSpace(bytes, p);
    if (bytes[p] === ascii.comma) {
      p = skipSpace(bytes, p + 1);
      return close === ascii.closeBrace ? scanKey(bytes, p) : p;
    }
    if (bytes[p] !== close) return MALFORMED;
    open.depth -= 1;
    p += 1;
  }
  return p;
}

/** Position of the value after the key and colon at `start`. */
export function scanKey(bytes: Uint8Array, start: number): number {
  const end = scanText(bytes, start);
  if (end === MALFORMED) return MALFORMED;
  const colon = skipSpace(bytes, end);
  return bytes[colon] === ascii.colon ? skipSpace(bytes, colon + 1) : MALFORMED;
}

function scanScalar(bytes: Uint8Array, p: number): number {
  const byte = byteAt(bytes, p);
  if (byte === ascii.quote) return scanText(bytes, p);
  return byte === ascii.minus || isDigit(byte) ? scanNumber(bytes, p) : scanLiteral(bytes, p);
}

function skipDigits(bytes: Uint8Array, start: number): number {
  let p = start;
  while (isDigit(byteAt(bytes, p))) p += 1;
  return p;
}

function isDigit(byte: number): boolean {
  return byte >= ascii.zero && byte <= ascii.nine;
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

const nullBytes = Buffer.from("null");
const falseBytes = Buffer.from("false");
const trueBytes = Buffer.from("true");
const simpleEscapes: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

/**
 * JSON text as bytes, to be read one at a time and several at once.
 *
 * A class and not an object literal: the compiled readers rely on the shape of its first instance. A literal gets its
 * final shape only with the second instance, and V8 would discard the readers after the first page. For the same reason
 * `bytes` must be a plain `Uint8Array`.
 */
export class JsonBytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.bytes = new Uint8Array(buffer, byteOffset, byteLength);
    this.view = new DataView(buffer, byteOffset, byteLength);
  }
}

const ONES = 0x01010101;
const HIGH_BITS = 0x80808080 | 0;

/**
 * Position of the quote, backslash or control character that ends the plain part of a string, or of the end of the
 * bytes.
 *
 * Four bytes at once: `(x - ONES) & ~x` sets the high bit of some byte exactly if a byte of `x` is zero, and
 * `(x - 0x20…) & ~x` if one is below a space (Mycroft 1987). About three times as fast as byte by byte.
 */
export function scanPlain({ bytes, view }: JsonBytes, start: number): number {
  const last = bytes.length - 4;
  let p = start;
  while (p <= last) {
    const four = view.getInt32(p, true);
    const quote = four ^ (ascii.quote * ONES);
    const backslash = four ^ (ascii.backslash * ONES);
    const hits = ((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash) | ((four - ascii.space * ONES) & ~four);
    if ((hits & HIGH_BITS) !== 0) break;
    p += 4;
  }
  for (;;) {
    const byte = byteAt(bytes, p);
    if (byte === ascii.quote || byte === ascii.backslash || byte < ascii.space) return p;
    p += 1;
  }
}

/** Bytes with a meaning in JSON. */
export const ascii = {
  tab: 0x09,
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  upperE: 0x45,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  lowerE: 0x65,
  lowerF: 0x66,
  lowerN: 0x6e,
  lowerT: 0x74,
  lowerU: 0x75,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** Numbers of two hexadecimal digits, by their bytes as a little-endian 16-bit integer; -1 for other bytes. */
const pairs = new Int16Array(1 << 16).fill(-1);

for (let number = 0; number < 256; number += 1) {
  pairs[Buffer.from(number.toString(16).padStart(2, "0")).readUInt16LE()] = number;
}

/** The number of the four hexadecimal digits at `start`, in lower case; below 0 for other characters. */
export function fourHexDigits({ view }: JsonBytes, start: number): number {
  return ((pairs[view.getUint16(start, true)] as number) << 8) | (pairs[view.getUint16(start + 2, true)] as number);
}
