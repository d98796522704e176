import type { ChangeLog } from "./change-log.js";
import type { HistoryData } from "./history-data.js";

/** Since when each feature exists: its creation, or the first change of any property if that was earlier. */
export function presentFrom(createdUs: Float64Array, { rows, timesUs, length }: ChangeLog): Float64Array {
  const from = createdUs.slice();
  for (let change = 0; change < length; change += 1) {
    const row = rows[change] ?? 0;
    const us = timesUs[change] ?? 0;
    if (us < (from[row] ?? 0)) from[row] = us;
  }
  return from;
}

/** Rows of the features that exist at a time. */
export function presentRows({ presentFromUs }: HistoryData, us: number): Int32Array {
  const rows = new Int32Array(presentFromUs.length);
  let count = 0;
  for (let row = 0; row < presentFromUs.length; row += 1) {
    if ((presentFromUs[row] ?? 0) <= us) {
      rows[count] = row;
      count += 1;
    }
  }
  return rows.subarray(0, count);
}

/** Rows of all features. */
export function allRows({ features }: HistoryData): Int32Array {
  return Int32Array.from({ length: features.count }, (_, row) => row);
}
