import { COLON, DOT, isDigit, ZERO } from "./ascii";
import { Column } from "./column";

/** The years in which microseconds since 1970 are exact in a double. */
const FIRST_YEAR: u32 = 1970;
const LAST_YEAR: u32 = 2254;

/** What stands between the numbers of the first 16 bytes, and where. */
const MARKS = i8x16(0, 0, 0, 0, 0x2d, 0, 0, 0x2d, 0, 0, 0x54, 0, 0, 0x3a, 0, 0);
const WHERE_MARKS = i8x16(0, 0, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0);

const daysInMonth = memory.data<u8>([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
const decimalUs = memory.data<u32>([0, 100000, 10000, 1000, 100, 10, 1]);

/**
 * Reads the instant at `start`, `YYYY-MM-DDThh:mm:ss` with the decimals and the suffix of its column, as microseconds since
 * 1970 into the double at `out`.
 *
 * @returns whether it is one, lies in the years that are exact, and has this form
 */
@inline
export function readInstant(start: usize, out: usize, column: Column): bool {
  const head = v128.load(start);
  if (load<u8>(start, 16) !== COLON || v128.any_true(v128.and(v128.xor(head, MARKS), WHERE_MARKS))) return false;
  const bytes = v128.shuffle<u8>(head, v128.load(start, 16), 0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 17, 18);
  const digits = i8x16.sub(bytes, i8x16.splat(<i8>ZERO));
  if (v128.any_true(i8x16.gt_u(digits, i8x16.splat(9)))) return false;
  // Neighbours put together: the first of a pair is the lower byte.
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

/** Days from 1970 to a day. Years begin in March here, so that the day of a leap year is their last. */
@inline
function daysBefore(year: u32, month: u32, day: u32): u32 {
  const y = month > 2 ? year : year - 1;
  const m = month > 2 ? month - 3 : month + 9;
  return y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}
