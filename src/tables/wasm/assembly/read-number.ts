import { DOT, LOWER_E, MINUS, ZERO } from "./ascii";

/** Number of digits up to which a number and the power of ten of its decimals are exact as doubles. */
const EXACT_DIGITS: usize = 15;

const powers = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
]);
const wholePowers = memory.data<u64>([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000]);

/** The number of the digits that were counted last. */
let digits: u64 = 0;

/**
 * Reads the number at `start` as the double at `out`, bit for bit as `JSON.parse` does: the quotient of two exact
 * doubles is correctly rounded (Clinger 1990).
 *
 * @returns the position after it; 0 for more digits, an exponent, and other text
 */
@inline
export function readNumber(start: usize, out: usize): usize {
  const first = start + <usize>(load<u8>(start) === MINUS);
  digits = 0;
  const whole = readDigits(first);
  if (whole === 0 || (whole > 1 && load<u8>(first) === ZERO)) return 0;
  let p = first + whole;
  let decimals: usize = 0;
  if (load<u8>(p) === DOT) {
    decimals = readDigits(p + 1);
    if (decimals === 0) return 0;
    p += 1 + decimals;
  }
  if (whole + decimals > EXACT_DIGITS || (load<u8>(p) | 0x20) === LOWER_E) return 0;
  let value = <f64>digits;
  if (decimals > 0) value /= load<f64>(powers + 8 * decimals);
  store<f64>(out, first === start ? value : -value);
  return p;
}

/**
 * Appends the digits from `start` on to the number, eight at once: adjacent digits are combined to pairs, then to
 * fours, then to eights. For more than `EXACT_DIGITS` only the count is right.
 *
 * @returns the number of digits
 */
@inline
function readDigits(start: usize): usize {
  let p = start;
  while (true) {
    const eight = load<u64>(p) ^ 0x3030303030303030;
    // The high bit of every byte that is above 9.
    const others = ((eight + 0x7676767676767676) | eight) & 0x8080808080808080;
    const count = <usize>(others === 0 ? 8 : ctz(others) >> 3);
    if (count === 0) return p - start;
    let value = eight << (64 - 8 * <u64>count);
    value = (value * 10 + (value >> 8)) & 0x00ff00ff00ff00ff;
    value = (value * 100 + (value >> 16)) & 0x0000ffff0000ffff;
    value = (value * 10000 + (value >> 32)) & 0xffffffff;
    digits = digits * load<u64>(wholePowers + 8 * count) + value;
    p += count;
    if (count < 8) return p - start;
  }
}
