import { type ChangeLog, NONE } from "./change-log.js";
import { sortByTime } from "./sort-by-time.js";

/**
 * The changes of every cell (column and feature) in valid order: by `created_at`, then by id.
 *
 * Compressed sparse rows: cell `c` owns the places `offsets[c] … offsets[c + 1]` of `order` and `timesUs`. The cells of
 * one column lie together, in the order of features.
 */
export class ChangeIndex {
  readonly rowCount: number;
  readonly offsets: Int32Array;
  /** Positions in the log. */
  readonly order: Int32Array;
  /** Valid times of `order`, microseconds. */
  readonly timesUs: Float64Array;
  /** Value codes of `order`. A copy, since reading the log in this order misses the cache each time. */
  readonly valueCodes: Int32Array;

  /**
   * @param columnOfKey column of each key of the log; `NONE` leaves its changes out
   */
  constructor(log: ChangeLog, rowCount: number, columnCount: number, columnOfKey: Int32Array) {
    this.rowCount = rowCount;
    this.offsets = new Int32Array(rowCount * columnCount + 1);
    countByCell(log, rowCount, columnOfKey, this.offsets);
    const length = this.offsets[rowCount * columnCount] ?? 0;
    this.order = new Int32Array(length);
    this.timesUs = new Float64Array(length);
    placeByCell(this, log, columnOfKey);
    for (let cell = 0; cell < rowCount * columnCount; cell += 1) {
      sortByTime(this.order, this.timesUs, this.offsets[cell] ?? 0, this.offsets[cell + 1] ?? 0);
    }
    this.valueCodes = this.order.map((change) => log.valueCodes[change] ?? 0);
  }

  /** The cell of a feature in a column. */
  cell(row: number, column: number): number {
    return column * this.rowCount + row;
  }

  /** First place of a cell. */
  start(cell: number): number {
    return this.offsets[cell] ?? 0;
  }

  /** Place after the last of a cell. */
  end(cell: number): number {
    return this.offsets[cell + 1] ?? 0;
  }

  /** Place after a cell's last change at or before a time; its `start` if there is none. */
  endAt(cell: number, us: number): number {
    return endAt(this.timesUs, this.start(cell), this.end(cell), us);
  }
}

/** Place after the last time of an ascending stretch that is at or before another. */
export function endAt(timesUs: Float64Array, start: number, end: number, us: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timesUs[middle] ?? 0) <= us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Leaves in `offsets` where each cell begins. */
function countByCell(log: ChangeLog, rowCount: number, columnOfKey: Int32Array, offsets: Int32Array): void {
  const { rows, keyCodes, length } = log;
  for (let change = 0; change < length; change += 1) {
    const column = columnOfKey[keyCodes[change] ?? 0] ?? NONE;
    if (column === NONE) continue;
    const cell = column * rowCount + (rows[change] ?? 0);
    offsets[cell + 1] = (offsets[cell + 1] ?? 0) + 1;
  }
  for (let cell = 1; cell < offsets.length; cell += 1) {
    offsets[cell] = (offsets[cell] ?? 0) + (offsets[cell - 1] ?? 0);
  }
}

/** Counting sort: stable, so the changes of a cell stay in order of insertion. */
function placeByCell(index: ChangeIndex, log: ChangeLog, columnOfKey: Int32Array): void {
  const { rowCount, offsets, order, timesUs } = index;
  const { rows, keyCodes, length } = log;
  const next = offsets.slice();
  for (let change = 0; change < length; change += 1) {
    const column = columnOfKey[keyCodes[change] ?? 0] ?? NONE;
    if (column === NONE) continue;
    const cell = column * rowCount + (rows[change] ?? 0);
    const place = next[cell] ?? 0;
    next[cell] = place + 1;
    order[place] = change;
    timesUs[place] = log.timesUs[change] ?? 0;
  }
}
