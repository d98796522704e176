import type { ColumnKind } from "./embedded-column.js";

/** What a column holds, of all rows of its table or of those that were looked at. */
export interface ColumnSummary {
  readonly kind: ColumnKind;
  /** Rows looked at. */
  readonly rows: number;
  /** Those that hold null, `undefined` or `NaN`. */
  readonly nulls: number;
  /** How many values are different; undefined where that was not counted. */
  readonly distinct?: number;
  /** Whether there are more than `distinct` says. */
  readonly isMore?: true;
  /** Of numbers and dates: from the least to the greatest. */
  readonly range?: readonly [least: number, greatest: number];
  /**
   * Of numbers and dates: how wide each bar is, how many such widths before the first one, and what
   * falls into each: bar n holds the values of which `Math.floor(value / step)` is `first + n`.
   */
  readonly bars?: { readonly first: number; readonly step: number; readonly counts: readonly number[] };
  /** Of texts: the most frequent, with their counts. */
  readonly top?: readonly (readonly [text: string, count: number])[];
}
