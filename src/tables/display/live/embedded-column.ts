/** What the cells of a column are. Numbers and dates are sorted by their size, texts as people sort them. */
export type ColumnKind = "number" | "date" | "text";

/** Values that are neither a number nor a text: by row, with what is shown. Rows that hold null are not among them. */
export type OddCells = readonly (readonly [row: number, text: string])[];

/** The embedded values of a column. */
export type EmbeddedColumn = EmbeddedNumbers | EmbeddedTexts;

/** Numbers, or milliseconds since 1970; null where there is none. */
export interface EmbeddedNumbers {
  readonly kind: "number" | "date";
  readonly numbers: readonly (number | null)[];
  /** Of which all numbers are multiples, and in which they are given; 1 where it is left out. */
  readonly unit?: number;
  /** What is to be added to each, in units. */
  readonly from?: number;
  /** Whether each number is given as its distance from the one before it. */
  readonly isDelta?: true;
  readonly odd?: OddCells;
}

/** Each text once, and for each row its place among them; -1 where there is none. */
export interface EmbeddedTexts {
  readonly kind: "number" | "text";
  readonly texts: readonly string[];
  readonly codes: readonly number[];
  readonly odd?: OddCells;
}
