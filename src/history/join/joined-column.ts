import type { Column } from "../../tables/column/column.js";
import { UNCHANGED } from "../cell/cell-state.js";
import { type DecidedCells, REASONS } from "./decided-cells.js";

/** The values that cells say: of a dictionary, or what records hold where nothing was ever changed. */
export class JoinedColumn implements Column {
  readonly length: number;
  readonly #decide: () => DecidedCells;
  /** The values that codes stand for; null for the reasons why there is none. */
  readonly #dictionary: readonly unknown[];
  readonly #features: Int32Array;
  readonly #present: Column;
  #codes: DecidedCells["codes"] | undefined;

  /**
   * @param decide is called when the first value is read
   * @param values the log's dictionary
   * @param features row of each one's feature
   * @param present what the records of features hold
   */
  constructor(decide: () => DecidedCells, values: readonly unknown[], features: Int32Array, present: Column) {
    this.length = features.length;
    this.#decide = decide;
    this.#dictionary = [...new Array<null>(REASONS).fill(null), ...values];
    this.#features = features;
    this.#present = present;
  }

  at(row: number): unknown {
    const code = (this.#codes ?? this.#read())[row];
    if (code === undefined) return undefined;
    return code === UNCHANGED + REASONS ? this.#presentAt(row) : this.#dictionary[code];
  }

  /** All values in an array. */
  allValues(): unknown[] {
    const codes = this.#codes ?? this.#read();
    const dictionary = this.#dictionary;
    const values = new Array<unknown>(codes.length);
    for (let row = 0; row < codes.length; row += 1) {
      const code = codes[row] as number;
      values[row] = code === UNCHANGED + REASONS ? this.#presentAt(row) : dictionary[code];
    }
    return values;
  }

  #read(): DecidedCells["codes"] {
    this.#codes = this.#decide().codes;
    return this.#codes;
  }

  #presentAt(row: number): unknown {
    return this.#present.at(this.#features[row] as number) ?? null;
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }
}
