import { binarySearch } from "../../core/binary-search.js";
import { type CellState, stateOfCode } from "../cell/cell-state.js";
import { unchangedRows } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { columnValues } from "../index/change-index.js";
import { type Codes, codeArray, ValueDictionary } from "../log/change-log.js";

/** A coding of the contents of a column's cells. */
export interface CellCoding {
  /** Code by value code of the log, for cells with a change. */
  readonly ofValue: Int32Array;
  /** Code by row, for cells before their first change. */
  readonly before: Int32Array;
  /** Codes are below this. */
  readonly count: number;
}

/** The contents of a column's cells over time: `before`, until a change. */
export interface Timelines {
  /** Code by row, for cells before their first change. */
  readonly before: Int32Array;
  /** Codes are below this. */
  readonly count: number;
  /** Number of changes that each date sees. */
  readonly seen: Int32Array;
  /** Row of the feature of each change that a date sees, in valid order. */
  readonly rows: Int32Array;
  /** The new code. */
  readonly codes: Codes;
}

/**
 * The timelines of a column over some dates.
 *
 * @param datesUs ascending
 */
export function timelines(
  { index, log }: HistoryData,
  column: number,
  datesUs: Float64Array,
  { before, count, ofValue }: CellCoding,
): Timelines {
  const changes = index.changesOf(column);
  const seenAt = (us: number) =>
    binarySearch(changes.length, (position) => (log.timesUs[changes[position] as number] as number) <= us);
  const seen = Int32Array.from(datesUs, seenAt);
  // Reading the log takes most of the time: a loop that does nothing else waits the least.
  const length = seen.at(-1) ?? 0;
  const [rows, codes] = [new Int32Array(length), codeArray(count, length)];
  for (let position = 0; position < length; position += 1) {
    const change = changes[position] as number;
    rows[position] = log.rows[change] as number;
    codes[position] = ofValue[log.valueCodes[change] as number] as number;
  }
  return { before, count, seen, rows, codes };
}

/** The range (start to before end) of the changes that a date is the first to see. */
export function placesOfDate({ seen }: Timelines, date: number): readonly [start: number, end: number] {
  return [date === 0 ? 0 : (seen[date - 1] as number), seen[date] as number];
}

/** Timelines without changes. */
export function constantTimelines(before: Int32Array, count: number, dateCount: number): Timelines {
  return { before, count, seen: new Int32Array(dateCount), rows: new Int32Array(0), codes: codeArray(count, 0) };
}

/** The content of a cell: its state and its value. */
export interface CellContent {
  readonly state: CellState;
  readonly value: unknown;
}

/** A coding of state and value of a column's cells. */
interface ListedCellCoding extends CellCoding {
  /** Content of each code. */
  readonly entries: readonly CellContent[];
}

/** Codes for the contents of a column's cells; `unknown` is 0. */
export function cellCoding(data: HistoryData, column: number): ListedCellCoding {
  const { log, features, columns } = data;
  const unknown: CellContent = { state: "unknown", value: null };
  const { numberOf, codes } = columnValues(data, column, 1);
  const logged = codes.map((code): CellContent => ({ state: stateOfCode(code), value: log.values[code] }));
  const firstCurrent = 1 + logged.length;
  const current = new ValueDictionary();
  const before = new Int32Array(features.count);
  for (const row of unchangedRows(data, column)) {
    before[row] = firstCurrent + current.code(columns[column]?.values.at(row));
  }
  const unchanged = current.values.map((value): CellContent => ({ state: "unchanged", value }));
  const entries = [unknown, ...logged, ...unchanged];
  return { ofValue: numberOf, before, count: entries.length, entries };
}
