import type { FilterValue } from "../../api/params.js";

/** A column as small numbers, one for each distinct value, so that a filter is a look-up a row. */
export class CodeColumn {
  readonly #codes: Uint32Array;
  readonly #codeOf = new Map<FilterValue, number>();

  constructor(rows: number) {
    this.#codes = new Uint32Array(rows);
  }

  /** Sets the values of some rows: `values` holds one for each. */
  fill(rows: Uint32Array, values: { getItem(index: number): unknown }): void {
    let lastValue: FilterValue | undefined;
    let code = 0;
    for (let index = 0; index < rows.length; index++) {
      const value = values.getItem(index) as FilterValue;
      // Neighbours are often equal.
      if (value !== lastValue) code = this.#code(value);
      lastValue = value;
      this.#codes[rows[index] ?? 0] = code;
    }
  }

  /** A test of rows: 1 at the code of each value that is among `values`. */
  test(values: readonly FilterValue[]): RowTest {
    const allowed = new Uint8Array(this.#codeOf.size);
    for (const value of values) {
      const code = this.#codeOf.get(value);
      if (code !== undefined) allowed[code] = 1;
    }
    return { codes: this.#codes, allowed };
  }

  #code(value: FilterValue): number {
    const known = this.#codeOf.get(value);
    if (known !== undefined) return known;
    const code = this.#codeOf.size;
    this.#codeOf.set(value, code);
    return code;
  }
}

/** A row passes if its code is allowed. */
export interface RowTest {
  readonly codes: Uint32Array;
  readonly allowed: Uint8Array;
}
