import {
  ALSE,
  BACKSLASH,
  CLOSE_BRACE,
  COLON,
  COMMA,
  DOT,
  isDigit,
  LOWER_E,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  LOWER_U,
  MINUS,
  NULL,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  QUOTE,
  SPACE,
  skipSpace,
  TRUE,
  ZERO,
} from "./ascii";

/** Deeper values are left to readers without a recursion limit. */
const DEEPEST = 32;

/** Position of the first quote, backslash or control character, 16 bytes at once. Zeros follow the window. */
@inline
export function endOfPlain(start: usize): usize {
  let p = start;
  while (true) {
    const bytes = v128.load(p);
    const found = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH))),
      i8x16.lt_u(bytes, i8x16.splat(<i8>SPACE)),
    );
    const mask = i8x16.bitmask(found);
    if (mask !== 0) return p + <usize>ctz<i32>(mask);
    p += 16;
  }
}

/** Position after the value of any type that starts at `start`; 0 if it is malformed, ends too late or is too deep. */
export function scanValue(start: usize, depth: i32): usize {
  const byte: u32 = load<u8>(start);
  if (byte === QUOTE) return scanText(start);
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return depth < DEEPEST ? scanContainer(start, byte, depth) : 0;
  if (byte === MINUS || isDigit(byte)) return scanNumber(start);
  if (byte === LOWER_N) return load<u32>(start) === NULL ? start + 4 : 0;
  if (byte === LOWER_T) return load<u32>(start) === TRUE ? start + 4 : 0;
  return byte === LOWER_F && load<u32>(start + 1) === ALSE ? start + 5 : 0;
}

function scanContainer(start: usize, open: u32, depth: i32): usize {
  const close = open + 2; // The codes of `[` and `]`, and of `{` and `}`, differ by two.
  let p = skipSpace(start + 1);
  if (load<u8>(p) === close) return p + 1;
  while (true) {
    if (close === CLOSE_BRACE) {
      if (load<u8>(p) !== QUOTE) return 0;
      p = scanText(p);
      if (p === 0) return 0;
      p = skipSpace(p);
      if (load<u8>(p) !== COLON) return 0;
      p = skipSpace(p + 1);
    }
    p = scanValue(p, depth + 1);
    if (p === 0) return 0;
    p = skipSpace(p);
    if (load<u8>(p) === close) return p + 1;
    if (load<u8>(p) !== COMMA) return 0;
    p = skipSpace(p + 1);
  }
}

function scanText(start: usize): usize {
  let p = start + 1;
  while (true) {
    p = endOfPlain(p);
    const byte: u32 = load<u8>(p);
    if (byte === QUOTE) return p + 1;
    if (byte !== BACKSLASH) return 0;
    const escaped: u32 = load<u8>(p + 1);
    if (escaped === LOWER_U) {
      for (let digit: usize = 2; digit < 6; digit += 1) if (!isHexDigit(load<u8>(p + digit))) return 0;
      p += 6;
    } else {
      if (!isSimpleEscape(escaped)) return 0;
      p += 2;
    }
  }
}

function scanNumber(start: usize): usize {
  let p = load<u8>(start) === MINUS ? start + 1 : start;
  const whole = p;
  p = skipDigits(p);
  if (p === whole || (load<u8>(whole) === ZERO && p > whole + 1)) return 0;
  if (load<u8>(p) === DOT) {
    const fraction = p + 1;
    p = skipDigits(fraction);
    if (p === fraction) return 0;
  }
  if ((load<u8>(p) | 0x20) === LOWER_E) {
    const sign: u32 = load<u8>(p + 1);
    const exponent = p + (sign === PLUS || sign === MINUS ? 2 : 1);
    p = skipDigits(exponent);
    if (p === exponent) return 0;
  }
  return p;
}

@inline
function skipDigits(start: usize): usize {
  let p = start;
  while (isDigit(load<u8>(p))) p += 1;
  return p;
}

@inline
function isHexDigit(byte: u32): bool {
  return isDigit(byte) || (byte | 0x20) - 0x61 <= 5;
}

/** One of `"\/bfnrt`. */
@inline
function isSimpleEscape(byte: u32): bool {
  return (
    byte === QUOTE ||
    byte === BACKSLASH ||
    byte === 0x2f ||
    byte === 0x62 ||
    byte === 0x66 ||
    byte === LOWER_N ||
    byte === 0x72 ||
    byte === LOWER_T
  );
}
