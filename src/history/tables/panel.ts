import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { checkOptions } from "../../core/check-options.js";
import { type OptionRules, texts } from "../../core/option-rules.js";
import type { HistoryData } from "../cell/history-data.js";
import { chooseColumns } from "../columns/choose-columns.js";
import { propertyNames } from "../columns/property-names.js";
import { panelColumn } from "../grid/panel-column.js";
import { PanelRows } from "../grid/panel-rows.js";
import { type Grid, resolveGrid } from "../time/date-grid.js";

/** Options of `history.panel()`. */
export interface PanelOptions {
  /** Property columns to give; all if absent. */
  readonly columns?: readonly string[];
}

const panelRules: OptionRules<PanelOptions> = {
  columns: texts,
};

const ownColumns = ["date", "id", "visible_id"];

/** One row a date and feature that existed then. */
export function panel(data: HistoryData, grid: Grid, options: PanelOptions = {}): ColumnTable {
  checkOptions("panel()", options, panelRules);
  const dates = resolveGrid(grid, data.timeZone);
  const chosen = chooseColumns(data.names, options.columns);
  const shown = propertyNames(data.names, ownColumns);
  const rows = new PanelRows(data, dates);
  return toTable([
    ["date", rows.ofDates(dates.dates)],
    ["id", rows.ofFeatures(data.features.base("id"))],
    ["visible_id", rows.ofFeatures(data.features.base("visible_id"))],
    ...chosen.map((column) => [shown[column] ?? "", panelColumn(data, column, dates.sortedUs, rows)] as const),
  ]);
}
