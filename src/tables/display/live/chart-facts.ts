/** What a frame knows of a mark that was drawn. Positions are in the chart's pixels, one for each row. */
export interface TooltipMark {
  readonly kind: "box" | "path" | "shape" | "dot";
  readonly x?: readonly number[];
  readonly y?: readonly number[];
  /** The other edges of boxes. */
  readonly x2?: readonly number[];
  readonly y2?: readonly number[];
  readonly channels: readonly TooltipChannel[];
  /** The values that the legend names, if colours tell values. */
  readonly series?: Series;
  /** Row of each element that was drawn, where they are not one for each row; -1 for none. */
  readonly rows?: readonly number[];
  /** Of paths, if there are several: the path of each row. */
  readonly paths?: readonly number[];
  /** Where the curve of a path is one of steps: which of two points a place between them has its value from. */
  readonly step?: Step;
}

export type Step = "before" | "after" | "middle";

/** A channel as a tooltip shows it: a text for each row. */
export interface TooltipChannel {
  /** `x`, `fill` and so on, and the name of a channel of the user's; `title` is a text of the user's that stands alone. */
  readonly name: string;
  /** Empty where the text stands alone. */
  readonly label: string;
  /** Codes of `texts`. */
  readonly codes: readonly number[];
  readonly texts: readonly string[];
  /** The column that it shows, where that is not the label. */
  readonly column?: string;
  /**
   * What a table has where a text stands, if that is not the text itself; empty where no row has it, since it was computed
   * of several.
   */
  readonly is?: readonly CellMatch[];
}

/** What a cell is: a text, a number or the milliseconds of a date, from one up to another, which is not in it, or nothing. */
export type CellMatch = string | number | null | readonly [from: number, to: number];

export interface Series {
  /** Of each row. */
  readonly codes: readonly number[];
  readonly labels: readonly string[];
  readonly colours: readonly string[];
}
