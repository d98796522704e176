/** The part of a Danfo frame that Siteframe guarantees for all of Danfo's packages. */
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
   * @param rows number of rows to print. Default: Danfo's own
   */
  print(rows?: number): void;
  // Danfo's own types are in optional packages.
  readonly [member: string]: unknown;
}

/**
 * The part of Danfo that creates frames.
 *
 * @typeParam Frame the frame type of the installed package
 */
export interface Danfo<Frame extends object = DanfoFrame> {
  readonly DataFrame: new (
    rows: unknown[][],
    options: { readonly columns: string[]; readonly dtypes: string[] },
  ) => Frame;
}
