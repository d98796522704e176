import { ALSE, LOWER_F, LOWER_N, LOWER_T, NULL, OPEN_BRACE, OPEN_BRACKET, QUOTE, TRUE } from "./ascii";
import { Column, Kind } from "./column";
import { codeOf } from "./dictionary";
import { readGeometry, runEnd } from "./read-geometry";
import { readInstant } from "./read-instant";
import { readNumber } from "./read-number";
import { readUuid } from "./read-uuid";
import { endOfPlain, scanValue } from "./scan-json";

/** High words of cells, and low words of literals: see `cell.ts`. */
const NULL_CELL: u32 = 0xfff90000;
const BOOLEAN_CELL: u32 = 0xfff90001;
const WORD_CELL: u32 = 0xfffa0000;
const TEXT_CELL: u32 = 0xfffb0000;
const JSON_CELL: u32 = 0xfffc0000;
const GEOMETRY_CELL: u32 = 0xfffe0000;
const UUID_CELL: u32 = 0xffff0000;

/** The longest text whose length fits a cell, in bytes. */
const LONGEST: usize = 0xffff;
const UUID_LENGTH = 36;

/** Texts that go into the heap: where the next one goes, where there is no more room, and its position in the heap. */
export let texts: usize = 0;
let textBound: usize = 0;
let textPosition: u32 = 0;

/** Numbers of geometries, in the same way. Where no column has some, they are those of a former reader, and not looked at. */
export let numbers: usize = 0;
let numberBound: usize = 0;
let numberPosition: u32 = 0;

export function setTexts(start: usize, end: usize, position: u32): void {
  texts = start;
  textBound = end;
  textPosition = position;
}

export function setNumbers(start: usize, end: usize, position: u32): void {
  numbers = start;
  numberBound = end;
  numberPosition = position;
}

export function textsEnd(): usize {
  return texts;
}

export function numbersEnd(): usize {
  return numbers;
}

/**
 * Reads the value at `start` into a cell of its column.
 *
 * @returns the position after it; 0 if it must be read elsewhere: it is malformed, odd, new, or there is no room
 */
@inline
export function readValue(column: Column, start: usize, row: i32): usize {
  const cell = column.cells + 8 * <usize>row;
  column.used = 1;
  const byte: u32 = load<u8>(start);
  if (byte === QUOTE) {
    if (column.kind === Kind.any) return readText(column, start, cell);
    if (column.kind === Kind.instant) return readTime(column, start, cell);
    return column.kind === Kind.uuid ? readId(column, start, cell) : 0;
  }
  if (byte === LOWER_N) return load<u32>(start) === NULL ? box(cell, NULL_CELL, 0, start + 4) : 0;
  if (byte === OPEN_BRACE && column.kind === Kind.geometry) return readShape(start, cell);
  if (byte === OPEN_BRACE && column.kind === Kind.geometryToo) return 0;
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return readJson(start, cell);
  if (byte === LOWER_T) return load<u32>(start) === TRUE ? box(cell, BOOLEAN_CELL, 2, start + 4) : 0;
  if (byte === LOWER_F) return load<u32>(start + 1) === ALSE ? box(cell, BOOLEAN_CELL, 1, start + 5) : 0;
  return column.kind === Kind.instant ? 0 : readNumber(start, cell);
}

@inline
function box(cell: usize, high: u32, low: u32, end: usize): usize {
  store<u32>(cell, low);
  store<u32>(cell, high, 4);
  return end;
}

@inline
function readText(column: Column, start: usize, cell: usize): usize {
  const text = start + 1;
  const end = endOfPlain(text);
  const length = end - text;
  if (load<u8>(end) !== QUOTE || length > LONGEST) return 0;
  if (column.dictionary === 0) return keep(text, length, TEXT_CELL, cell, end + 1);
  const code = codeOf(column.dictionary, text, <u32>length);
  if (code !== 0) return box(cell, WORD_CELL, code - 1, end + 1);
  column.dictionary = 0;
  return keep(text, length, TEXT_CELL, cell, end + 1);
}

function readJson(start: usize, cell: usize): usize {
  const end = scanValue(start, 0);
  return end === 0 || end - start > LONGEST ? 0 : keep(start, end - start, JSON_CELL, cell, end);
}

/** Copies bytes for the heap. */
@inline
function keep(start: usize, length: usize, high: u32, cell: usize, end: usize): usize {
  if (texts + length > textBound) return 0;
  // There is room for what is copied beyond.
  for (let n: usize = 0; n < length; n += 16) v128.store(texts + n, v128.load(start + n));
  box(cell, high | <u32>length, textPosition, end);
  texts += length;
  textPosition += <u32>length;
  return end;
}

@inline
function readTime(column: Column, start: usize, cell: usize): usize {
  const length: usize = column.instantLength;
  if (length === 0 || load<u8>(start + 1 + length) !== QUOTE) return 0;
  return readInstant(start + 1, cell, column) ? start + length + 2 : 0;
}

@inline
function readId(column: Column, start: usize, cell: usize): usize {
  const out = column.uuids;
  if (out >= column.uuidBound || load<u8>(start, UUID_LENGTH + 1) !== QUOTE || !readUuid(start + 1, out)) return 0;
  box(cell, UUID_CELL, column.uuidIndex, 0);
  column.uuids = out + 16;
  column.uuidIndex += 1;
  return start + UUID_LENGTH + 2;
}

@inline
function readShape(start: usize, cell: usize): usize {
  const end = readGeometry(start, numbers, numberBound);
  if (end === 0) return 0;
  box(cell, GEOMETRY_CELL, numberPosition, end);
  const count = <u32>((runEnd() - numbers) >> 3);
  numbers = runEnd();
  numberPosition += count;
  return end;
}
