import { MINUS } from "./ascii";

/**
 * Reads the UUID of 36 bytes at `start` as four words at `out`.
 *
 * @returns whether it is one in lower case
 */
@inline
export function readUuid(start: usize, out: usize): bool {
  const hasHyphens =
    load<u8>(start, 8) === MINUS &&
    load<u8>(start, 13) === MINUS &&
    load<u8>(start, 18) === MINUS &&
    load<u8>(start, 23) === MINUS;
  if (!hasHyphens) return false;
  const a = v128.load(start);
  const b = v128.load(start, 16);
  const c = v128.load(start, 20);
  const high = numbers(v128.shuffle<u8>(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17));
  const low = numbers(v128.shuffle<u8>(b, c, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 28, 29, 30, 31));
  // Bytes that are no digits are above 15.
  if (i8x16.bitmask(i8x16.gt_u(v128.or(high, low), i8x16.splat(15))) !== 0) return false;
  const bytes = i8x16.narrow_i16x8_u(pairs(high), pairs(low));
  // The first digits are the most significant.
  v128.store(out, v128.shuffle<u8>(bytes, bytes, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
  return true;
}

/** The numbers of 16 digits; 0xff for what is none. */
@inline
function numbers(bytes: v128): v128 {
  const digits = i8x16.sub(bytes, i8x16.splat(0x30));
  const letters = i8x16.sub(bytes, i8x16.splat(0x61));
  const isLetter = i8x16.le_u(letters, i8x16.splat(5));
  const isDigit = i8x16.le_u(digits, i8x16.splat(9));
  const found = v128.bitselect(i8x16.add(letters, i8x16.splat(10)), digits, isLetter);
  return v128.or(found, v128.not(v128.or(isLetter, isDigit)));
}

/** Neighbours put together, each pair in 16 bits. */
@inline
function pairs(digits: v128): v128 {
  return v128.or(
    i16x8.shl(v128.and(digits, i16x8.splat(0x0f)), 4),
    i16x8.shr_u(digits, 8),
  );
}
