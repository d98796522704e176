/**
 * What a column file of property changes holds, in the order of the rows of its Parquet file: by feature, so that the
 * changes of one feature are a run of rows.
 *
 * - `features`, `starts`: the feature of each run as a double; its first row as 32 bits, and behind the last the number
 *   of rows.
 * - `ids`: 16 bytes each, as four words of 32 bits.
 * - `times`: microseconds since 1970 as doubles; NaN where `created_at` is no instant.
 * - `flags`: a byte of `changeFlags`.
 * - `causes`: 16 bytes for each change that is flagged to have one.
 * - `keys`, `values`, `users`: codes in 1, 2 or 4 bytes; their `…List` is what they stand for, as the text of a JSON array.
 *   Keys are canonical. Values are as they came, so that one value may have several codes.
 */
export const changeSections = [
  "features",
  "starts",
  "ids",
  "times",
  "flags",
  "causes",
  "keys",
  "keysList",
  "values",
  "valuesList",
  "users",
  "usersList",
] as const;

export type ChangeSection = (typeof changeSections)[number];

/** The columns whose values have codes. */
export type CodedSection = "keys" | "values" | "users";

/** Where the bytes of a section begin, counted from the end of the header, and how many there are. */
export interface SectionPlace {
  readonly offset: number;
  readonly bytes: number;
}

/** The header of a column file of property changes. */
export interface ChangeHeader {
  readonly rows: number;
  /** How many times are no instant. */
  readonly undated: number;
  readonly sections: Readonly<Record<ChangeSection, SectionPlace>>;
}
