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
export function presentRows({ features, presentFromUs }: HistoryData, us: number): Int32Array {
  let count = 0;
  while (count < features.count && (presentFromUs[count] ?? 0) <= us) count += 1;
  if (count === features.count) return features.rows;
  const rows = features.rows.slice();
  for (let row = count; row < rows.length; row += 1) {
    rows[count] = row;
    count += Number((presentFromUs[row] ?? 0) <= us);
  }
  return rows.subarray(0, count);
}

/** The rows of a result about one time. */
export interface RowsAt {
  readonly rows: Int32Array;
  /** Whether features are among them that do not exist then. */
  readonly hasAbsent: boolean;
}

/** Rows of the features that exist at a time, or of all. */
export function rowsAt(data: HistoryData, us: number, absent: "drop" | "keep" = "drop"): RowsAt {
  const present = presentRows(data, us);
  if (absent === "drop") return { rows: present, hasAbsent: false };
  return { rows: data.features.rows, hasAbsent: present.length < data.features.count };
}
