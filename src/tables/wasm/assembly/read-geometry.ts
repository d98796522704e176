import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACKET } from "./ascii";
import { readNumber } from "./read-number";

/** The beginning of every geometry: `{"type":"`. */
const TYPE = memory.data<u8>([123, 34, 116, 121, 112, 101, 34, 58, 34]);
const TYPE_LENGTH = 9;
/** The bytes between type and coordinates: `","coordinates":`. */
const COORDINATES = memory.data<u8>([34, 44, 34, 99, 111, 111, 114, 100, 105, 110, 97, 116, 101, 115, 34, 58]);
const COORDINATES_LENGTH = 16;

/** By the number of a form: the length of its name, and the nesting depth of a position. */
const LENGTHS = memory.data<u8>([7, 5, 10, 12, 10, 15]);
const DEPTHS = memory.data<u8>([2, 0, 1, 3, 1, 2]);

/** Address of the next number, and the end of the buffer. */
let next: usize = 0;
let bound: usize = 0;
/** Number of coordinates of the first position. */
let dimensions: u32 = 0;

/**
 * Reads the geometry at `start` as a run of numbers at `out`: its form × 4 + dimensions, then counts and coordinates in
 * the order of the text.
 *
 * @returns the position after it; 0 for another form, or if it does not fit before `end`
 */
export function readGeometry(start: usize, out: usize, end: usize): usize {
  if (out >= end || load<u64>(start) !== load<u64>(TYPE) || load<u8>(start, 8) !== 34) return 0;
  const name = start + TYPE_LENGTH;
  const form = formAt(name);
  if (form < 0) return 0;
  const coordinates = name + load<u8>(LENGTHS + form);
  if (!i8x16.all_true(i8x16.eq(v128.load(coordinates), v128.load(COORDINATES)))) return 0;
  next = out + 8;
  bound = end;
  dimensions = 0;
  const after = readNested(coordinates + COORDINATES_LENGTH, load<u8>(DEPTHS + form));
  if (after === 0 || load<u8>(after) !== CLOSE_BRACE) return 0;
  store<f64>(out, <f64>(form * 4 + dimensions));
  return after + 1;
}

/** End of the last run that was read. */
export function runEnd(): usize {
  return next;
}

function readNested(start: usize, depth: i32): usize {
  if (load<u8>(start) !== OPEN_BRACKET) return 0;
  if (depth === 0) return readPosition(start);
  const slot = next;
  next += 8;
  if (next > bound) return 0;
  let p = start;
  let count = 0;
  if (load<u8>(start, 1) === CLOSE_BRACKET) p += 1;
  else {
    do {
      p = depth === 1 ? readPosition(p + 1) : readNested(p + 1, depth - 1);
      if (p === 0) return 0;
      count += 1;
    } while (load<u8>(p) === COMMA);
  }
  store<f64>(slot, <f64>count);
  return load<u8>(p) === CLOSE_BRACKET ? p + 1 : 0;
}

function readPosition(start: usize): usize {
  if (load<u8>(start) !== OPEN_BRACKET || next + 24 > bound) return 0;
  let p = start;
  let count: u32 = 0;
  do {
    if (count === 3) return 0;
    p = readNumber(p + 1, next);
    if (p === 0) return 0;
    next += 8;
    count += 1;
  } while (load<u8>(p) === COMMA);
  if (count < 2 || load<u8>(p) !== CLOSE_BRACKET) return 0;
  if (dimensions === 0) dimensions = count;
  return dimensions === count ? p + 1 : 0;
}

/** The number of the form whose name begins at `p`, in the order of the heap of geometries; below 0 for other names. */
function formAt(p: usize): i32 {
  const isMulti = (load<u64>(p) & FIVE_BYTES) === MULTI;
  const inner = isMulti ? p + 5 : p;
  const eight = load<u64>(inner);
  const form =
    (eight & SEVEN_BYTES) === POLYGON
      ? 0
      : (eight & FIVE_BYTES) === POINT
        ? 1
        : eight === LINE_STRI && load<u16>(inner, 8) === NG
          ? 2
          : -1;
  return form >= 0 && isMulti ? form + 3 : form;
}

const FIVE_BYTES: u64 = 0xffffffffff;
const SEVEN_BYTES: u64 = 0xffffffffffffff;
const POLYGON: u64 = 0x6e6f67796c6f50;
const POINT: u64 = 0x746e696f50;
const LINE_STRI: u64 = 0x69727453656e694c;
const NG: u32 = 0x676e;
const MULTI: u64 = 0x69746c754d;
