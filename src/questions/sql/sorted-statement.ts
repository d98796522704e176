/** A statement with a column that is there to sort by. */
export interface SortedStatement {
  readonly sql: string;
  /** Name of the column. */
  readonly sortedBy: string;
}
