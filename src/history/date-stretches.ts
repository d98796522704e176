import { UNKNOWN } from "./cell-state.js";
import { undecided } from "./cells-at.js";
import type { DateLocator } from "./date-locator.js";
import type { HistoryData } from "./history-data.js";

/** Stretches of a grid's dates in which the cells of a column stay the same, feature by feature, in order of time. */
export interface DateStretches {
  readonly length: number;
  /** Row of each stretch's feature. */
  readonly rows: Int32Array;
  /** First date. */
  readonly from: Int32Array;
  /** Date after the last. */
  readonly to: Int32Array;
  readonly cells: Int32Array;
}

/**
 * Cuts the life of every feature into stretches of dates: one look at each change, however many dates. Cells that no
 * date sees are passed over.
 */
export function dateStretches(data: HistoryData, column: number, dates: DateLocator): DateStretches {
  const { presentFromUs } = data;
  const { offsets, timesUs, rowCount } = data.index;
  const first = column * rowCount;
  const capacity = rowCount + (offsets[first + rowCount] ?? 0) - (offsets[first] ?? 0);
  const rows = new Int32Array(capacity);
  const from = new Int32Array(capacity);
  const to = new Int32Array(capacity);
  const cells = new Int32Array(capacity);
  let length = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const end = offsets[first + row + 1] ?? 0;
    let place = offsets[first + row] ?? 0;
    let cell = place === end ? undecided(data, first + row) : UNKNOWN;
    let begin = dates.locate(presentFromUs[row] ?? 0);
    for (; begin < dates.count; place += 1) {
      const until = place < end ? dates.locate(timesUs[place] ?? 0) : dates.count;
      if (until > begin) {
        rows[length] = row;
        from[length] = begin;
        to[length] = until;
        cells[length] = cell;
        length += 1;
        begin = until;
      }
      cell = place;
    }
  }
  return { length, rows, from, to, cells };
}
