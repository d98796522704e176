import type { ChangeColumns } from "../../columns/read/change-columns.js";
import { compareUuids, UUID_WORDS } from "../../core/uuid-words.js";
import { NONE } from "./change-log.js";
import { sortUuids } from "./sort-uuids.js";

/** Where changes that were read stand in the log. */
export interface InsertionOrder {
  /** Number of changes in the log. */
  readonly length: number;
  /** Position in the log of each change, as they were read; `NONE` for those that are left out. */
  readonly positions: Int32Array;
  /** Row of the changed feature, likewise. */
  readonly rows: Int32Array;
}

/**
 * The order of insertion of changes, which is that of their ids. A change that came twice is left out where it came
 * last, and so are the changes of unknown features.
 *
 * @param rowOf row of a feature id
 */
export function insertionOrder(parts: readonly ChangeColumns[], rowOf: ReadonlyMap<number, number>): InsertionOrder {
  const count = parts.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const rows = new Int32Array(count);
  const words = new Uint32Array(UUID_WORDS * count);
  let start = 0;
  for (const part of parts) {
    readRows(part.featureIds, rowOf, rows.subarray(start));
    words.set(part.ids, UUID_WORDS * start);
    start += part.rowCount;
  }
  const places = new Uint32Array(count);
  let known = 0;
  for (let place = 0; place < count; place += 1) if (rows[place] !== NONE) places[known++] = place;
  return { ...positionsOf(words, places.subarray(0, known), count), rows };
}

function readRows(featureIds: Float64Array, rowOf: ReadonlyMap<number, number>, rows: Int32Array): void {
  // The changes of one feature mostly come together.
  let last = Number.NaN;
  let row = NONE;
  for (let change = 0; change < featureIds.length; change += 1) {
    const id = featureIds[change] ?? Number.NaN;
    if (id !== last) row = rowOf.get(id) ?? NONE;
    last = id;
    rows[change] = row;
  }
}

function positionsOf(
  words: Uint32Array,
  places: Uint32Array,
  count: number,
): Pick<InsertionOrder, "length" | "positions"> {
  if (!isAscending(words, places)) sortUuids(words, places);
  const positions = new Int32Array(count).fill(NONE);
  let length = 0;
  let last = 0;
  for (const place of places) {
    if (length > 0 && compareUuids(words, last * UUID_WORDS, words, place * UUID_WORDS) === 0) continue;
    positions[place] = length;
    length += 1;
    last = place;
  }
  return { length, positions };
}

function isAscending(words: Uint32Array, places: Uint32Array): boolean {
  for (let index = 1; index < places.length; index += 1) {
    const [before, place] = [places[index - 1] ?? 0, places[index] ?? 0];
    if (compareUuids(words, before * UUID_WORDS, words, place * UUID_WORDS) > 0) return false;
  }
  return true;
}
