/**
 * A cell is 64 bits: a number as a double, and other values inside a NaN.
 *
 * JSON has no NaN, so the NaNs with the sign bit and the quiet bit set are free: in the high word 13 bits that mark
 * them, 3 bits of tag and 16 bits of length; in the low word 32 bits of payload. Thus every column can hold every JSON
 * value exactly, without an object per value.
 */
export const BOXED = 0xfff80000;

/** Contents of cells other than numbers, with the meaning of their payload and length. */
export const tags = {
  /** The record lacks the member. */
  absent: 0,
  /** null, false or true: payload 0, 1, 2; the length is 0 only for null. */
  literal: 1,
  /** A string in the column's dictionary: its code. */
  word: 2,
  /** A string in the heap: position and length. */
  text: 3,
  /** An array or object as JSON text in the heap: position and length. */
  json: 4,
  /** Any other value: its index. */
  other: 5,
  /** A geometry in flat coordinates: its position. */
  geometry: 6,
  /** A UUID in lower case: its index. */
  uuid: 7,
} as const;

/** Maximum length of a string in a cell, in bytes. */
export const LONGEST = 0xffff;

/** Indices of a double's high word and low word. */
export const HIGH = new Uint32Array(Float64Array.of(1).buffer)[0] === 0 ? 1 : 0;
export const LOW = 1 - HIGH;

export const literalValues: readonly (boolean | null)[] = [null, false, true];

/** The tag of a boxed cell. */
export function tagOf(high: number): number {
  return (high >>> 16) & 7;
}

/** The high word of a boxed cell. */
export function boxed(tag: number, length = 0): number {
  return (BOXED | (tag << 16) | length) >>> 0;
}

/** The high word of a cell that holds null. */
export const NULL_CELL = boxed(tags.literal);

/** The high word of a cell that holds false or true. */
export const BOOLEAN_CELL = boxed(tags.literal, 1);

/** Both words of an absent cell. They are equal, so that `fill` can make columns absent. */
export const ABSENT = boxed(tags.absent);

/** The high word of a cell that holds a UUID in lower case. */
export const UUID_CELL = boxed(tags.uuid);

/** Kind of cells with numbers, in addition to the tags. */
export const NUMBER_KIND = 8;

/** The tag of a cell, or `NUMBER_KIND`, by the upper half of its high word. A lookup needs no branch. */
export const cellKinds: Uint8Array = new Uint8Array(1 << 16).fill(NUMBER_KIND);
for (const tag of Object.values(tags)) cellKinds[boxed(tag) >>> 16] = tag;
