import { freeMemory } from "../../core/free-memory.js";

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const WORD = 2 ** 32;

/**
 * Indices of a log in valid order: by time, then by the tie rule. Edits mostly arrive in the order in which they were
 * made, so the late ones are sorted separately and merged.
 */
export function validOrder(timesUs: Float64Array): Int32Array {
  const { onTime, late } = splitLate(timesUs);
  if (late.length === 0) return onTime;
  const sorted = sortByTime(late, timesUs);
  const order = merge(onTime, sorted, timesUs);
  freeMemory(onTime);
  freeMemory(sorted);
  return order;
}

/**
 * Indices of a log in order of time, in linear time: a radix sort, digit by digit from the lowest. It is stable, so
 * indices with equal times keep their order.
 *
 * @param timesUs whole microseconds, by index
 */
function sortByTime(positions: Int32Array, timesUs: Float64Array): Int32Array {
  const { low, high } = splitTimes(positions, timesUs);
  const all = new Int32Array(positions.length);
  for (let index = 0; index < all.length; index += 1) all[index] = index;
  const sorted = sortByWord(sortByWord(all, low), high);
  freeMemory(low);
  freeMemory(high);
  for (let entry = 0; entry < sorted.length; entry += 1) sorted[entry] = positions[sorted[entry] as number] as number;
  return sorted;
}

/** Times as two words with the same order. */
function splitTimes(
  positions: Int32Array,
  timesUs: Float64Array,
): { readonly low: Uint32Array; readonly high: Uint32Array } {
  const low = new Uint32Array(positions.length);
  const high = new Uint32Array(positions.length);
  let lowest = Number.POSITIVE_INFINITY;
  for (let index = 0; index < positions.length; index += 1) {
    lowest = Math.min(lowest, timesUs[positions[index] as number] as number);
  }
  const base = Math.floor(lowest / WORD);
  for (let index = 0; index < positions.length; index += 1) {
    const us = timesUs[positions[index] as number] as number;
    const word = Math.floor(us / WORD);
    low[index] = us - word * WORD;
    high[index] = word - base;
  }
  return { low, high };
}

/** A stable sort of indices by their words. The array of indices is overwritten. */
function sortByWord(indexes: Int32Array, words: Uint32Array): Int32Array {
  let largest = 0;
  for (let index = 0; index < words.length; index += 1) largest = Math.max(largest, words[index] as number);
  let sorted = indexes;
  let spare: Int32Array = new Int32Array(indexes.length);
  for (let shift = 0; shift < 32 && largest >>> shift > 0; shift += DIGIT_BITS) {
    sortByDigit(sorted, words, shift, spare);
    [sorted, spare] = [spare, sorted];
  }
  freeMemory(spare);
  return sorted;
}

function sortByDigit(indexes: Int32Array, words: Uint32Array, shift: number, sorted: Int32Array): void {
  const next = new Int32Array(DIGITS + 1);
  for (let index = 0; index < indexes.length; index += 1) {
    const digit = ((words[index] as number) >>> shift) & (DIGITS - 1);
    next[digit + 1] = (next[digit + 1] as number) + 1;
  }
  for (let digit = 1; digit < DIGITS; digit += 1) next[digit] = (next[digit] as number) + (next[digit - 1] as number);
  for (let entry = 0; entry < indexes.length; entry += 1) {
    const index = indexes[entry] as number;
    const digit = ((words[index] as number) >>> shift) & (DIGITS - 1);
    const target = next[digit] as number;
    sorted[target] = index;
    next[digit] = target + 1;
  }
}

/** Indices that are later than all before them, and the others; both ascending. */
function splitLate(timesUs: Float64Array): { readonly onTime: Int32Array; readonly late: Int32Array } {
  const positions = new Int32Array(timesUs.length);
  let newest = 0;
  let onTime = 0;
  let firstLate = positions.length;
  for (let position = 0; position < timesUs.length; position += 1) {
    if (!isLater(timesUs, newest, position)) {
      newest = position;
      positions[onTime] = position;
      onTime += 1;
    } else {
      firstLate -= 1;
      positions[firstLate] = position;
    }
  }
  return { onTime: positions.subarray(0, onTime), late: positions.subarray(firstLate).reverse() };
}

/** Merges the indices that are on time with the others, both in valid order. */
function merge(onTime: Int32Array, late: Int32Array, timesUs: Float64Array): Int32Array {
  const order = new Int32Array(onTime.length + late.length);
  let next = 0;
  for (let nextLate = 0; nextLate < late.length; nextLate += 1) {
    const lateChange = late[nextLate] as number;
    for (; next < onTime.length; next += 1) {
      const change = onTime[next] as number;
      if (isLater(timesUs, change, lateChange)) break;
      order[next + nextLate] = change;
    }
    order[next + nextLate] = lateChange;
  }
  order.set(onTime.subarray(next), next + late.length);
  return order;
}

/**
 * The tie rule of the log: changes are ordered by `(created_at, id)`, so with equal times, the greater id is later.
 *
 * A log keeps its changes in the order of their ids, which is that of insertion (ensured by `log-from-columns.ts`).
 * Within a log, the index of a change can therefore replace its id: `isLater` compares by it, and `sortByTime` keeps
 * the rule because it is stable. SQL statements use the rule of `questions/sql/cte/change-ctes.ts`.
 *
 * @returns whether the change at one index of a log is later than the one at another
 */
function isLater(timesUs: Float64Array, position: number, other: number): boolean {
  const us = timesUs[position] as number;
  const otherUs = timesUs[other] as number;
  return us > otherUs || (us === otherUs && position > other);
}
