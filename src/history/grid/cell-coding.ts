import type { CellState } from "../cell/cell-state.js";
import { columnValues } from "../cell/column-values.js";
import type { HistoryData } from "../cell/history-data.js";
import { unchangedRows } from "../cell/unchanged-rows.js";
import { ValueDictionary } from "../log/value-dictionary.js";
import type { CellCoding } from "./timelines.js";

/** What a cell says: its state and its value. */
export interface CellContent {
  readonly state: CellState;
  readonly value: unknown;
}

/** A coding of what the cells of a column say, state and value. */
export interface ListedCellCoding extends CellCoding {
  /** What each code means. */
  readonly entries: readonly CellContent[];
}

/** Codes what the cells of a column say; `unknown` is 0. */
export function cellCoding(data: HistoryData, column: number): ListedCellCoding {
  const { log, features, columns } = data;
  const unknown: CellContent = { state: "unknown", value: null };
  const { numberOf, codes } = columnValues(data, column, 1);
  const logged = codes.map(
    (code): CellContent => ({ state: code === 0 ? "cleared" : "logged", value: log.values[code] }),
  );
  const firstCurrent = 1 + logged.length;
  const current = new ValueDictionary();
  const before = new Int32Array(features.count);
  for (const row of unchangedRows(data, column)) {
    before[row] = firstCurrent + current.code(columns[column]?.values.at(row));
  }
  const unchanged = current.values.map((value): CellContent => ({ state: "unchanged", value }));
  const entries = [unknown, ...logged, ...unchanged];
  return { ofValue: numberOf, before, count: entries.length, entries };
}
