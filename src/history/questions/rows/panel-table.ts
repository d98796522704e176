import { GrowingArray } from "../../../tables/cells/growing-array.js";
import { type Column, computedColumn } from "../../../tables/column/column.js";
import { toTable } from "../../../tables/column/table.js";
import type { FoundTable } from "../../cell/date-after-read.js";
import type { HistoryData } from "../../cell/history-data.js";
import { declaredDates, declaredValues } from "../../columns/block-column.js";
import { propertyNames } from "../../columns/choose-columns.js";
import { isWeight, Weightless } from "../../columns/weights.js";
import { CURRENT, NULL, type PanelRows } from "../../grid/panel-column.js";
import type { Timelines } from "../../grid/timelines.js";
import { codeArray } from "../../log/change-log.js";
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
  const shown = propertyNames(names, [...panelColumns, ...addedNames(plan)]);
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
    ...chosen.map((column) => [shown[column] as string, declaredValues(columns[column], columnOf(column))] as const),
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
  readonly #places = new GrowingArray(Int32Array);
  readonly #codes = new GrowingArray(Int32Array);
  readonly #values = new JsonValues();

  take(row: number, place: number, value: unknown): void {
    this.#rows.push(row);
    this.#places.push(place);
    this.#codes.push(this.#values.code(value));
  }

  done(rowCount: number, dateCount: number): ColumnTimelines {
    // Null has the code for unknown values; the code for the current value comes before those of values.
    const codeOf = (code: number) => (code === 0 ? NULL : code + CURRENT);
    const values = [null, undefined, ...this.#values.values.slice(1)];
    const [rows, places, codes] = [this.#rows.filled(), this.#places.filled(), this.#codes.filled()];
    const before = new Int32Array(rowCount).fill(CURRENT);
    const seen = new Int32Array(dateCount);
    for (let entry = 0; entry < rows.length; entry += 1) {
      before[rows[entry] as number] = NULL;
      const place = places[entry] as number;
      if (place < dateCount) seen[place] = (seen[place] as number) + 1;
    }
    for (let date = 1; date < dateCount; date += 1) seen[date] = (seen[date] as number) + (seen[date - 1] as number);
    const next = Int32Array.from(seen, (_, date) => (date === 0 ? 0 : (seen[date - 1] as number)));
    const length = dateCount === 0 ? 0 : (seen[dateCount - 1] as number);
    const sorted = { rows: new Int32Array(length), codes: codeArray(values.length, length) };
    for (let entry = 0; entry < rows.length; entry += 1) {
      const place = places[entry] as number;
      if (place >= dateCount) continue;
      const target = next[place] as number;
      next[place] = target + 1;
      sorted.rows[target] = rows[entry] as number;
      sorted.codes[target] = codeOf(codes[entry] as number);
    }
    return { timelines: { before, count: values.length, seen, ...sorted }, values };
  }
}
