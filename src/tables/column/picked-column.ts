import type { Column } from "./column.js";

/** A column's values in some of its rows, or in another order, without a copy. */
export class PickedColumn<T = unknown> implements Column<T | undefined> {
  readonly length: number;
  /** The column that is picked from. */
  readonly source: Column<T>;
  readonly #rows: Int32Array | Uint32Array;

  constructor(source: Column<T>, rows: Int32Array | Uint32Array) {
    this.length = rows.length;
    this.source = source;
    this.#rows = rows;
  }

  at(index: number): T | undefined {
    const row = this.#rows[index];
    return row === undefined ? undefined : this.source.at(row);
  }

  /** The row of the source that a row is. */
  rowAt(index: number): number {
    return this.#rows[index] as number;
  }

  *[Symbol.iterator](): Iterator<T | undefined> {
    for (const row of this.#rows) yield this.source.at(row);
  }
}
