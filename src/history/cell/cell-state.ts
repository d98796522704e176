import type { ChangeIndex } from "../index/change-index.js";
import type { HistoryData } from "./history-data.js";

/**
 * A cell at a time is one integer: the place in the index of the change that decides it, or why there is none. Whole
 * columns of cells then are typed arrays, and values are looked up when they are read.
 */
export const UNKNOWN = -1;
export const UNCHANGED = -2;
export const ABSENT = -3;

/** How the value of a cell at a time is known. */
export type CellState = "logged" | "cleared" | "unchanged" | "unknown" | "absent";

/** The state that a cell says. */
export function cellState({ valueCodes }: ChangeIndex, cell: number): CellState {
  if (cell >= 0) return valueCodes[cell] === 0 ? "cleared" : "logged";
  if (cell === UNCHANGED) return "unchanged";
  return cell === UNKNOWN ? "unknown" : "absent";
}

/** The value that a cell says. */
export function cellValue({ index, log, columns }: HistoryData, row: number, column: number, cell: number): unknown {
  if (cell >= 0) return log.values[index.valueCodes[cell] ?? 0];
  return cell === UNCHANGED ? (columns[column]?.values.at(row) ?? null) : null;
}
