import type { Values } from "../columns/block-column.js";
import { unchangedRows } from "../index/unchanged-rows.js";
import type { Codes } from "../log/change-log.js";
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
  const { index, features, presentFromUs } = data;
  const counts = index.countsAt(column, us);
  const decisionOf = decidingChanges(data, column, counts, us, backfill);
  const valueAt = (row: number) => cellValue(data, row, column, decisionOf(row));
  const present = data.columns[column]?.values;
  // Then a cell without a change never had one.
  const isWhole = index === data.fullIndex && !backfill;
  let unchanged: Uint32Array | undefined;
  return {
    at: (entry) => valueAt(rows[entry] ?? 0),
    read(start, end, target) {
      readDecided(data, column, counts, rows, start, end, target);
      for (let entry = start; backfill && entry < end; entry += 1) {
        const row = rows[entry] ?? 0;
        if (counts[row] === 0) target[entry - start] = valueAt(row);
      }
      unchanged ??= rows.length === features.count ? index.unchanged(column) : unchangedRows(index, column, rows);
      for (let word = start >>> 5; word < (end + 31) >>> 5; word += 1) {
        for (let left = unchanged[word] ?? 0; left !== 0; left &= left - 1) {
          const entry = 32 * word + 31 - Math.clz32(left & -left);
          if (entry < start || entry >= end) continue;
          const row = rows[entry] ?? 0;
          const isThere = isWhole && !((presentFromUs[row] ?? 0) > us);
          target[entry - start] = isThere ? (present?.at(row) ?? null) : valueAt(row);
        }
      }
    },
  };
}

/** Writes what changes decide, and null for all else. */
function readDecided(
  { index, log }: HistoryData,
  column: number,
  counts: Codes,
  rows: Int32Array,
  start: number,
  end: number,
  target: unknown[],
): void {
  const { offsets, valueCodes } = index;
  const { values } = log;
  const first = index.cell(0, column);
  // Which cells are decided cannot be foretold, and a branch that is taken by chance costs more than all else here.
  for (let entry = start; entry < end; entry += 1) {
    const row = rows[entry] ?? 0;
    const count = counts[row] ?? 0;
    const isDecided = -count >>> 31;
    const place = (offsets[first + row] ?? 0) + count - isDecided;
    // The code 0 is that of null.
    target[entry - start] = values[(valueCodes[place] ?? 0) * isDecided];
  }
}
