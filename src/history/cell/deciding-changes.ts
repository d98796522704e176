import type { Codes } from "../log/change-log.js";
import { ABSENT, UNCHANGED, UNKNOWN } from "./cell-state.js";
import type { HistoryData } from "./history-data.js";

/**
 * What decides the cells of a column at a time.
 *
 * @param counts how many changes each feature has in the column at or before the time
 * @param backfill whether the first later change stands where changes exist but all are later
 * @returns the decision about a feature's cell, by its row
 */
export function decidingChanges(
  data: HistoryData,
  column: number,
  counts: Codes,
  us: number,
  backfill = false,
): (row: number) => number {
  const { index, presentFromUs } = data;
  return (row) => {
    const cell = index.cell(row, column);
    const start = index.start(cell);
    const count = counts[row] as number;
    if (count > 0) return start + count - 1;
    if ((presentFromUs[row] as number) > us) return ABSENT;
    return backfill && index.end(cell) > start ? start : undecided(data, cell);
  };
}

/** Why no change decides a cell: the whole log has none, or none that was made by then and known. */
export function undecided({ fullIndex }: HistoryData, cell: number): number {
  return fullIndex.end(cell) > fullIndex.start(cell) ? UNKNOWN : UNCHANGED;
}
