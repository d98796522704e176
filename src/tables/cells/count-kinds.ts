import { cellKinds, HIGH, NULL_CELL, NUMBER_KIND } from "./cell.js";

const KINDS = NUMBER_KIND + 1;

/** How many cells are of each kind: tags and `NUMBER_KIND`. */
export interface KindCounts {
  readonly ofKind: Int32Array;
  /** How many of the literals are null. */
  readonly nulls: number;
}

/**
 * Counts the cells of a column by their kinds. Neighbours are counted apart: they mostly are of one kind, and a number
 * that was just written takes long to be read again.
 */
export function countKinds(words: Uint32Array): KindCounts {
  const counts = new Int32Array(2 * KINDS);
  const nulls = countInto(counts, words);
  return {
    ofKind: Int32Array.from({ length: KINDS }, (_, kind) => (counts[kind] ?? 0) + (counts[KINDS + kind] ?? 0)),
    nulls,
  };
}

/** Nothing but the loop: compiled while it runs, it would be thrown away where other code follows. */
function countInto(counts: Int32Array, words: Uint32Array): number {
  let nulls = 0;
  const last = words.length - 2;
  let at = HIGH;
  for (; at < last; at += 4) {
    const high = words[at] ?? 0;
    const next = words[at + 2] ?? 0;
    const kind = cellKinds[high >>> 16] ?? 0;
    const nextKind = KINDS + (cellKinds[next >>> 16] ?? 0);
    counts[kind] = (counts[kind] ?? 0) + 1;
    counts[nextKind] = (counts[nextKind] ?? 0) + 1;
    nulls += Number(high === NULL_CELL) + Number(next === NULL_CELL);
  }
  if (at < words.length) {
    const kind = cellKinds[(words[at] ?? 0) >>> 16] ?? 0;
    counts[kind] = (counts[kind] ?? 0) + 1;
    nulls += Number(words[at] === NULL_CELL);
  }
  return nulls;
}
