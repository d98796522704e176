import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { ABSENT, type CellState, UNCHANGED, UNKNOWN } from "../../../cell/cell-state.js";
import { UNCHANGED_MARK, UNKNOWN_MARK } from "../../sql/cell-values.js";
import { JsonValues } from "./json-values.js";

/** What the rows of a result say, by their number. */
export interface SaidAt {
  value(index: number): unknown;
  state(index: number): CellState;
  /** Whether a change says so. */
  isChange(index: number): boolean;
}

/** What cells say, as it comes: JSON texts and marks; null where the feature was absent. */
export class SaidValues {
  readonly #values = new JsonValues();
  readonly #codes = new GrowingArray(Int32Array);

  push(text: unknown): void {
    if (text === null) this.#codes.push(ABSENT);
    else if (text === UNKNOWN_MARK) this.#codes.push(UNKNOWN);
    else if (text === UNCHANGED_MARK) this.#codes.push(UNCHANGED);
    else this.#codes.push(this.#values.code(text));
  }

  /** @param current the current value of the cell that a row is about */
  done(current: (index: number) => unknown): SaidAt {
    const { values } = this.#values;
    const codes = this.#codes.filled();
    const codeAt = (index: number) => codes[index] ?? UNKNOWN;
    return {
      value: (index) => (codeAt(index) === UNCHANGED ? (current(index) ?? null) : (values[codeAt(index)] ?? null)),
      state: (index) => {
        if (codeAt(index) === ABSENT) return "absent";
        if (codeAt(index) === UNKNOWN) return "unknown";
        if (codeAt(index) === UNCHANGED) return "unchanged";
        return codeAt(index) === 0 ? "cleared" : "logged";
      },
      isChange: (index) => codeAt(index) >= 0,
    };
  }
}
