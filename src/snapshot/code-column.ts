import type { FilterValue } from "../api/params.js";

/** A column as small numbers, one for each distinct value, so that a filter is a look-up a row. */
export class CodeColumn {
  readonly #codes: Uint32Array;
  readonly #codeOf = new Map<FilterValue, number>();
  #lastValue: FilterValue | undefined;
  #lastCode = 0;

  constructor(rows: number) {
    this.#codes = new Uint32Array(rows);
  }

  set(row: number, value: FilterValue): void {
    // Neighbours are often equal.
    if (value !== this.#lastValue) {
      this.#lastCode = this.#codeOf.get(value) ?? this.#codeOf.size;
      this.#codeOf.set(value, this.#lastCode);
      this.#lastValue = value;
    }
    this.#codes[row] = this.#lastCode;
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
}

/** A row passes if its code is allowed. */
export interface RowTest {
  readonly codes: Uint32Array;
  readonly allowed: Uint8Array;
}

/** The rows that pass every test, in the order given. */
export function passingRows(rows: Uint32Array, tests: readonly RowTest[]): Uint32Array {
  let passing = rows;
  for (const { codes, allowed } of tests) {
    const kept = new Uint32Array(passing.length);
    let count = 0;
    for (let index = 0; index < passing.length; index++) {
      const row = passing[index] ?? 0;
      // Written always and counted if allowed: a branch that is taken at random costs more.
      kept[count] = row;
      count += allowed[codes[row] ?? 0] ?? 0;
    }
    passing = kept.subarray(0, count);
  }
  return passing;
}
