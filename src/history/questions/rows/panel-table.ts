import { binarySearch } from "../../../core/binary-search.js";
import { propertyValues } from "../../../layer/name-columns.js";
import type { PropertyColumn } from "../../../layer/property-columns.js";
import { GrowingArray } from "../../../tables/cells/growing-array.js";
import { type Column, computedColumn } from "../../../tables/column/column.js";
import { toTable } from "../../../tables/column/table.js";
import { requireValues } from "../../answer-size.js";
import type { FoundTable } from "../../cell/censoring-time.js";
import { unchangedRows } from "../../cell/deciding-changes.js";
import type { HistoryData } from "../../cell/history-data.js";
import { type Presence, presentRows } from "../../cell/present-rows.js";
import { declaredDates } from "../../columns/block-column.js";
import { propertyNames } from "../../columns/choose-columns.js";
import { isWeight, Weightless } from "../../columns/weights.js";
import { type CellCoding, placesOfDate, type Timelines, timelines } from "../../grid/timelines.js";
import { columnValues } from "../../index/change-index.js";
import { type Codes, codeArray } from "../../log/change-log.js";
import type { DateGrid } from "../../time/date-grid.js";
import { addedNames, type PanelPlan, panelColumns } from "../plan/panel-plan.js";
import { JsonValues } from "./cell-decoder.js";

/** The rows of a panel with the chosen property columns. */
export function panelTable(
  { features, names, columns }: Pick<HistoryData, "features" | "names" | "columns">,
  { dates }: DateGrid,
  rows: PanelRows,
  plan: PanelPlan,
  columnOf: (column: number) => Column,
): FoundTable {
  const { chosen, weights, staged } = plan;
  const propertyColumns = propertyNames(names, [...panelColumns, ...addedNames(plan)]);
  const ids = rows.ofFeatures(features.base("id"));
  const weightless = new Weightless();
  const held = weights && (weights.column === undefined ? rows.ofFeatures(weights.values) : columnOf(weights.column));
  const weighed =
    weights &&
    Array.from({ length: rows.length }, (_, row) => {
      const weight = weights.weigh(held?.at(row));
      weightless.add(weight, ids.at(row));
      return isWeight(weight) ? weight : null;
    });
  const stages = staged && columnOf(staged.column);
  const earned = (row: number) => {
    const stage = stages?.at(row) ?? null;
    const amount = weighed ? (weighed[row] ?? null) : 1;
    return stage === null || amount === null ? null : amount * (staged?.credits.share(stage) ?? 0);
  };
  const table = toTable([
    ["date", declaredDates(dates, rows.ofDates(dates))],
    ...features.fields.leading.map((field) => [field, rows.ofFeatures(features.base(field))] as const),
    ...chosen.map(
      (column) =>
        [
          propertyColumns[column] as string,
          propertyValues(columns[column] as PropertyColumn, columnOf(column)),
        ] as const,
    ),
    ...(weighed
      ? ([
          ["weight", weighed],
          ["unit", computedColumn(rows.length, () => weights?.unit)],
        ] as const)
      : []),
    ...(staged ? [["earned", computedColumn(rows.length, earned)] as const] : []),
  ]);
  return { table, diagnostics: weights ? weightless.diagnostics(weights) : [] };
}

interface ColumnTimelines {
  readonly timelines: Timelines;
  /** By code, as in `steppedColumn()`. */
  readonly values: readonly unknown[];
}

/** A column without changes. */
export const NO_CHANGES: ColumnTimelines = {
  timelines: {
    before: new Int32Array(),
    count: 0,
    seen: new Int32Array(),
    rows: new Int32Array(),
    codes: new Uint8Array(),
  },
  values: [],
};

/** Collects the new values of the cells of a column from the rows of an engine, and the dates from which they apply. */
export class ColumnChanges {
  readonly #rows = new GrowingArray(Int32Array);
  readonly #indexes = new GrowingArray(Int32Array);
  readonly #codes = new GrowingArray(Int32Array);
  readonly #values = new JsonValues();

  take(row: number, index: number, value: unknown): void {
    this.#rows.push(row);
    this.#indexes.push(index);
    this.#codes.push(this.#values.code(value));
  }

  done(rowCount: number, dateCount: number): ColumnTimelines {
    // Null has the code for unknown values; the code for the current value comes before those of values.
    const codeOf = (code: number) => (code === 0 ? NULL : code + CURRENT);
    const values = [null, undefined, ...this.#values.values.slice(1)];
    const [rows, indexes, codes] = [this.#rows.filled(), this.#indexes.filled(), this.#codes.filled()];
    const before = new Int32Array(rowCount).fill(CURRENT);
    const seen = new Int32Array(dateCount);
    for (let entry = 0; entry < rows.length; entry += 1) {
      before[rows[entry] as number] = NULL;
      const index = indexes[entry] as number;
      if (index < dateCount) seen[index] = (seen[index] as number) + 1;
    }
    for (let date = 1; date < dateCount; date += 1) seen[date] = (seen[date] as number) + (seen[date - 1] as number);
    const next = Int32Array.from(seen, (_, date) => (date === 0 ? 0 : (seen[date - 1] as number)));
    const length = dateCount === 0 ? 0 : (seen[dateCount - 1] as number);
    const sorted = { rows: new Int32Array(length), codes: codeArray(values.length, length) };
    for (let entry = 0; entry < rows.length; entry += 1) {
      const index = indexes[entry] as number;
      if (index >= dateCount) continue;
      const target = next[index] as number;
      next[index] = target + 1;
      sorted.rows[target] = rows[entry] as number;
      sorted.codes[target] = codeOf(codes[entry] as number);
    }
    return { timelines: { before, count: values.length, seen, ...sorted }, values };
  }
}

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
  for (let index = start; index < end; index += 1) now[rows[index] as number] = codes[index] as number;
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
