import { parseInstant } from "../../core/instant.js";
import type { TypeCounts } from "../column/count-types.js";
import type { RecordColumn } from "../column/record-column.js";
import { CellColumn } from "./cell-column.js";
import type { CellStore } from "./cell-store.js";
import { type InstantForm, writeInstant } from "./instant-form.js";

/** A column of timestamps: the texts that came, and the instants that they mean. */
export class InstantColumn implements RecordColumn {
  readonly length: number;
  readonly #cells: CellColumn;
  readonly #form: InstantForm | undefined;

  constructor(words: Uint32Array, store: CellStore, form: InstantForm | undefined) {
    this.#cells = new CellColumn(words, store);
    this.length = this.#cells.length;
    this.#form = form;
  }

  at(row: number): unknown {
    const value = this.#cells.at(row);
    return this.#form && this.#cells.isNumber(row) ? writeInstant(Number(value), this.#form) : value;
  }

  /** Whether every text names its zone. */
  get isZoned(): boolean {
    return this.#form !== undefined && this.#form.suffix !== "" && this.#cells.countTypes().string === 0;
  }

  /** Rows whose value does not have the column's form, and so may be no instant that exists. */
  rowsWithoutForm(): readonly number[] {
    return this.#cells.rowsWithoutNumber();
  }

  /** Microseconds since 1970 of every row, where all texts have the column's form and that names a zone. */
  zonedUs(): Float64Array | undefined {
    return this.#form?.suffix ? this.#cells.numbers() : undefined;
  }

  /** Microseconds since 1970; NaN where the value is no instant. */
  us(row: number): number {
    const value = this.#cells.at(row);
    if (typeof value === "string") return parseInstant(value)?.us ?? Number.NaN;
    return this.#cells.isNumber(row) ? Number(value) : Number.NaN;
  }

  has(row: number): boolean {
    return this.#cells.has(row);
  }

  countTypes(): TypeCounts {
    const counts = this.#cells.countTypes();
    return { ...counts, number: 0, string: counts.string + counts.number };
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }
}
