import type { Column } from "../columns/column.js";
import { cellValue } from "./cell-state.js";
import { computedColumn } from "./computed-column.js";
import type { HistoryData } from "./history-data.js";

/**
 * A property column of a result: cells, decoded when they are read.
 *
 * @param rows row of each cell's feature
 */
export function cellColumn(data: HistoryData, column: number, rows: Int32Array, cells: Int32Array): Column {
  return computedColumn(cells.length, (index) => cellValue(data, rows[index] ?? 0, column, cells[index] ?? 0));
}
