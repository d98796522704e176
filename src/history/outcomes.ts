import { type CellState, cellState, cellValue, UNKNOWN } from "./cell-state.js";
import { NONE } from "./change-log.js";
import type { HistoryData } from "./history-data.js";
import { ValueDictionary } from "./value-dictionary.js";

/** What a cell says: its state and its value. */
export interface Outcome {
  readonly state: CellState;
  readonly value: unknown;
}

/** Codes for what the cells of one column say, in order of first appearance; `unknown` is 0. */
export class Outcomes {
  readonly entries: Outcome[] = [{ state: "unknown", value: null }];
  readonly #data: HistoryData;
  readonly #column: number;
  /** Code by value of the log. */
  readonly #logged: Int32Array;
  /** Code by current value. */
  readonly #unchanged: number[] = [];
  readonly #current = new ValueDictionary();

  constructor(data: HistoryData, column: number) {
    this.#data = data;
    this.#column = column;
    this.#logged = new Int32Array(data.log.values.length).fill(NONE);
  }

  code(row: number, cell: number): number {
    if (cell === UNKNOWN) return 0;
    return cell >= 0 ? this.#codeOfLogged(row, cell) : this.#codeOfUnchanged(row, cell);
  }

  #codeOfLogged(row: number, cell: number): number {
    const valueCode = this.#data.index.valueCodes[cell] ?? 0;
    if (this.#logged[valueCode] === NONE) this.#logged[valueCode] = this.#enter(row, cell);
    return this.#logged[valueCode] ?? NONE;
  }

  #codeOfUnchanged(row: number, cell: number): number {
    const valueCode = this.#current.code(cellValue(this.#data, row, this.#column, cell));
    const code = this.#unchanged[valueCode] ?? this.#enter(row, cell);
    this.#unchanged[valueCode] = code;
    return code;
  }

  #enter(row: number, cell: number): number {
    const value = cellValue(this.#data, row, this.#column, cell);
    return this.entries.push({ state: cellState(this.#data.index, cell), value }) - 1;
  }
}
