import type { Column } from "../../tables/column/column.js";
import { columnValues } from "../cell/column-values.js";
import type { HistoryData } from "../cell/history-data.js";
import { unchangedRows } from "../cell/unchanged-rows.js";
import { computedColumn } from "../columns/computed-column.js";
import { type Codes, codeArray } from "../log/change-log.js";
import type { PanelRows } from "./panel-rows.js";
import { type CellCoding, type Timelines, timelines } from "./timelines.js";

/** Codes of cells that no value of the log decides: null, or the feature's current value. */
export const NULL = 0;
export const CURRENT = 1;

/**
 * A property column of a panel, one code a row. Each date begins as the date before it ended; then the changes that it
 * is the first to see are put in.
 */
export function panelColumn(data: HistoryData, column: number, datesUs: Float64Array, layout: PanelRows): Column {
  const { coding, values } = valueCoding(data, column);
  return steppedColumn(timelines(data, column, datesUs, coding), values, data.columns[column]?.values, layout);
}

/**
 * A property column of a panel from what its cells say as time goes by.
 *
 * @param changes codes are `NULL`, `CURRENT`, and those of values
 * @param values by code
 * @param current the features' current values, by row
 */
export function steppedColumn(
  changes: Timelines,
  values: readonly unknown[],
  current: Column | undefined,
  layout: PanelRows,
): Column {
  const now = codeArray(changes.count, changes.before.length);
  now.set(changes.before);
  const codes = codeArray(changes.count, layout.length);
  layout.present.forEach((present, date) => {
    putIn(changes, date, now);
    write(now, present, codes, layout.sortedStarts[date] as number);
  });
  return computedColumn(codes.length, (index) => {
    const code = codes[index] ?? NULL;
    return code === CURRENT ? (current?.at(layout.rowAt(index)) ?? null) : values[code];
  });
}

/** Puts in what a date is the first to see. */
function putIn({ seen, rows, codes }: Timelines, date: number, now: Codes): void {
  const end = seen[date] as number;
  for (let place = seen[date - 1] ?? 0; place < end; place += 1) {
    now[rows[place] as number] = codes[place] ?? NULL;
  }
}

function write(now: Codes, present: Int32Array, codes: Codes, start: number): void {
  if (present.length === now.length) codes.set(now, start);
  else
    for (let entry = 0; entry < present.length; entry += 1)
      codes[start + entry] = now[present[entry] as number] ?? NULL;
}

function valueCoding(data: HistoryData, column: number): { coding: CellCoding; values: readonly unknown[] } {
  const { log, features } = data;
  const { numberOf, codes } = columnValues(data, column, CURRENT + 1);
  numberOf[0] = NULL;
  const before = new Int32Array(features.count);
  for (const row of unchangedRows(data, column)) before[row] = CURRENT;
  const values = [null, undefined, ...codes.map((code) => log.values[code])];
  return { coding: { ofValue: numberOf, before, count: values.length }, values };
}
