import { freeMemory } from "../../core/free-memory.js";
import { compareUuids, UUID_WORDS } from "../../core/uuid-words.js";
import type { ChangeColumns } from "../../tables/read/change-columns.js";
import { NONE } from "./change-log.js";
import { sortUuids } from "./sort-uuids.js";

/** The ids of a log, and where the changes that were read stand in it. */
export interface InsertionOrder {
  /** The words of the ids, ascending. */
  readonly ids: Uint32Array;
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
    const { featureIds, ids } = part;
    readRows(featureIds, rowOf, rows.subarray(start));
    part.forget?.(featureIds);
    words.set(ids, UUID_WORDS * start);
    part.forget?.(ids);
    start += part.rowCount;
  }
  const places = new Uint32Array(count);
  let known = 0;
  for (let place = 0; place < count; place += 1) if (rows[place] !== NONE) places[known++] = place;
  const ordered = inOrder(words, places.subarray(0, known));
  const positions = positionsOf(ordered, count);
  const { length } = ordered;
  freeMemory(ordered);
  freeMemory(places);
  const ids = placeIds(words, positions, length);
  freeMemory(words);
  return { ids, positions, rows };
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

/** Places in the order of their UUIDs, each UUID once. */
function inOrder(words: Uint32Array, places: Uint32Array): Uint32Array {
  if (isAscending(words, places)) return places;
  const repeated = new Set<number>();
  sortUuids(words, places, (place) => repeated.add(place));
  return repeated.size === 0 ? places : places.filter((place) => !repeated.has(place));
}

/** Written in the order of their positions, they would be read all over the memory, which takes much longer. */
function placeIds(words: Uint32Array, positions: Int32Array, length: number): Uint32Array {
  const ids = new Uint32Array(UUID_WORDS * length);
  for (let place = 0; place < positions.length; place += 1) {
    const position = positions[place] ?? NONE;
    if (position === NONE) continue;
    for (let word = 0; word < UUID_WORDS; word += 1) {
      ids[UUID_WORDS * position + word] = words[UUID_WORDS * place + word] ?? 0;
    }
  }
  return ids;
}

function positionsOf(places: Uint32Array, count: number): Int32Array {
  const positions = new Int32Array(count).fill(NONE);
  for (let position = 0; position < places.length; position += 1) positions[places[position] ?? 0] = position;
  return positions;
}

/** Whether each UUID is above the one before. */
function isAscending(words: Uint32Array, places: Uint32Array): boolean {
  for (let index = 1; index < places.length; index += 1) {
    const [before, place] = [places[index - 1] ?? 0, places[index] ?? 0];
    if (compareUuids(words, before * UUID_WORDS, words, place * UUID_WORDS) >= 0) return false;
  }
  return true;
}
