import type { Codes } from "../log/change-log.js";
import { ABSENT, UNCHANGED, UNKNOWN } from "./cell-state.js";
import type { HistoryData } from "./history-data.js";
import { goneFromUs } from "./present-rows.js";

/**
 * Determines the decisions of a column's cells at a time.
 *
 * @param counts number of changes of each feature in the column at or before the time
 * @param backfill whether to use the first later change if all changes are later
 * @returns the decision for a feature's cell, by its row
 */
export function decidingChanges(
  data: HistoryData,
  column: number,
  counts: Codes,
  us: number,
  backfill = false,
): (row: number) => number {
  const { index, presentFromUs } = data;
  const hasGone = us >= data.firstGoneUs;
  return (row) => {
    if (hasGone && goneFromUs(data, row) <= us) return ABSENT;
    const cell = index.cell(row, column);
    const start = index.start(cell);
    const count = counts[row] as number;
    if (count > 0) return start + count - 1;
    if ((presentFromUs[row] as number) > us) return ABSENT;
    return backfill && index.end(cell) > start ? start : undecided(data, cell);
  };
}

/** The reason for no change: the whole log has none, or none that was made and known by then. */
export function undecided({ fullIndex }: HistoryData, cell: number): number {
  return fullIndex.end(cell) > fullIndex.start(cell) ? UNKNOWN : UNCHANGED;
}

/** Rows of the features whose cell in a column was never changed in the whole log. */
export function unchangedRows({ index, fullIndex }: HistoryData, column: number): Int32Array {
  const first = index.cell(0, column);
  const rows = new Int32Array(index.rowCount);
  // The known changes are part of the whole log.
  const count = emptyCells(fullIndex.offsets.subarray(first, first + rows.length + 1), rows);
  return rows.subarray(0, count);
}

function emptyCells(offsets: Int32Array, rows: Int32Array): number {
  let count = 0;
  for (let row = 0; row < rows.length; row += 1) {
    rows[count] = row;
    count += Number(offsets[row] === offsets[row + 1]);
  }
  return count;
}
