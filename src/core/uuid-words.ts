/** Words of a UUID: its 128 bits as four words of 32 bits, the most significant first. Words in order are texts in order. */
export const UUID_WORDS = 4;

const HYPHEN = 45;

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

/** The UUID of some words as text, in lower case. */
export function uuidText(words: Uint32Array, start: number): string {
  const [a, b, c, d] = [hex(words[start]), hex(words[start + 1]), hex(words[start + 2]), hex(words[start + 3])];
  return `${a}-${b.slice(0, 4)}-${b.slice(4)}-${c.slice(0, 4)}-${c.slice(4)}${d}`;
}

/** Below 0 if one UUID stands before another, 0 if they are equal; `start` and `other` are where their words begin. */
export function compareUuids(words: Uint32Array, start: number, others: Uint32Array, other: number): number {
  for (let word = 0; word < UUID_WORDS; word += 1) {
    const [a, b] = [words[start + word] ?? 0, others[other + word] ?? 0];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

/** Value of a hexadecimal digit: the letters of both cases end in the same four bits. */
function hexDigit(code: number): number {
  return code > 57 ? (code & 0xf) + 9 : code & 0xf;
}

function hex(word = 0): string {
  return (word + 0x1_0000_0000).toString(16).slice(1);
}
