import { binarySearch } from "../../core/binary-search.js";
import { type Column, computedColumn } from "../../tables/column/column.js";
import { requireValues } from "../answer-size.js";
import { columnValues } from "../cell/column-values.js";
import { unchangedRows } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { type Presence, presentRows } from "../cell/present-rows.js";
import { type Codes, codeArray } from "../log/change-log.js";
import type { DateGrid } from "../time/date-grid.js";
import { type CellCoding, placesOfDate, type Timelines, timelines } from "./timelines.js";

/** Codes of cells without a logged value: null, or the feature's current value. */
export const NULL = 0;
export const CURRENT = 1;

/**
 * A property column of a panel, one code per row. Each date starts with the codes of the date before; then the changes
 * that it is the first to see are applied.
 */
export function panelColumn(data: HistoryData, column: number, datesUs: Float64Array, layout: PanelRows): Column {
  const { coding, values } = valueCoding(data, column);
  return steppedColumn(timelines(data, column, datesUs, coding), values, data.columns[column]?.values, layout);
}

/**
 * A property column of a panel from the contents of its cells over time.
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

/** Applies the changes that a date is the first to see. */
function putIn(changes: Timelines, date: number, now: Codes): void {
  const { rows, codes } = changes;
  const [start, end] = placesOfDate(changes, date);
  for (let place = start; place < end; place += 1) now[rows[place] as number] = codes[place] as number;
}

function write(now: Codes, present: Int32Array, codes: Codes, start: number): void {
  if (present.length === now.length) codes.set(now, start);
  else
    for (let entry = 0; entry < present.length; entry += 1)
      codes[start + entry] = now[present[entry] as number] as number;
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

/**
 * The layout of the rows of a panel: by date as requested, and within each date in the layer's order. Without deleted
 * features, dates with equally many features share one list of them.
 */
export class PanelRows {
  readonly length: number;
  /** The features of each date, in order of time: rows of the layer. */
  readonly present: readonly Int32Array[];
  /** Start of each date, in order of time. */
  readonly sortedStarts: Int32Array;
  /** End of each date, in the requested order. */
  readonly #ends: Int32Array;
  readonly #sortedOfAsked: Int32Array;
  /** The date of the last read: columns are usually read from first to last row. */
  #lastRead = 0;

  /**
   * @param columns number of the panel's columns with values of features
   * @throws ArgumentError if the rows and columns need too much memory
   */
  constructor(data: Presence, { sortedUs, rank }: DateGrid, columns: number) {
    this.present = presentAtDates(data, sortedUs, columns);
    this.sortedStarts = new Int32Array(rank.length);
    this.#ends = new Int32Array(rank.length);
    this.#sortedOfAsked = rank;
    let length = 0;
    rank.forEach((sorted, asked) => {
      this.sortedStarts[sorted] = length;
      length += (this.present[sorted] as Int32Array).length;
      this.#ends[asked] = length;
    });
    this.length = length;
  }

  /** Row of the layer for a row of the panel. */
  rowAt(index: number): number {
    const sorted = this.#sortedOfAsked[this.dateAt(index)] as number;
    const present = this.present[sorted] as Int32Array;
    return present[index - (this.sortedStarts[sorted] as number)] as number;
  }

  /** The date of a row, in the requested order. */
  dateAt(index: number): number {
    const last = this.#lastRead;
    const ends = this.#ends;
    if (index < (ends[last] as number) && (last === 0 || index >= (ends[last - 1] as number))) return last;
    this.#lastRead = binarySearch(ends.length, (date) => (ends[date] as number) <= index);
    return this.#lastRead;
  }

  /** A column of values by feature, for all dates. */
  ofFeatures(column: Column): Column {
    return computedColumn(this.length, (index) => column.at(this.rowAt(index)));
  }

  /** A column of values by date, for all features. */
  ofDates<T>(values: readonly T[]): Column<T | undefined> {
    return computedColumn(this.length, (index) => values[this.dateAt(index)]);
  }
}

function presentAtDates(data: Presence, sortedUs: Float64Array, columns: number): readonly Int32Array[] {
  let last: Int32Array = new Int32Array();
  let length = 0;
  return Array.from(sortedUs, (us) => {
    if (data.presentUntilUs || last.length < data.features.count) {
      const rows = presentRows(data, us);
      if (data.presentUntilUs || rows.length !== last.length) last = rows;
    }
    length += last.length;
    requireValues("panel()", length, columns);
    return last;
  });
}
