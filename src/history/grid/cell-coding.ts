import type { CellState } from "../cell/cell-state.js";
import { columnValues } from "../cell/column-values.js";
import type { HistoryData } from "../cell/history-data.js";
import { unchangedRows } from "../cell/unchanged-rows.js";
import { ValueDictionary } from "../log/value-dictionary.js";
import type { CellCoding } from "./timelines.js";

/** What a cell says: its state and its value. */
export interface Outcome {
  readonly state: CellState;
  readonly value: unknown;
}

/** A coding of what the cells of a column say, state and value. */
export interface OutcomeCoding extends CellCoding {
  /** What each code means. */
  readonly entries: readonly Outcome[];
}

/** Codes what the cells of a column say; `unknown` is 0. */
export function outcomeCoding(data: HistoryData, column: number): OutcomeCoding {
  const { log, features, columns } = data;
  const unknown: Outcome = { state: "unknown", value: null };
  const { numberOf, codes } = columnValues(data, column, 1);
  const logged = codes.map((code): Outcome => ({ state: code === 0 ? "cleared" : "logged", value: log.values[code] }));
  const firstCurrent = 1 + logged.length;
  const current = new ValueDictionary();
  const before = new Int32Array(features.count);
  for (const row of unchangedRows(data, column)) {
    before[row] = firstCurrent + current.code(columns[column]?.values.at(row));
  }
  const unchanged = current.values.map((value): Outcome => ({ state: "unchanged", value }));
  const entries = [unknown, ...logged, ...unchanged];
  return { ofValue: numberOf, before, count: entries.length, entries };
}
