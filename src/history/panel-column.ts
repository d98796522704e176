import type { Column } from "../columns/column.js";
import { UNCHANGED } from "./cell-state.js";
import { undecided } from "./cells-at.js";
import { codeArray } from "./change-log.js";
import { changesByDate } from "./changes-by-date.js";
import { computedColumn } from "./computed-column.js";
import type { DateLocator } from "./date-locator.js";
import type { HistoryData } from "./history-data.js";
import type { PanelRows } from "./panel-rows.js";

/** Codes of cells that no change decides: null, or the feature's current value. */
const NULL = 0;
const CURRENT = 1;

/**
 * A property column of a panel, one code a cell. Each date begins as the date before it ended; then the changes that it
 * is the first to see are put in.
 */
export function panelColumn(data: HistoryData, column: number, dates: DateLocator, layout: PanelRows): Column {
  const { valueCodes } = data.index;
  const { starts, rows, places } = changesByDate(data.index, column, dates);
  const { codeOf, values } = usedValues(data, column);
  const codes = codeArray(values.length, layout.length);
  const now = codeArray(values.length, data.features.count);
  fillUndecided(data, column, now);
  layout.present.forEach((present, date) => {
    const end = starts[date + 1] ?? 0;
    for (let entry = starts[date] ?? 0; entry < end; entry += 1) {
      now[rows[entry] ?? 0] = codeOf[valueCodes[places[entry] ?? 0] ?? 0] ?? NULL;
    }
    const start = layout.sortedStarts[date] ?? 0;
    if (present.length === now.length) codes.set(now, start);
    else {
      present.forEach((row, entry) => {
        codes[start + entry] = now[row] ?? NULL;
      });
    }
  });
  const current = data.columns[column]?.values;
  return computedColumn(codes.length, (index) => {
    const code = codes[index] ?? NULL;
    return code === CURRENT ? (current?.at(layout.rowAt(index)) ?? null) : values[code];
  });
}

/**
 * The values that the changes of a column have, and their codes by code of the log. A log has far more values than one
 * column of it mostly has, and a panel has many cells: fewer codes are narrower ones.
 */
function usedValues({ index, log }: HistoryData, column: number) {
  const codeOf = new Int32Array(log.values.length);
  const values: unknown[] = [null, undefined];
  const end = index.start(index.cell(0, column + 1));
  for (let place = index.start(index.cell(0, column)); place < end; place += 1) {
    const value = index.valueCodes[place] ?? 0;
    if (value !== 0 && codeOf[value] === NULL) codeOf[value] = values.push(log.values[value]) - 1;
  }
  return { codeOf, values };
}

/** What cells say before any change. */
function fillUndecided(data: HistoryData, column: number, codes: { [row: number]: number; readonly length: number }): void {
  const { index } = data;
  for (let row = 0; row < codes.length; row += 1) {
    const cell = index.cell(row, column);
    if (index.start(cell) === index.end(cell) && undecided(data, cell) === UNCHANGED) codes[row] = CURRENT;
  }
}
