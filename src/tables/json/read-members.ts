import { ascii } from "./ascii.js";
import { MALFORMED, scanKey, scanText, skipSpace } from "./scan-json.js";

/** Reads the value of a member or element. Returns the position after it, or `MALFORMED`. */
export type ReadValue<K> = (key: K, start: number) => number;

/**
 * Reads the object at `start` member by member, in the order of the text, repeated keys included.
 *
 * @returns the position after the object, or `MALFORMED`
 */
export function readMembers(bytes: Uint8Array, start: number, readValue: ReadValue<string>): number {
  return readItems(bytes, start, ascii.openBrace, (p) => {
    const value = scanKey(bytes, p);
    return value === MALFORMED ? MALFORMED : readValue(textAt(bytes, p), value);
  });
}

/**
 * Reads the array at `start` element by element.
 *
 * @returns the position after the array, or `MALFORMED`
 */
export function readElements(bytes: Uint8Array, start: number, readValue: ReadValue<number>): number {
  let index = 0;
  return readItems(bytes, start, ascii.openBracket, (p) => {
    index += 1;
    return readValue(index - 1, p);
  });
}

function readItems(bytes: Uint8Array, start: number, open: number, readItem: (p: number) => number): number {
  if (bytes[start] !== open) return MALFORMED;
  const close = open + 2;
  let p = skipSpace(bytes, start + 1);
  if (bytes[p] === close) return p + 1;
  for (;;) {
    p = readItem(p);
    if (p === MALFORMED) return MALFORMED;
    p = skipSpace(bytes, p);
    if (bytes[p] === close) return p + 1;
    if (bytes[p] !== ascii.comma) return MALFORMED;
    p = skipSpace(bytes, p + 1);
  }
}

function textAt(bytes: Uint8Array, start: number): string {
  const text: unknown = jsonAt(bytes, start, scanText(bytes, start));
  return String(text);
}

/** The value of a slice that is known to be JSON in UTF-8. */
export function jsonAt(bytes: Uint8Array, start: number, end: number): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString());
}
