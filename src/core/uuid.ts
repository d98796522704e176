const HYPHEN = 45;

/** 1 for the code of a hex digit: looking up is faster than a regular expression. */
const HEX = Uint8Array.from({ length: 128 }, (_, code) => Number(/[0-9a-f]/i.test(String.fromCharCode(code))));

/** Whether a string is a UUID in its usual form of 36 characters, in either case. */
export function isUuid(text: string): boolean {
  if (text.length !== 36 || !isHyphen(text, 8) || !isHyphen(text, 13)) return false;
  if (!isHyphen(text, 18) || !isHyphen(text, 23)) return false;
  let digits = 0;
  for (let index = 0; index < 36; index += 1) digits += HEX[text.charCodeAt(index)] as number;
  return digits === 32;
}

function isHyphen(text: string, index: number): boolean {
  return text.charCodeAt(index) === HYPHEN;
}

/**
 * Words of a UUID: its 128 bits as four words of 32 bits, the most significant first. Order of words is order of
 * strings.
 */
export const UUID_WORDS = 4;

const HEX_DIGITS = Buffer.from("0123456789abcdef");
/** Buffer of the string: concatenating pieces takes many times longer. */
const TEXT = Buffer.from("00000000-0000-0000-0000-000000000000");

/**
 * Writes the words of a UUID.
 *
 * @param text in its usual form of 36 characters, in either case
 */
export function packUuid(text: string, words: Uint32Array, start: number): void {
  let digits = 0;
  let word = 0;
  for (let index = 0; index < text.length && digits < 8 * UUID_WORDS; index += 1) {
    const code = text.charCodeAt(index);
    if (code === HYPHEN) continue;
    word = (word << 4) | hexDigit(code);
    digits += 1;
    if (digits % 8 === 0) words[start + digits / 8 - 1] = word;
  }
}

/** Returns the UUID of some words as a lower-case string. */
export function uuidText(words: Uint32Array, start: number): string {
  const [a, b, c, d] = [
    words[start] as number,
    words[start + 1] as number,
    words[start + 2] as number,
    words[start + 3] as number,
  ];
  writeDigits(0, a >>> 16);
  writeDigits(4, a);
  writeDigits(9, b >>> 16);
  writeDigits(14, b);
  writeDigits(19, c >>> 16);
  writeDigits(24, c);
  writeDigits(28, d >>> 16);
  writeDigits(32, d);
  return TEXT.toString("latin1");
}

/**
 * Below 0 if one UUID sorts before another, 0 if they are equal; `start` and `other` are the offsets of their words.
 */
export function compareUuids(words: Uint32Array, start: number, others: Uint32Array, other: number): number {
  for (let word = 0; word < UUID_WORDS; word += 1) {
    const a = words[start + word] as number;
    const b = others[other + word] as number;
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

/** Value of a hexadecimal digit: the letters of both cases end in the same four bits. */
function hexDigit(code: number): number {
  return code > 57 ? (code & 0xf) + 9 : code & 0xf;
}

/** Writes the digits of the lower 16 bits. */
function writeDigits(index: number, bits: number): void {
  TEXT[index] = HEX_DIGITS[(bits >>> 12) & 0xf] as number;
  TEXT[index + 1] = HEX_DIGITS[(bits >>> 8) & 0xf] as number;
  TEXT[index + 2] = HEX_DIGITS[(bits >>> 4) & 0xf] as number;
  TEXT[index + 3] = HEX_DIGITS[bits & 0xf] as number;
}
