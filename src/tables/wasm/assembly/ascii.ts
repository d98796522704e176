/** Bytes with a meaning in JSON. */
export const TAB: u32 = 0x09;
export const LINE_FEED: u32 = 0x0a;
export const CARRIAGE_RETURN: u32 = 0x0d;
export const SPACE: u32 = 0x20;
export const QUOTE: u32 = 0x22;
export const PLUS: u32 = 0x2b;
export const COMMA: u32 = 0x2c;
export const MINUS: u32 = 0x2d;
export const DOT: u32 = 0x2e;
export const ZERO: u32 = 0x30;
export const COLON: u32 = 0x3a;
export const OPEN_BRACKET: u32 = 0x5b;
export const BACKSLASH: u32 = 0x5c;
export const CLOSE_BRACKET: u32 = 0x5d;
export const LOWER_E: u32 = 0x65;
export const LOWER_F: u32 = 0x66;
export const LOWER_N: u32 = 0x6e;
export const LOWER_T: u32 = 0x74;
export const LOWER_U: u32 = 0x75;
export const OPEN_BRACE: u32 = 0x7b;
export const CLOSE_BRACE: u32 = 0x7d;

/** `null`, `true`, and the bytes after the f of `false`. */
export const NULL: u32 = 0x6c6c756e;
export const TRUE: u32 = 0x65757274;
export const ALSE: u32 = 0x65736c61;

@inline
export function isDigit(byte: u32): bool {
  return byte - ZERO <= 9;
}

@inline
export function skipSpace(start: usize): usize {
  let p = start;
  while (true) {
    const byte: u32 = load<u8>(p);
    if (byte > SPACE || (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB)) return p;
    p += 1;
  }
}
