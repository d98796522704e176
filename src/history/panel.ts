import type { ColumnTable } from "arquero";
import { toTable } from "../columns/table.js";
import { cellColumn } from "./cell-column.js";
import { UNKNOWN } from "./cell-state.js";
import { undecided } from "./cells-at.js";
import { chooseColumns } from "./choose-columns.js";
import { pickedColumn, runColumn } from "./computed-column.js";
import { type DateGrid, type Grid, resolveGrid } from "./date-grid.js";
import { DateLocator } from "./date-locator.js";
import type { HistoryData } from "./history-data.js";
import { presentRows } from "./present-rows.js";
import { propertyNames } from "./property-names.js";

/** Options of `history.panel()`. */
export interface PanelOptions {
  /** Property columns to give; all if absent. */
  readonly columns?: readonly string[];
}

const ownColumns = ["date", "id", "visible_id"];

/** One row a date and feature that existed then. */
export function panel(data: HistoryData, grid: Grid, options: PanelOptions = {}): ColumnTable {
  const dates = resolveGrid(grid, data.timeZone);
  const chosen = chooseColumns(data.names, options.columns);
  const shown = propertyNames(data.names, ownColumns);
  const layout = layOut(data, dates);
  return toTable([
    ["date", runColumn(dates.dates, layout.ends)],
    ["id", pickedColumn(data.features.base("id"), layout.rows)],
    ["visible_id", pickedColumn(data.features.base("visible_id"), layout.rows)],
    ...chosen.map((column) => {
      const cells = panelCells(data, column, dates.sortedUs, layout);
      return [shown[column] ?? "", cellColumn(data, column, layout.rows, cells)] as const;
    }),
  ]);
}

/** Where the rows of a panel are: date after date as asked for, the features of a date in the layer's order. */
interface PanelLayout {
  /** Row of each entry's feature. */
  readonly rows: Int32Array;
  /** Where each date's entries end, in the order asked for. */
  readonly ends: Int32Array;
  /** Where each date's entries begin, in order of time. */
  readonly sortedStarts: Int32Array;
}

function layOut(data: HistoryData, { sortedUs, rank }: DateGrid): PanelLayout {
  const present = Array.from(sortedUs, (us) => presentRows(data, us));
  const ends = new Int32Array(rank.length);
  const sortedStarts = new Int32Array(rank.length);
  let length = 0;
  rank.forEach((sorted, asked) => {
    sortedStarts[sorted] = length;
    length += present[sorted]?.length ?? 0;
    ends[asked] = length;
  });
  const rows = new Int32Array(length);
  present.forEach((own, sorted) => {
    rows.set(own, sortedStarts[sorted] ?? 0);
  });
  return { rows, ends, sortedStarts };
}

/** The cells of a column at every date: each feature's changes and the dates are walked through once, side by side. */
function panelCells(data: HistoryData, column: number, sortedUs: Float64Array, layout: PanelLayout): Int32Array {
  const { index, presentFromUs } = data;
  const cells = new Int32Array(layout.rows.length);
  const locator = new DateLocator(sortedUs);
  const next = layout.sortedStarts.slice();
  for (let row = 0; row < presentFromUs.length; row += 1) {
    const cell = index.cell(row, column);
    const end = index.end(cell);
    let place = index.start(cell);
    let current = place === end ? undecided(data, cell) : UNKNOWN;
    for (let date = locator.locate(presentFromUs[row] ?? 0); date < sortedUs.length; date += 1) {
      const us = sortedUs[date] ?? 0;
      while (place < end && (index.timesUs[place] ?? 0) <= us) {
        current = place;
        place += 1;
      }
      const entry = next[date] ?? 0;
      cells[entry] = current;
      next[date] = entry + 1;
    }
  }
  return cells;
}
