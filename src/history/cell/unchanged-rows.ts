import type { HistoryData } from "./history-data.js";

/** Rows of the features whose cell in a column was never changed, also not later than is known. */
export function unchangedRows({ index, fullIndex }: HistoryData, column: number): Int32Array {
  const first = index.cell(0, column);
  const rows = new Int32Array(index.rowCount);
  // What is known is part of the whole log.
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
