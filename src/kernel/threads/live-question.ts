/** What the cells are asked for about values that live in their session. Plain data. */
export interface LiveQuestion {
  /** Paths to what may be a table, such as `["layer", "table"]`. The first one that is a table counts. */
  readonly tables: readonly (readonly string[])[];
  /** The column whose values are wanted; else the names of columns are. */
  readonly column?: string;
  /** The same, where the table has a column of this name. */
  readonly key?: string;
}
