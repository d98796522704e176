import {
  ALSE,
  COLON,
  DOT,
  isDigit,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  MINUS,
  NULL,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  TRUE,
  ZERO,
} from "./ascii";
import { Column, Kind } from "./column";
import { codeOf } from "./dictionary";
import { readGeometry, runEnd } from "./read-geometry";
import { readNumber } from "./read-number";
import { endOfPlain, scanValue } from "./scan-json";

/** High words of cells, and low words of literals: see `cell.ts`. */
const NULL_CELL: u32 = 0xfff90000;
const BOOLEAN_CELL: u32 = 0xfff90001;
const WORD_CELL: u32 = 0xfffa0000;
const TEXT_CELL: u32 = 0xfffb0000;
const JSON_CELL: u32 = 0xfffc0000;
const GEOMETRY_CELL: u32 = 0xfffe0000;
const UUID_CELL: u32 = 0xffff0000;

/** Maximum length of a string in a cell, in bytes. */
const LONGEST: usize = 0xffff;
const UUID_LENGTH = 36;

/** Strings for the heap: address of the next one, end of the buffer, and its position in the heap. */
export let texts: usize = 0;
let textBound: usize = 0;
let textPosition: u32 = 0;

/**
 * Numbers of geometries, in the same way. Without a column of geometries, they belong to a former reader, and are not
 * used.
 */
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
 * @returns the position after it; 0 if it must be read in TypeScript, because it is malformed, irregular, new, or the
 * buffer is full
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
  if (byte === OPEN_BRACE && column.kind === Kind.geometry) return readGeometryCell(start, cell);
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
  // The buffer has room for the bytes copied beyond the end.
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
function readGeometryCell(start: usize, cell: usize): usize {
  const end = readGeometry(start, numbers, numberBound);
  if (end === 0) return 0;
  box(cell, GEOMETRY_CELL, numberPosition, end);
  const count = <u32>((runEnd() - numbers) >> 3);
  numbers = runEnd();
  numberPosition += count;
  return end;
}

/**
 * Reads the UUID of 36 bytes at `start` as four words at `out`.
 *
 * @returns whether it is a UUID in lower case
 */
@inline
function readUuid(start: usize, out: usize): bool {
  const hasHyphens =
    load<u8>(start, 8) === MINUS &&
    load<u8>(start, 13) === MINUS &&
    load<u8>(start, 18) === MINUS &&
    load<u8>(start, 23) === MINUS;
  if (!hasHyphens) return false;
  const a = v128.load(start);
  const b = v128.load(start, 16);
  const c = v128.load(start, 20);
  const high = hexNumbers(v128.shuffle<u8>(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17));
  const low = hexNumbers(v128.shuffle<u8>(b, c, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 28, 29, 30, 31));
  // Bytes other than digits are above 15.
  if (i8x16.bitmask(i8x16.gt_u(v128.or(high, low), i8x16.splat(15))) !== 0) return false;
  const bytes = i8x16.narrow_i16x8_u(hexPairs(high), hexPairs(low));
  // The first digits are the most significant.
  v128.store(out, v128.shuffle<u8>(bytes, bytes, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
  return true;
}

/** The numbers of 16 digits; 0xff for other bytes. */
@inline
function hexNumbers(bytes: v128): v128 {
  const digits = i8x16.sub(bytes, i8x16.splat(0x30));
  const letters = i8x16.sub(bytes, i8x16.splat(0x61));
  const isLetter = i8x16.le_u(letters, i8x16.splat(5));
  const isNumeral = i8x16.le_u(digits, i8x16.splat(9));
  const found = v128.bitselect(i8x16.add(letters, i8x16.splat(10)), digits, isLetter);
  return v128.or(found, v128.not(v128.or(isLetter, isNumeral)));
}

/** Adjacent digits combined, each pair in 16 bits. */
@inline
function hexPairs(digits: v128): v128 {
  return v128.or(
    i16x8.shl(v128.and(digits, i16x8.splat(0x0f)), 4),
    i16x8.shr_u(digits, 8),
  );
}

/** The years in which microseconds since 1970 are exact in a double. */
const FIRST_YEAR: u32 = 1970;
const LAST_YEAR: u32 = 2254;

/** The separators between the numbers of the first 16 bytes, at their positions. */
const MARKS = i8x16(0, 0, 0, 0, 0x2d, 0, 0, 0x2d, 0, 0, 0x54, 0, 0, 0x3a, 0, 0);
const WHERE_MARKS = i8x16(0, 0, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0);

const daysInMonth = memory.data<u8>([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
const decimalUs = memory.data<u32>([0, 100000, 10000, 1000, 100, 10, 1]);

/**
 * Reads the instant at `start`, `YYYY-MM-DDThh:mm:ss` with the decimals and the suffix of its column, as microseconds
 * since 1970 into the double at `out`.
 *
 * @returns whether it has this form, is valid, and is in the years that are exact
 */
@inline
function readInstant(start: usize, out: usize, column: Column): bool {
  const head = v128.load(start);
  if (load<u8>(start, 16) !== COLON || v128.any_true(v128.and(v128.xor(head, MARKS), WHERE_MARKS))) return false;
  const bytes = v128.shuffle<u8>(head, v128.load(start, 16), 0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 17, 18);
  const digits = i8x16.sub(bytes, i8x16.splat(<i8>ZERO));
  if (v128.any_true(i8x16.gt_u(digits, i8x16.splat(9)))) return false;
  // Adjacent digits combined: the first of a pair is the lower byte.
  const tens = i16x8.mul(v128.and(digits, i16x8.splat(0xff)), i16x8.splat(10));
  const pairs = i16x8.add(tens, i16x8.shr_u(digits, 8));
  const year = <u32>i16x8.extract_lane_u(pairs, 0) * 100 + <u32>i16x8.extract_lane_u(pairs, 1);
  const month = <u32>i16x8.extract_lane_u(pairs, 2);
  const day = <u32>i16x8.extract_lane_u(pairs, 3);
  const hour = <u32>i16x8.extract_lane_u(pairs, 4);
  const minute = <u32>i16x8.extract_lane_u(pairs, 5);
  const second = <u32>i16x8.extract_lane_u(pairs, 6);
  if (year < FIRST_YEAR || year > LAST_YEAR || month - 1 > 11) return false;
  if (day - 1 >= daysOf(year, month) || hour > 23 || minute > 59 || second > 59) return false;
  const decimals = column.decimals;
  const zone: usize = start + (decimals > 0 ? 20 + decimals : 19);
  let fraction: u32 = 0;
  if (decimals > 0) {
    if (load<u8>(start, 19) !== DOT) return false;
    for (let p = start + 20; p < zone; p += 1) {
      const byte: u32 = load<u8>(p);
      if (!isDigit(byte)) return false;
      fraction = fraction * 10 + byte - ZERO;
    }
    fraction *= load<u32>(decimalUs + 4 * decimals);
  }
  const suffixLength = column.suffixLength;
  for (let n: u32 = 0; n < suffixLength; n += 1) if (load<u8>(zone + n) !== load<u8>(column.suffix + n)) return false;
  const seconds = <i64>((hour * 60 + minute) * 60 + second) + 86400 * <i64>daysBefore(year, month, day);
  store<f64>(out, <f64>(seconds * 1000000 + <i64>fraction) - column.offsetUs);
  return true;
}

@inline
function isLeap(year: u32): bool {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

@inline
function daysOf(year: u32, month: u32): u32 {
  return <u32>load<u8>(daysInMonth + month - 1) + <u32>(month === 2 && isLeap(year));
}

/** Days from 1970 to a day. Years begin in March here, so that a leap day is their last day. */
@inline
function daysBefore(year: u32, month: u32, day: u32): u32 {
  const y = month > 2 ? year : year - 1;
  const m = month > 2 ? month - 3 : month + 9;
  return y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}
