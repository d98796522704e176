import { ABSENT, UNCHANGED, UNKNOWN } from "./cell-state.js";
import { type ChangeIndex, endAt } from "./change-index.js";
import type { HistoryData } from "./history-data.js";
import type { RowsAt } from "./present-rows.js";

/**
 * The cells of some features in a column at a time.
 *
 * @param backfill whether the first later change stands where changes exist but all are later
 */
export function cellsAt(
  data: HistoryData,
  column: number,
  { rows, hasAbsent }: RowsAt,
  us: number,
  backfill = false,
): Int32Array {
  const { index, fullIndex, presentFromUs } = data;
  const cells = lastChanges(index, column, us, backfill);
  if (fullIndex !== index) {
    cells.forEach((cell, row) => {
      if (cell === UNCHANGED) cells[row] = undecided(data, index.cell(row, column));
    });
  }
  if (hasAbsent) {
    cells.forEach((_, row) => {
      if ((presentFromUs[row] ?? 0) > us) cells[row] = ABSENT;
    });
  }
  return rows.length === cells.length ? cells : rows.map((row) => cells[row] ?? ABSENT);
}

/** Why no change decides a cell: the whole log has none, or none that was made by then and known. */
export function undecided({ fullIndex }: HistoryData, cell: number): number {
  return fullIndex.end(cell) > fullIndex.start(cell) ? UNKNOWN : UNCHANGED;
}

/**
 * One walk over a column. How many of a cell's few changes are early enough is as good as random, and a branch that
 * cannot be predicted costs more than all four comparisons: cells of up to four changes are decided by arithmetic.
 */
function lastChanges(index: ChangeIndex, column: number, us: number, backfill: boolean): Int32Array {
  const { offsets, timesUs, rowCount } = index;
  const cells = new Int32Array(rowCount);
  const first = column * rowCount;
  const lastFour = timesUs.length - 4;
  let start = offsets[first] ?? 0;
  for (let row = 0; row < rowCount; row += 1) {
    const end = offsets[first + row + 1] ?? 0;
    const length = end - start;
    const count =
      length <= 4 && start <= lastFour
        ? countOfFour(timesUs, start, length, us)
        : endAt(timesUs, start, end, us) - start;
    // All bits set where a change decides the cell, none where the reason stands: UNKNOWN with later changes, UNCHANGED.
    const decided = -Number(count > 0);
    cells[row] = ((start + count - 1) & decided) | ((UNCHANGED + Number(length > 0)) & ~decided);
    start = end;
  }
  if (backfill)
    cells.forEach((cell, row) => {
      if (cell === UNKNOWN) cells[row] = offsets[first + row] ?? UNKNOWN;
    });
  return cells;
}

/** How many of the first `length` of four times are at or before another. */
function countOfFour(timesUs: Float64Array, start: number, length: number, us: number): number {
  return (
    (Number((timesUs[start] ?? 0) <= us) & Number(length > 0)) +
    (Number((timesUs[start + 1] ?? 0) <= us) & Number(length > 1)) +
    (Number((timesUs[start + 2] ?? 0) <= us) & Number(length > 2)) +
    (Number((timesUs[start + 3] ?? 0) <= us) & Number(length > 3))
  );
}
