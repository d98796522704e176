import type { ChangeIndex } from "./change-index.js";
import { codeArray } from "./change-log.js";
import type { DateLocator } from "./date-locator.js";

/** The changes of a column by the first date that sees them; those of a date in order of features, then of time. */
export interface ChangesByDate {
  /** Date `d` owns the entries `starts[d] … starts[d + 1]`. Changes after the last date are entries of none. */
  readonly starts: Int32Array;
  /** Row of each entry's feature. */
  readonly rows: Int32Array;
  /** Place of each entry in the index. */
  readonly places: Int32Array;
}

/** Counting sort: stable, so that of two changes of a cell the later one comes last. */
export function changesByDate(index: ChangeIndex, column: number, dates: DateLocator): ChangesByDate {
  const { offsets, rowCount, timesUs } = index;
  const firstCell = column * rowCount;
  const firstPlace = index.start(firstCell);
  const length = index.start(firstCell + rowCount) - firstPlace;
  const dateOf = codeArray(dates.count + 1, length);
  const starts = new Int32Array(dates.count + 2);
  for (let i = 0; i < length; i += 1) {
    const date = dates.locate(timesUs[firstPlace + i] ?? 0);
    dateOf[i] = date;
    starts[date + 1] = (starts[date + 1] ?? 0) + 1;
  }
  for (let date = 1; date < starts.length; date += 1) {
    starts[date] = (starts[date] ?? 0) + (starts[date - 1] ?? 0);
  }
  const next = starts.slice();
  const rows = new Int32Array(length);
  const places = new Int32Array(length);
  let place = firstPlace;
  for (let row = 0; row < rowCount; row += 1) {
    const end = offsets[firstCell + row + 1] ?? 0;
    for (; place < end; place += 1) {
      const date = dateOf[place - firstPlace] ?? 0;
      const entry = next[date] ?? 0;
      next[date] = entry + 1;
      rows[entry] = row;
      places[entry] = place;
    }
  }
  return { starts, rows, places };
}
