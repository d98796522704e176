import type { ChangeIndex } from "../index/change-index.js";
import type { HistoryData } from "./history-data.js";

/** How the value of a cell at a time is known. */
export type CellState = "logged" | "cleared" | "unchanged" | "unknown" | "absent";

/**
 * A decision is one integer for the source of a cell's content at a time: the index of a change, or the reason for no
 * change. The decisions of a column fit into a typed array, and values are looked up when they are read.
 */
export const UNKNOWN = -1;
export const UNCHANGED = -2;
export const ABSENT = -3;

/** Reasons for no change: the meanings of the decisions above, in order. */
const reasons = ["unknown", "unchanged", "absent"] as const satisfies readonly CellState[];

/**
 * Number of reasons. Codes that share an array with reasons are shifted by it. A literal, which bundlers inline into
 * loops.
 */
export const REASONS = 3 satisfies (typeof reasons)["length"];

/** The state of a cell by the code of its value (0 is null), or by the reason for no change. */
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
