import type { ChangeLog } from "../log/change-log.js";
import { DateLocator } from "../time/date-grid.js";
import type { FeatureRows } from "./feature-rows.js";
import type { HistoryData } from "./history-data.js";

/** Features and the intervals in which they exist. */
export type Presence = Pick<
  HistoryData,
  "features" | "presentFromUs" | "presentUntilUs" | "allPresentUs" | "firstGoneUs"
>;

/**
 * The intervals in which features exist: from their creation, or the first change of any property if that was earlier,
 * until they were found to be deleted.
 *
 * @param knownUs last microsecond of the known log: features created later are only known by their changes
 */
export function presence(
  features: FeatureRows,
  { rows, timesUs, length }: Pick<ChangeLog, "rows" | "timesUs" | "length">,
  knownUs = Number.POSITIVE_INFINITY,
): Presence {
  const presentFromUs = features.createdUs.map((us) => (us > knownUs ? Number.POSITIVE_INFINITY : us));
  for (let change = 0; change < length; change += 1) {
    const row = rows[change] as number;
    const us = timesUs[change] as number;
    if (us < (presentFromUs[row] as number)) presentFromUs[row] = us;
  }
  const presentUntilUs = features.goneUs?.map((us) => (us > knownUs ? Number.POSITIVE_INFINITY : us));
  return {
    features,
    presentFromUs,
    presentUntilUs,
    allPresentUs: presentFromUs.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
    firstGoneUs: presentUntilUs?.reduce((a, b) => Math.min(a, b)) ?? Number.POSITIVE_INFINITY,
  };
}

/** Rows of the features that exist at a time. */
export function presentRows(data: Presence, us: number): Int32Array {
  const { features, allPresentUs, firstGoneUs } = data;
  if (us >= allPresentUs && us < firstGoneUs) return features.rows;
  const rows = features.rows.slice();
  let count = 0;
  for (let row = 0; row < rows.length; row += 1) {
    rows[count] = row;
    count += Number(!isAbsent(data, row, us));
  }
  // A subarray would keep the whole array in memory.
  return rows.slice(0, count);
}

/** Whether a feature does not exist yet at a time, or no longer. */
export function isAbsent(
  { presentFromUs, presentUntilUs }: Pick<Presence, "presentFromUs" | "presentUntilUs">,
  row: number,
  us: number,
): boolean {
  return (presentFromUs[row] as number) > us || (presentUntilUs !== undefined && (presentUntilUs[row] as number) <= us);
}

/** The first microsecond at which a feature no longer exists; Infinity if it exists. */
export function goneFromUs({ presentUntilUs }: Pick<Presence, "presentUntilUs">, row: number): number {
  return presentUntilUs ? (presentUntilUs[row] as number) : Number.POSITIVE_INFINITY;
}

/** The dates that see each feature, by row. */
export interface SeenDates {
  /** The first date that sees the feature; the number of dates if no date does. */
  readonly appearsAt: Int32Array;
  /** The first date at which the feature is gone; the number of dates if it never is. Undefined if all features exist. */
  readonly leavesAt: Int32Array | undefined;
}

/** @param datesUs ascending */
export function seenDates(data: Presence, datesUs: Float64Array): SeenDates {
  const { features, presentFromUs, presentUntilUs, allPresentUs } = data;
  const locator = new DateLocator(datesUs);
  const appearsAt =
    allPresentUs <= (datesUs[0] ?? allPresentUs) ? new Int32Array(features.count) : locator.locateAll(presentFromUs);
  if (!presentUntilUs) return { appearsAt, leavesAt: undefined };
  const leavesAt = locator.locateAll(presentUntilUs);
  const seen = appearsAt.map((date, row) => (date < (leavesAt[row] as number) ? date : datesUs.length));
  return { appearsAt: seen, leavesAt };
}

/** The features of each date, given the date of each feature. */
export function rowsOfDates(dateOf: Int32Array, dateCount: number): readonly (readonly number[])[] {
  const rows: number[][] = Array.from({ length: dateCount }, () => []);
  dateOf.forEach((date, row) => {
    rows[date]?.push(row);
  });
  return rows;
}

/** Rows of the features that exist at a time, or of all. */
export function rowsAt(data: Presence, us: number, absent: "drop" | "keep" = "drop"): Int32Array {
  return absent === "drop" ? presentRows(data, us) : data.features.rows;
}
