import type { ChangeIndex } from "../index/change-index.js";
import type { HistoryData } from "./history-data.js";

/**
 * What decides a cell at a time is one integer, the decision: the place in the index of the change that does, or why
 * there is none. Those of a whole column then are a typed array, and values are looked up when they are read.
 */
export const UNKNOWN = -1;
export const UNCHANGED = -2;
export const ABSENT = -3;

/** How the value of a cell at a time is known. */
export type CellState = "logged" | "cleared" | "unchanged" | "unknown" | "absent";

/** The state of a cell by its decision. */
export function cellState({ valueCodes }: ChangeIndex, decision: number): CellState {
  if (decision >= 0) return valueCodes[decision] === 0 ? "cleared" : "logged";
  if (decision === UNCHANGED) return "unchanged";
  return decision === UNKNOWN ? "unknown" : "absent";
}

/** The value of a cell by its decision. */
export function cellValue(
  { index, log, columns }: HistoryData,
  row: number,
  column: number,
  decision: number,
): unknown {
  if (decision >= 0) return log.values[index.valueCodes[decision] as number];
  return decision === UNCHANGED ? (columns[column]?.values.at(row) ?? null) : null;
}
