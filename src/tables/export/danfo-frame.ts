/** The part of a Danfo frame that Siteframe promises, whichever of Danfo's packages made it. */
export interface DanfoFrame {
  /** Names of the columns. */
  readonly columns: string[];
  /** Danfo's type of each column: `float32`, `string`, `boolean` and so on. */
  readonly dtypes: string[];
  /** Rows and columns. */
  readonly shape: number[];
  /** The values, row by row. */
  readonly values: unknown[][];
  /**
   * Prints the frame as text.
   *
   * @param rows how many to print; Danfo's own number if absent
   */
  print(rows?: number): void;
  // Danfo's own types name packages that are optional here.
  readonly [member: string]: unknown;
}

/**
 * The part of Danfo that makes frames.
 *
 * @typeParam Frame the frame of the package that is installed, as its own types have it
 */
export interface Danfo<Frame extends object = DanfoFrame> {
  readonly DataFrame: new (
    rows: unknown[][],
    options: { readonly columns: string[]; readonly dtypes: string[] },
  ) => Frame;
}
