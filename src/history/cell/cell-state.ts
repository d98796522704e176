import type { ChangeIndex } from "../index/change-index.js";
import type { HistoryData } from "./history-data.js";

/** How the value of a cell at a time is known. */
export type CellState = "logged" | "cleared" | "unchanged" | "unknown" | "absent";

/**
 * What decides a cell at a time is one integer, the decision: the place in the index of the change that does, or why
 * there is none. Those of a whole column then are a typed array, and values are looked up when they are read.
 */
export const UNKNOWN = -1;
export const UNCHANGED = -2;
export const ABSENT = -3;

/** Why no change decides a cell: what the decisions above mean, one behind the other. */
const reasons = ["unknown", "unchanged", "absent"] as const satisfies readonly CellState[];

/** How many there are: codes that are to stand above them are so much higher. A literal, which bundles write into loops. */
export const REASONS = 3 satisfies (typeof reasons)["length"];

/** The state of a cell by the code of its value, where 0 is null, or by the reason why no change decides it. */
export function stateOfCode(code: number): CellState {
  if (code >= 0) return code === 0 ? "cleared" : "logged";
  return reasons[~code] as CellState;
}

/** The state of a cell by its decision. */
export function cellState({ valueCodes }: ChangeIndex, decision: number): CellState {
  return stateOfCode(decision >= 0 ? (valueCodes[decision] as number) : decision);
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
