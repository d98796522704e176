import { NONE } from "./change-index.js";
import type { HistoryData } from "./history-data.js";

/** How the value of a cell at a time is known. */
export type CellState = "logged" | "cleared" | "unchanged" | "unknown" | "absent";

/** What a cell held at a time. */
export interface Cell {
  readonly state: CellState;
  readonly value: unknown;
  /** Position in the log of the change that says so; `NONE` unless logged or cleared. */
  readonly change: number;
}

/** Whether a feature did not exist yet: created after the time, and no property of it was changed by then. */
export function isAbsent({ createdUs, firstChangeUs }: HistoryData, row: number, us: number): boolean {
  return (createdUs[row] ?? Number.NEGATIVE_INFINITY) > us && (firstChangeUs[row] ?? 0) > us;
}

/** The cell of a feature that is present. */
export function cellAt(data: HistoryData, row: number, column: number, us: number): Cell {
  const { index, log } = data;
  const change = index.lastAt(row, column, us);
  if (change !== NONE) {
    const code = log.valueCodes[change] ?? 0;
    return { state: code === 0 ? "cleared" : "logged", value: log.values[code], change };
  }
  if (index.hasChanges(row, column)) return { state: "unknown", value: null, change: NONE };
  return { state: "unchanged", value: data.columns[column]?.values.at(row) ?? null, change: NONE };
}

/** The value of a cell's first change, for `unknown: "backfill"`. */
export function firstValue({ index, log }: HistoryData, row: number, column: number): unknown {
  const change = index.first(row, column);
  return change === NONE ? null : log.values[log.valueCodes[change] ?? 0];
}
