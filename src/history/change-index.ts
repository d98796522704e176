import type { ChangeLog } from "./change-log.js";

/** No change. */
export const NONE = -1;

/**
 * The changes of every cell (feature and column) in valid order: by `created_at`, then by id.
 *
 * Compressed rows: cell `c` owns `order[offsets[c] … offsets[c + 1])`, positions in the log.
 */
export class ChangeIndex {
  readonly columnCount: number;
  readonly offsets: Int32Array;
  readonly order: Int32Array;
  /** Valid times in the order of `order`, microseconds. */
  readonly timesUs: Float64Array;

  /**
   * @param columnOfKey column of each key of the log; `NONE` leaves its changes out
   */
  constructor(log: ChangeLog, rowCount: number, columnCount: number, columnOfKey: readonly number[]) {
    this.columnCount = columnCount;
    const cells = Int32Array.from(log.rows, (row, change) => {
      const column = columnOfKey[log.keyCodes[change] ?? NONE] ?? NONE;
      return column === NONE ? NONE : row * columnCount + column;
    });
    this.offsets = cellOffsets(cells, rowCount * columnCount);
    this.order = placeByCell(cells, this.offsets);
    sortCells(this.offsets, this.order, log.timesUs);
    this.timesUs = Float64Array.from(this.order, (change) => log.timesUs[change] ?? 0);
  }

  /** Whether the log has any change of a cell. */
  hasChanges(row: number, column: number): boolean {
    const cell = row * this.columnCount + column;
    return (this.offsets[cell] ?? 0) < (this.offsets[cell + 1] ?? 0);
  }

  /** Position in the log of a cell's last change at or before a time; `NONE` if there is none. */
  lastAt(row: number, column: number, us: number): number {
    const cell = row * this.columnCount + column;
    const start = this.offsets[cell] ?? 0;
    let low = start;
    let high = this.offsets[cell + 1] ?? 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.timesUs[middle] ?? 0) <= us) low = middle + 1;
      else high = middle;
    }
    return low > start ? (this.order[low - 1] ?? NONE) : NONE;
  }

  /** Position in the log of a cell's first change; `NONE` if there is none. */
  first(row: number, column: number): number {
    const cell = row * this.columnCount + column;
    return this.hasChanges(row, column) ? (this.order[this.offsets[cell] ?? 0] ?? NONE) : NONE;
  }
}

function cellOffsets(cells: Int32Array, cellCount: number): Int32Array {
  const offsets = new Int32Array(cellCount + 1);
  for (const cell of cells) if (cell !== NONE) offsets[cell + 1] = (offsets[cell + 1] ?? 0) + 1;
  for (let cell = 0; cell < cellCount; cell += 1) offsets[cell + 1] = (offsets[cell + 1] ?? 0) + (offsets[cell] ?? 0);
  return offsets;
}

/** Counting sort: stable, so changes of a cell stay in order of insertion. */
function placeByCell(cells: Int32Array, offsets: Int32Array): Int32Array {
  const next = offsets.slice(0, -1);
  const order = new Int32Array(offsets[offsets.length - 1] ?? 0);
  cells.forEach((cell, change) => {
    if (cell === NONE) return;
    const place = next[cell] ?? 0;
    order[place] = change;
    next[cell] = place + 1;
  });
  return order;
}

/** Sorts each cell by time. Log positions rise with ids, so equal times fall back on them. */
function sortCells(offsets: Int32Array, order: Int32Array, timesUs: Float64Array): void {
  for (let cell = 0; cell + 1 < offsets.length; cell += 1) {
    const [start, end] = [offsets[cell] ?? 0, offsets[cell + 1] ?? 0];
    if (end - start < 2) continue;
    order.subarray(start, end).sort((a, b) => (timesUs[a] ?? 0) - (timesUs[b] ?? 0) || a - b);
  }
}
