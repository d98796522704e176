import { GrowingArray } from "../../../tables/cells/growing-array.js";
import { ABSENT, type CellState, stateOfCode, UNCHANGED, UNKNOWN } from "../../cell/cell-state.js";
import type { CellContent } from "../../grid/timelines.js";
import { UNCHANGED_MARK, UNKNOWN_MARK } from "../sql/cell-values.js";

/** Values that arrive as JSON strings, by code. Equal strings are equal values, and are parsed once. */
export class JsonValues {
  /** Entry 0 is null. */
  readonly values: unknown[] = [null];
  readonly #codes = new Map<unknown, number>([["null", 0]]);

  code(text: unknown): number {
    const cached = this.#codes.get(text);
    if (cached !== undefined) return cached;
    const code = this.values.push(JSON.parse(String(text))) - 1;
    this.#codes.set(text, code);
    return code;
  }
}

/** The value of a JSON string, which may have the mark of an unchanged value. */
export function plainValue(text: unknown): unknown {
  const json = String(text);
  return JSON.parse(json.startsWith(UNCHANGED_MARK) ? json.slice(UNCHANGED_MARK.length) : json) as unknown;
}

/**
 * Why no change decides a cell, from its content: a JSON string, a mark, or null if the feature was absent. Undefined
 * if a change decides it.
 */
function reasonOf(text: unknown): number | undefined {
  if (text === null) return ABSENT;
  if (text === UNKNOWN_MARK) return UNKNOWN;
  return typeof text === "string" && text.startsWith(UNCHANGED_MARK) ? UNCHANGED : undefined;
}

/** The content of a cell, from a JSON string that may have a mark. */
export function decodeCell(text: string): CellContent {
  const reason = reasonOf(text);
  const value = reason === UNKNOWN ? null : plainValue(text);
  return { state: stateOfCode(reason ?? Number(value !== null)), value };
}

/** The content of the rows of a result, by row number. */
export interface DecodedCells {
  value(index: number): unknown;
  state(index: number): CellState;
  /** Whether the content comes from a change. */
  isChange(index: number): boolean;
}

/** The contents of cells as they arrive: JSON strings and marks; null if the feature was absent. */
export class CellDecoder {
  readonly #values = new JsonValues();
  readonly #codes = new GrowingArray(Int32Array);

  push(text: unknown): void {
    this.#codes.push(reasonOf(text) ?? this.#values.code(text));
  }

  /** @param current returns the current value of the cell of a row */
  done(current: (index: number) => unknown): DecodedCells {
    const { values } = this.#values;
    const codes = this.#codes.filled();
    const codeAt = (index: number) => codes[index] ?? UNKNOWN;
    return {
      value: (index) => (codeAt(index) === UNCHANGED ? (current(index) ?? null) : (values[codeAt(index)] ?? null)),
      state: (index) => stateOfCode(codeAt(index)),
      isChange: (index) => codeAt(index) >= 0,
    };
  }
}
