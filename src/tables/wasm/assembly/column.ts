import { allocate, release } from "./memory";

/** Types of the regular values of a column; other values are read by the readers of irregular values. */
export enum Kind {
  any,
  instant,
  uuid,
  geometry,
  /** A further column of geometries, all of which are irregular. */
  geometryToo,
}

/** A column that is being read, with the layout that its counterpart in TypeScript uses: see `record-strides.ts`. */
@unmanaged
export class Column {
  /** Two words per row. */
  cells: usize;
  kind: Kind;
  index: i32;
  /** Whether a value was read. */
  used: u32;
  /** 0 if the column's strings are not looked up. */
  dictionary: usize;
  /** Address of the next UUID, end of the buffer, and index of the next UUID. */
  uuids: usize;
  uuidBound: usize;
  uuidIndex: u32;
  /** The form of the column's instants; its length is 0 for none. */
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

/** Reallocates a column's cells, keeping its first rows; the others are filled with a word. */
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

/** Sets the dictionary for a column's strings; 0 for none. */
export function setDictionary(at: usize, dictionary: usize): void {
  changetype<Column>(at).dictionary = dictionary;
}

/** Sets the form of a column's instants; the suffix must stay at the address `suffix`. */
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

/** Sets the buffer for a column's next UUIDs, and the index of the first. */
export function setUuids(at: usize, start: usize, end: usize, index: u32): void {
  const column = changetype<Column>(at);
  column.uuids = start;
  column.uuidBound = end;
  column.uuidIndex = index;
}

export function uuidsEnd(at: usize): usize {
  return changetype<Column>(at).uuids;
}

/** Whether a value was read since the last call. */
export function takeUsed(at: usize): u32 {
  const column = changetype<Column>(at);
  const used = column.used;
  column.used = 0;
  return used;
}
