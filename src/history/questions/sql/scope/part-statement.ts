/** A statement about some features, whose rows become a result with those about the others. */
export interface PartStatement {
  readonly sql: string;
  /**
   * What makes the result of all rows: SELECTs from a table, each from what the one before made, in the words of an engine
   * that keeps the order of rows.
   */
  readonly afterwards: readonly ((table: string) => string)[];
}
