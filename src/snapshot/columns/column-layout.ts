import type { InstantForm } from "../../tables/cells/instant-form.js";
import type { TypeCounts } from "../../tables/column/count-types.js";

/**
 * How the values of a column lie in their bytes.
 *
 * - `number`: doubles, NaN for null.
 * - `instant`: microseconds since 1970 as doubles, NaN for null; `form` gives the texts back.
 * - `code8`, `code16`: distinct JSON values as the text of an array, `textBytes` long, padded to 8 bytes; then a code
 *   a row: the position in the array, from 1; 0 for null.
 * - `text`: `rows + 1` positions of 32 bits, then texts in UTF-8, each with one byte more behind it; null has none.
 * - `json`: the same with JSON texts as they came.
 */
export type ColumnKind = "number" | "instant" | "code8" | "code16" | "text" | "json";

/** One column of a column file. */
export interface ColumnEntry {
  /** Member of the record, or of its `properties`. */
  readonly name: string;
  readonly isProperty: boolean;
  readonly kind: ColumnKind;
  /** Where the bytes begin, counted from the end of the header. */
  readonly offset: number;
  readonly bytes: number;
  readonly counts: TypeCounts;
  /** Where the bits of the rows that have the member begin, low bit first; absent if every row has it. */
  readonly presentOffset?: number;
  readonly form?: InstantForm;
  readonly textBytes?: number;
}

/** The header of a column file. */
export interface ColumnHeader {
  readonly rows: number;
  readonly columns: readonly ColumnEntry[];
}

/** A column file begins with this, the length of the header as 32 bits, and the header: JSON padded with spaces. */
export const MAGIC = Buffer.from("SFCOLS01");
export const PRELUDE_BYTES = 16;

/** The column of the records where they are kept whole. */
export const RECORD_COLUMN = "record";

/** Whole words: typed arrays begin at multiples of 8. */
export function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
