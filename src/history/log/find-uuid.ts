import { firstIndex } from "../../core/first-index.js";
import { compareUuids, UUID_WORDS } from "../../core/uuid-words.js";
import { NONE } from "./change-log.js";

/**
 * The position of a UUID among ascending ones, `NONE` if it is not there. Looks near a position first: a change was
 * mostly inserted right after the one that caused it.
 *
 * @param words of the ascending UUIDs
 * @param start where the words of the wanted one begin in `wanted`
 * @param near a position in `words`
 */
export function findUuid(words: Uint32Array, wanted: Uint32Array, start: number, near: number): number {
  const count = words.length / UUID_WORDS;
  const isBelow = (position: number) => compareUuids(words, position * UUID_WORDS, wanted, start) < 0;
  let low = near;
  let high = near;
  for (let step = 1; low > 0 && !isBelow(low); step *= 2) {
    high = low;
    low = Math.max(0, low - step);
  }
  for (let step = 1; high < count && isBelow(high); step *= 2) {
    low = high;
    high = Math.min(count, high + step);
  }
  const position = low + firstIndex(high - low, (index) => isBelow(low + index));
  const isThere = position < count && compareUuids(words, position * UUID_WORDS, wanted, start) === 0;
  return isThere ? position : NONE;
}
