import type { Values } from "../columns/block-column.js";
import { cellValue } from "./cell-state.js";
import { decidingChanges } from "./deciding-changes.js";
import type { HistoryData } from "./history-data.js";

/**
 * The values of a property column at a time, of some features.
 *
 * @param rows of the features
 * @param backfill whether the first later change stands where changes exist but all are later
 */
export function valuesAt(
  data: HistoryData,
  column: number,
  rows: Int32Array,
  us: number,
  backfill: boolean,
): Values<unknown> {
  const { index, log } = data;
  const counts = index.countsAt(column, us);
  const decisionOf = decidingChanges(data, column, counts, us, backfill);
  const valueAt = (row: number) => cellValue(data, row, column, decisionOf(row));
  const first = index.cell(0, column);
  return {
    at: (entry) => valueAt(rows[entry] ?? 0),
    read(start, end, target) {
      const { offsets, valueCodes } = index;
      const { values } = log;
      for (let entry = start; entry < end; entry += 1) {
        const row = rows[entry] ?? 0;
        const count = counts[row] ?? 0;
        // Most cells are decided by a change: nothing but arrays is looked at for those.
        const last = (offsets[first + row] ?? 0) + count - 1;
        target[entry - start] = count > 0 ? values[valueCodes[last] ?? 0] : valueAt(row);
      }
    },
  };
}
