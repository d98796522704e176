/** The data of a drawn mark in a frame. Positions are in the chart's pixels, one per row. */
export interface TooltipMark {
  readonly kind: "box" | "path" | "shape" | "dot";
  readonly x?: readonly number[];
  readonly y?: readonly number[];
  /** The opposite edges of boxes. */
  readonly x2?: readonly number[];
  readonly y2?: readonly number[];
  readonly channels: readonly TooltipChannel[];
  /** The values in the legend, if colors represent values. */
  readonly series?: Series;
  /** Row of each drawn element, if there is not one per row; -1 for none. */
  readonly rows?: readonly number[];
  /** For several paths, the path of each row. */
  readonly paths?: readonly number[];
  /** For step curves: which of two points determines the value between them. */
  readonly step?: Step;
}

export type Step = "before" | "after" | "middle";

/** A channel in a tooltip: a string for each row. */
export interface TooltipChannel {
  /** `x`, `fill` and so on, or the name of a custom channel; `title` is a custom text without label. */
  readonly name: string;
  /** Empty for text without label. */
  readonly label: string;
  /** Codes of `texts`. */
  readonly codes: readonly number[];
  readonly texts: readonly string[];
  /** Its column, if that is not the label. */
  readonly column?: string;
  /**
   * The value of a table's cells for each text, if it is not the text itself; empty if no row has it, because it was
   * computed from several.
   */
  readonly is?: readonly CellMatch[];
}

/**
 * Condition for a cell: a string, a number or the milliseconds of a date, a range (end excluded), or a missing value.
 */
export type CellMatch = string | number | null | readonly [from: number, to: number];

export interface Series {
  /** One per row. */
  readonly codes: readonly number[];
  readonly labels: readonly string[];
  readonly colours: readonly string[];
}
