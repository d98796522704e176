import type { ChangeLog } from "../log/change-log.js";
import { DateLocator } from "../time/date-grid.js";
import type { HistoryData } from "./history-data.js";

/** Features, and since when they exist. */
export type Presence = Pick<HistoryData, "features" | "presentFromUs" | "allPresentUs">;

/** Since when features exist: their creation, or the first change of any property if that was earlier. */
export function presence(
  createdUs: Float64Array,
  { rows, timesUs, length }: Pick<ChangeLog, "rows" | "timesUs" | "length">,
): Omit<Presence, "features"> {
  const presentFromUs = createdUs.slice();
  for (let change = 0; change < length; change += 1) {
    const row = rows[change] as number;
    const us = timesUs[change] as number;
    if (us < (presentFromUs[row] as number)) presentFromUs[row] = us;
  }
  return { presentFromUs, allPresentUs: presentFromUs.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) };
}

/** Rows of the features that exist at a time. */
export function presentRows({ features, presentFromUs, allPresentUs }: Presence, us: number): Int32Array {
  if (us >= allPresentUs) return features.rows;
  const rows = features.rows.slice();
  let count = 0;
  for (let row = 0; row < rows.length; row += 1) {
    rows[count] = row;
    count += Number((presentFromUs[row] as number) <= us);
  }
  return rows.subarray(0, count);
}

/**
 * First date that sees each feature, by row; the number of dates if there is none.
 *
 * @param datesUs ascending
 */
export function appearances({ features, presentFromUs, allPresentUs }: Presence, datesUs: Float64Array): Int32Array {
  if (allPresentUs <= (datesUs[0] ?? allPresentUs)) return new Int32Array(features.count);
  return new DateLocator(datesUs).locateAll(presentFromUs);
}

/** Rows of the features that exist at a time, or of all. */
export function rowsAt(data: Presence, us: number, absent: "drop" | "keep" = "drop"): Int32Array {
  return absent === "drop" ? presentRows(data, us) : data.features.rows;
}
