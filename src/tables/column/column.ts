/**
 * A column of values, one a row. Arrays and typed arrays are columns; so is every object of this form, and Arquero
 * takes them as they are, without a copy.
 */
export interface Column<T = unknown> {
  readonly length: number;
  at(row: number): T | undefined;
  [Symbol.iterator](): Iterator<T>;
}
