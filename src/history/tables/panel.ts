import type { ColumnTable } from "arquero";
import { checkOptions, type OptionRules, texts } from "../../core/options.js";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { datesBeyondReading, type FoundTable } from "../cell/beyond-reading.js";
import type { HistoryData } from "../cell/history-data.js";
import { declaredDates, declaredValues } from "../columns/block-column.js";
import { chooseColumns, propertyNames } from "../columns/choose-columns.js";
import { PanelRows, panelColumn } from "../grid/panel-column.js";
import { type DateGrid, type Grid, resolveGrid } from "../time/date-grid.js";

/** Options of `history.panel()`. */
export interface PanelOptions {
  /** Property columns to give; all if absent. */
  readonly columns?: readonly string[];
}

/** What it takes. */
export const panelRules: OptionRules<PanelOptions> = {
  columns: texts,
};

const ownColumns = ["date", "id", "visible_id"];

/** One row a date and feature that existed then; and dates after the log was read. */
export function panel(data: HistoryData, grid: Grid, options: PanelOptions = {}): FoundTable {
  checkOptions("panel()", options, panelRules);
  const dates = resolveGrid(grid, data.timeZone);
  const chosen = chooseColumns(data.names, options.columns);
  const rows = new PanelRows(data, dates);
  const columnOf = (column: number) => panelColumn(data, column, dates.sortedUs, rows);
  return {
    table: panelTable(data, dates, rows, chosen, columnOf),
    findings: datesBeyondReading(data, dates),
  };
}

/** The rows of a panel with the property columns that are chosen. */
export function panelTable(
  { features, names, columns }: Pick<HistoryData, "features" | "names" | "columns">,
  { dates }: DateGrid,
  rows: PanelRows,
  chosen: readonly number[],
  columnOf: (column: number) => Column,
): ColumnTable {
  const shown = propertyNames(names, ownColumns);
  return toTable([
    ["date", declaredDates(dates, rows.ofDates(dates))],
    ["id", rows.ofFeatures(features.base("id"))],
    ["visible_id", rows.ofFeatures(features.base("visible_id"))],
    ...chosen.map((column) => [shown[column] as string, declaredValues(columns[column], columnOf(column))] as const),
  ]);
}
