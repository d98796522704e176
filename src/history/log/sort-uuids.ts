import { freeMemory } from "../../core/free-memory.js";
import { compareUuids, UUID_WORDS } from "../../core/uuid.js";
import { HIGH, LOW } from "../../tables/cells/cell.js";

const WORD_BITS = 32;
const ALL_BITS = UUID_WORDS * WORD_BITS;
/** For fewer UUIDs, direct comparison is faster than creating numeric keys. */
const FEW = 16;

/**
 * Sorts ascending indices of UUIDs into the order of the UUIDs; indices of equal UUIDs stay ascending.
 *
 * Each UUID becomes a 64-bit number, which the engine sorts natively: its first differing bits, followed by its index.
 * UUIDs whose bits are equal are sorted by the following bits.
 *
 * @param words of all UUIDs, four each
 * @param onRepeated called with each index whose UUID occurred at an earlier index
 */
export function sortUuids(
  words: Uint32Array,
  indexes: Uint32Array,
  onRepeated: (index: number) => void = () => {},
): void {
  if (indexes.length <= FEW) {
    sortFew(words, indexes, onRepeated);
    return;
  }
  const first = firstDifference(words, indexes);
  if (first === ALL_BITS) {
    indexes.subarray(1).forEach(onRepeated);
    return;
  }
  const placeBits = WORD_BITS - Math.clz32(indexes.at(-1) ?? 0);
  const keys = makeKeys(words, indexes, first, placeBits);
  new BigUint64Array(keys.buffer).sort();
  const placeMask = 2 ** placeBits - 1;
  for (let index = 0; index < indexes.length; index += 1)
    indexes[index] = (keys[2 * index + LOW] as number) & placeMask;
  sortRuns(words, indexes, (index) => areSame(keys, index, placeBits), onRepeated);
  freeMemory(keys);
}

/** Sorts runs of indices whose UUIDs are equal so far: `isSame` returns whether the next one is equal. */
function sortRuns(
  words: Uint32Array,
  indexes: Uint32Array,
  isSame: (index: number) => boolean,
  onRepeated: (index: number) => void,
): void {
  let runStart = 0;
  for (let end = 1; end <= indexes.length; end += 1) {
    if (end < indexes.length && isSame(end - 1)) continue;
    if (end - runStart > 1) sortUuids(words, indexes.subarray(runStart, end), onRepeated);
    runStart = end;
  }
}

/** Insertion sort. */
function sortFew(words: Uint32Array, indexes: Uint32Array, onRepeated: (index: number) => void): void {
  for (let next = 1; next < indexes.length; next += 1) {
    const position = indexes[next] as number;
    let order = 1;
    let index = next;
    for (; index > 0; index -= 1) {
      const before = indexes[index - 1] as number;
      order = compareUuids(words, position * UUID_WORDS, words, before * UUID_WORDS);
      if (order >= 0) break;
      indexes[index] = before;
    }
    indexes[index] = position;
    if (order === 0) onRepeated(position);
  }
}

/** The first bit that differs between UUIDs; `ALL_BITS` if all are equal. */
function firstDifference(words: Uint32Array, indexes: Uint32Array): number {
  const first = (indexes[0] as number) * UUID_WORDS;
  const differing = new Int32Array(UUID_WORDS);
  for (let index = 1; index < indexes.length; index += 1) {
    const start = (indexes[index] as number) * UUID_WORDS;
    for (let word = 0; word < UUID_WORDS; word += 1) {
      differing[word] =
        (differing[word] as number) | ((words[start + word] as number) ^ (words[first + word] as number));
    }
  }
  const word = differing.findIndex((bits) => bits !== 0);
  return word < 0 ? ALL_BITS : word * WORD_BITS + Math.clz32(differing[word] as number);
}

/** Two words per key: bits of the UUID from the first differing one on, and its index in the last bits. */
function makeKeys(words: Uint32Array, indexes: Uint32Array, first: number, placeBits: number): Uint32Array {
  const keys = new Uint32Array(2 * indexes.length);
  const [word, shift] = [first >>> 5, first & 31];
  for (let index = 0; index < indexes.length; index += 1) {
    const start = (indexes[index] as number) * UUID_WORDS;
    keys[2 * index + HIGH] = bitsAt(words, start, word, shift);
    keys[2 * index + LOW] = (bitsAt(words, start, word + 1, shift) & -(2 ** placeBits)) | (indexes[index] as number);
  }
  return keys;
}

/** 32 bits of a UUID, followed by zeros. */
function bitsAt(words: Uint32Array, start: number, word: number, shift: number): number {
  const bits = word < UUID_WORDS ? (words[start + word] as number) << shift : 0;
  if (shift === 0 || word + 1 >= UUID_WORDS) return bits;
  return bits | ((words[start + word + 1] as number) >>> (WORD_BITS - shift));
}

/** Whether a key has the same bits as the next one. */
function areSame(keys: Uint32Array, index: number, placeBits: number): boolean {
  const [low, nextLow] = [keys[2 * index + LOW] as number, keys[2 * index + 2 + LOW] as number];
  return keys[2 * index + HIGH] === keys[2 * index + 2 + HIGH] && (low ^ nextLow) >>> placeBits === 0;
}
