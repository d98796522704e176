import { allocate, release } from "./memory";

/** What the values of a column are read as; all others are read by the readers of odd values. */
export enum Kind {
  any,
  instant,
  uuid,
  geometry,
  /** A further column of geometries: these are odd. */
  geometryToo,
}

/** A column that is being read, as its counterpart outside knows it: see `record-strides.ts`. */
@unmanaged
export class Column {
  /** Two words for each row. */
  cells: usize;
  kind: Kind;
  index: i32;
  /** Whether a value was read. */
  used: u32;
  /** 0 if the column's texts are not looked up. */
  dictionary: usize;
  /** Where the next UUID goes, where there is no more room, and its index. */
  uuids: usize;
  uuidBound: usize;
  uuidIndex: u32;
  /** The form of the column's instants; of length 0 if there is none. */
  instantLength: u32;
  decimals: u32;
  suffix: usize;
  suffixLength: u32;
  offsetUs: f64;
}

export function newColumn(index: i32, kind: Kind): usize {
  const at = allocate(offsetof<Column>());
  memory.fill(at, 0, offsetof<Column>());
  const column = changetype<Column>(at);
  column.index = index;
  column.kind = kind;
  return at;
}

/** Gives a column other cells, with what its first rows hold; the others are filled with a word. */
export function moveCells(at: usize, rows: u32, moreRows: u32, absent: u32): usize {
  const column = changetype<Column>(at);
  const cells = allocate(8 * moreRows);
  if (rows > 0) {
    memory.copy(cells, column.cells, 8 * rows);
    release(column.cells, 8 * rows);
  }
  for (let p = cells + 8 * rows; p < cells + 8 * moreRows; p += 4) store<u32>(p, absent);
  column.cells = cells;
  return cells;
}

/** Tells a column in which dictionary its texts are looked up; in none if it is 0. */
export function setDictionary(at: usize, dictionary: usize): void {
  changetype<Column>(at).dictionary = dictionary;
}

/** Tells a column the form of its instants; the suffix stands at `suffix` and stays there. */
export function setInstants(
  at: usize,
  length: u32,
  decimals: u32,
  suffix: usize,
  suffixLength: u32,
  offsetUs: f64,
): void {
  const column = changetype<Column>(at);
  column.instantLength = length;
  column.decimals = decimals;
  column.suffix = suffix;
  column.suffixLength = suffixLength;
  column.offsetUs = offsetUs;
}

/** Tells a column where its next UUIDs go, and the index of the first. */
export function setUuids(at: usize, start: usize, end: usize, index: u32): void {
  const column = changetype<Column>(at);
  column.uuids = start;
  column.uuidBound = end;
  column.uuidIndex = index;
}

export function uuidsEnd(at: usize): usize {
  return changetype<Column>(at).uuids;
}

/** Whether a value was read since this was asked for. */
export function takeUsed(at: usize): u32 {
  const column = changetype<Column>(at);
  const used = column.used;
  column.used = 0;
  return used;
}
