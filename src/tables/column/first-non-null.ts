import type { Column } from "./column.js";

/** Several columns as one: in each row the first value that is not null. */
export class FirstNonNull implements Column {
  readonly length: number;
  readonly #columns: readonly Column[];

  constructor(length: number, columns: readonly Column[]) {
    this.length = length;
    this.#columns = columns;
  }

  at(row: number): unknown {
    for (const column of this.#columns) {
      const value = column.at(row);
      if (value !== null && value !== undefined) return value;
    }
    return null;
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }
}
