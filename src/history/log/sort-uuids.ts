import { freeMemory } from "../../core/free-memory.js";
import { compareUuids, UUID_WORDS } from "../../core/uuid-words.js";
import { HIGH, LOW } from "../../tables/cells/cell.js";

const WORD_BITS = 32;
const ALL_BITS = UUID_WORDS * WORD_BITS;
/** Fewer are in order sooner by comparing than by numbers made of them. */
const FEW = 16;

/**
 * Sorts ascending places of UUIDs into the order of the UUIDs; those of equal ones stay ascending.
 *
 * Each UUID becomes a number of 64 bits, which the engine sorts as such: its first bits in which not all are the same,
 * and behind them its place. Those whose bits are equal are sorted by the bits that follow.
 *
 * @param words of all UUIDs, four each
 * @param onRepeated is told each place whose UUID has come at an earlier place
 */
export function sortUuids(
  words: Uint32Array,
  places: Uint32Array,
  onRepeated: (place: number) => void = () => {},
): void {
  if (places.length <= FEW) {
    sortFew(words, places, onRepeated);
    return;
  }
  const first = firstDifference(words, places);
  if (first === ALL_BITS) {
    places.subarray(1).forEach(onRepeated);
    return;
  }
  const placeBits = WORD_BITS - Math.clz32(places.at(-1) ?? 0);
  const keys = makeKeys(words, places, first, placeBits);
  new BigUint64Array(keys.buffer).sort();
  const placeMask = 2 ** placeBits - 1;
  for (let index = 0; index < places.length; index += 1) places[index] = (keys[2 * index + LOW] as number) & placeMask;
  sortRuns(words, places, (index) => areSame(keys, index, placeBits), onRepeated);
  freeMemory(keys);
}

/** Sorts runs of places whose UUIDs are the same as far as was looked: `isSame` tells whether the next one is. */
function sortRuns(
  words: Uint32Array,
  places: Uint32Array,
  isSame: (index: number) => boolean,
  onRepeated: (place: number) => void,
): void {
  let runStart = 0;
  for (let end = 1; end <= places.length; end += 1) {
    if (end < places.length && isSame(end - 1)) continue;
    if (end - runStart > 1) sortUuids(words, places.subarray(runStart, end), onRepeated);
    runStart = end;
  }
}

/** By insertion. */
function sortFew(words: Uint32Array, places: Uint32Array, onRepeated: (place: number) => void): void {
  for (let next = 1; next < places.length; next += 1) {
    const place = places[next] as number;
    let order = 1;
    let index = next;
    for (; index > 0; index -= 1) {
      const before = places[index - 1] as number;
      order = compareUuids(words, place * UUID_WORDS, words, before * UUID_WORDS);
      if (order >= 0) break;
      places[index] = before;
    }
    places[index] = place;
    if (order === 0) onRepeated(place);
  }
}

/** The first bit in which not all are the same; `ALL_BITS` if all are equal. */
function firstDifference(words: Uint32Array, places: Uint32Array): number {
  const first = (places[0] as number) * UUID_WORDS;
  const differing = new Int32Array(UUID_WORDS);
  for (let index = 1; index < places.length; index += 1) {
    const start = (places[index] as number) * UUID_WORDS;
    for (let word = 0; word < UUID_WORDS; word += 1) {
      differing[word] =
        (differing[word] as number) | ((words[start + word] as number) ^ (words[first + word] as number));
    }
  }
  const word = differing.findIndex((bits) => bits !== 0);
  return word < 0 ? ALL_BITS : word * WORD_BITS + Math.clz32(differing[word] as number);
}

/** Two words a key: bits of the UUID from the first on, and its place in the last bits. */
function makeKeys(words: Uint32Array, places: Uint32Array, first: number, placeBits: number): Uint32Array {
  const keys = new Uint32Array(2 * places.length);
  const [word, shift] = [first >>> 5, first & 31];
  for (let index = 0; index < places.length; index += 1) {
    const start = (places[index] as number) * UUID_WORDS;
    keys[2 * index + HIGH] = bitsAt(words, start, word, shift);
    keys[2 * index + LOW] = (bitsAt(words, start, word + 1, shift) & -(2 ** placeBits)) | (places[index] as number);
  }
  return keys;
}

/** 32 bits of a UUID; there are zeros behind it. */
function bitsAt(words: Uint32Array, start: number, word: number, shift: number): number {
  const bits = word < UUID_WORDS ? (words[start + word] as number) << shift : 0;
  if (shift === 0 || word + 1 >= UUID_WORDS) return bits;
  return bits | ((words[start + word + 1] as number) >>> (WORD_BITS - shift));
}

/** Whether the bits of a key are those of the next. */
function areSame(keys: Uint32Array, index: number, placeBits: number): boolean {
  const [low, nextLow] = [keys[2 * index + LOW] as number, keys[2 * index + 2 + LOW] as number];
  return keys[2 * index + HIGH] === keys[2 * index + 2 + HIGH] && (low ^ nextLow) >>> placeBits === 0;
}
