import { binarySearch } from "../../core/binary-search.js";
import { freeMemory } from "../../core/free-memory.js";
import { type ChangeLog, type Codes, codeArray, NONE } from "../log/change-log.js";
import { validOrder } from "../log/valid-order.js";

/** Minimum number of changes between stored counts: counting fewer takes no time. */
const LEAST_STEP = 4096;

/**
 * The number of changes of each feature in one column at or before a time.
 *
 * Counts are stored at intermediate times, with at most two bytes per change. For other times, the changes from the
 * nearest stored counts are added or subtracted: the work grows with the features, not with the log.
 */
class RunningCounts {
  readonly #log: ChangeLog;
  readonly #byTime: Int32Array;
  readonly #step: number;
  /** The counts after `#step` changes, after twice as many and so on. */
  readonly #kept: Codes[] = [];
  readonly #none: () => Codes;

  /**
   * @param byTime indices of the column's changes in the log, in order of time
   * @param most maximum number of changes of a feature in the column
   */
  constructor(log: ChangeLog, byTime: Int32Array, rowCount: number, most: number) {
    this.#log = log;
    this.#byTime = byTime;
    this.#none = () => codeArray(most + 1, rowCount);
    const counts = this.#none();
    this.#step = Math.max(counts.byteLength >> 1, LEAST_STEP);
    for (let end = this.#step; end <= byTime.length; end += this.#step) {
      this.#count(counts, end - this.#step, end);
      this.#kept.push(counts.slice());
    }
  }

  /** Counts by row of the changes at or before a time. */
  at(us: number): Codes {
    const { timesUs } = this.#log;
    const end = binarySearch(this.#byTime.length, (index) => (timesUs[this.#byTime[index] as number] as number) <= us);
    const nearest = Math.min(Math.round(end / this.#step), this.#kept.length);
    const counts = this.#kept[nearest - 1]?.slice() ?? this.#none();
    this.#count(counts, nearest * this.#step, end);
    return counts;
  }

  /** Adds the changes from one index in order of time to another; subtracts them if the second is before the first. */
  #count(counts: Codes, from: number, to: number): void {
    const { rows } = this.#log;
    const byTime = this.#byTime;
    const step = to < from ? -1 : 1;
    const end = Math.max(from, to);
    for (let index = Math.min(from, to); index < end; index += 1) {
      const row = rows[byTime[index] as number] as number;
      counts[row] = (counts[row] as number) + step;
    }
  }
}

/**
 * The changes of every cell (column and feature) in valid order: by `created_at`, then by id.
 *
 * Compressed sparse rows: cell `c` has the indices `offsets[c] … offsets[c + 1]` of `order` and `timesUs`. The cells of
 * one column are adjacent, in the order of features.
 */
export class ChangeIndex {
  readonly rowCount: number;
  readonly offsets: Int32Array;
  /** Indices in the log. */
  readonly order: Int32Array;
  /** Valid times of `order`, in microseconds. */
  readonly timesUs: Float64Array;
  /** Value codes of `order`. A copy, because reading the log in this order misses the cache each time. */
  readonly valueCodes: Codes;
  /** Indices in the log, column after column as in `order`, but each column in order of time. */
  readonly byTime: Int32Array;
  readonly #log: ChangeLog;
  readonly #runningCounts: (RunningCounts | undefined)[];

  /** @param columnOfKey column of each key of the log; `NONE` leaves its changes out */
  constructor(log: ChangeLog, rowCount: number, columnCount: number, columnOfKey: Int32Array) {
    const starts = columnStarts(log, columnCount, columnOfKey);
    const length = starts[columnCount] as number;
    this.rowCount = rowCount;
    this.offsets = new Int32Array(rowCount * columnCount + 1);
    this.order = new Int32Array(length);
    this.timesUs = new Float64Array(length);
    this.valueCodes = codeArray(log.values.length, length);
    this.byTime = new Int32Array(length);
    this.#log = log;
    this.#runningCounts = new Array(columnCount);
    placeByTime(this, log, starts, columnOfKey);
    for (let column = 0; column < columnCount; column += 1) {
      const changes = this.byTime.subarray(starts[column], starts[column + 1]);
      countByCell(this, log, changes, column);
      placeByCell(this, log, changes, column);
    }
  }

  /** The cell of a feature in a column. */
  cell(row: number, column: number): number {
    return column * this.rowCount + row;
  }

  /** First index of a cell. */
  start(cell: number): number {
    return this.offsets[cell] as number;
  }

  /** Index after the last of a cell. */
  end(cell: number): number {
    return this.offsets[cell + 1] as number;
  }

  /** Index of a cell's last change at or before a time; undefined if all are later. */
  lastUpTo(cell: number, us: number): number | undefined {
    const start = this.start(cell);
    let index = this.end(cell) - 1;
    while (index >= start && (this.timesUs[index] as number) > us) index -= 1;
    return index < start ? undefined : index;
  }

  /** The range (start to before end) of a column's changes. */
  placesOf(column: number): readonly [start: number, end: number] {
    return [this.start(this.cell(0, column)), this.start(this.cell(0, column + 1))];
  }

  /** The changes of a column: indices in the log, in valid order. */
  changesOf(column: number): Int32Array {
    return this.byTime.subarray(...this.placesOf(column));
  }

  /** How many changes each feature has in a column at or before a time. */
  countsAt(column: number, us: number): Codes {
    this.#runningCounts[column] ??= this.#countColumn(column);
    return this.#runningCounts[column].at(us);
  }

  #countColumn(column: number): RunningCounts {
    let most = 0;
    const last = this.cell(0, column + 1);
    for (let cell = this.cell(0, column); cell < last; cell += 1) {
      most = Math.max(most, this.end(cell) - this.start(cell));
    }
    return new RunningCounts(this.#log, this.changesOf(column), this.rowCount, most);
  }
}

/** Start of the changes of each column, and the end of the last one. */
function columnStarts({ keyCodes, length }: ChangeLog, columnCount: number, columnOfKey: Int32Array): Int32Array {
  const starts = new Int32Array(columnCount + 1);
  for (let change = 0; change < length; change += 1) {
    const column = columnOfKey[keyCodes[change] as number] as number;
    if (column !== NONE) starts[column + 1] = (starts[column + 1] as number) + 1;
  }
  addUp(starts);
  return starts;
}

/** Fills `byTime`. */
function placeByTime({ byTime }: ChangeIndex, log: ChangeLog, starts: Int32Array, columnOfKey: Int32Array): void {
  const changes = validOrder(log.timesUs);
  const next = starts.slice();
  for (let entry = 0; entry < changes.length; entry += 1) {
    const change = changes[entry] as number;
    const column = columnOfKey[log.keyCodes[change] as number] as number;
    if (column === NONE) continue;
    const index = next[column] as number;
    byTime[index] = change;
    next[column] = index + 1;
  }
  freeMemory(changes);
}

/** Writes the ends of a column's cells to `offsets`, given those before. */
function countByCell({ offsets, rowCount }: ChangeIndex, log: ChangeLog, changes: Int32Array, column: number): void {
  const before = column * rowCount;
  const ends = offsets.subarray(before, before + rowCount + 1);
  for (let entry = 0; entry < changes.length; entry += 1) {
    const row = log.rows[changes[entry] as number] as number;
    ends[row + 1] = (ends[row + 1] as number) + 1;
  }
  addUp(ends);
}

function addUp(numbers: Int32Array): void {
  for (let index = 1; index < numbers.length; index += 1) {
    numbers[index] = (numbers[index] as number) + (numbers[index - 1] as number);
  }
}

/** Counting sort by cell of one column's changes. It is stable, so they stay in valid order. */
function placeByCell(index: ChangeIndex, log: ChangeLog, changes: Int32Array, column: number): void {
  const { rowCount, offsets, order, timesUs, valueCodes } = index;
  const next = offsets.slice(column * rowCount, (column + 1) * rowCount);
  for (let entry = 0; entry < changes.length; entry += 1) {
    const change = changes[entry] as number;
    const row = log.rows[change] as number;
    const position = next[row] as number;
    next[row] = position + 1;
    order[position] = change;
    timesUs[position] = log.timesUs[change] as number;
    valueCodes[position] = log.valueCodes[change] as number;
  }
}

/**
 * Numbers the distinct values that the changes of one column have. A column usually has far fewer values than the log,
 * so arrays per cell or value can be smaller.
 *
 * @param first number of the value that appears first, above 0
 * @returns `numberOf` by value code of the log, 0 for values that the column does not have; `codes` of its values, in
 * the order of their numbers
 */
export function columnValues(
  { index, log }: { readonly index: ChangeIndex; readonly log: Pick<ChangeLog, "values"> },
  column: number,
  first: number,
): { readonly numberOf: Int32Array; readonly codes: readonly number[] } {
  const numberOf = new Int32Array(log.values.length);
  const codes: number[] = [];
  const [start, end] = index.placesOf(column);
  for (let position = start; position < end; position += 1) {
    const code = index.valueCodes[position] as number;
    if (numberOf[code] === 0) numberOf[code] = first + codes.push(code) - 1;
  }
  return { numberOf, codes };
}
