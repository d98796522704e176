import { upperBound } from "../../core/binary-search.js";
import { ABSENT, REASONS, UNKNOWN } from "../cell/cell-state.js";
import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { type ChangeLog, type Codes, codeArray, NONE } from "../log/change-log.js";
import { type DecidedCells, type JoinedRows, NOWHERE } from "./joined-column.js";
import type { RowsByFeature } from "./locate-rows.js";

/** Cells with at most this many changes, the usual case, use a linear search. */
const FEW = 4;

/** A pass through the changes of a column in valid order, with the content of each feature so far. */
class ColumnSweep {
  /** By feature: the code of its value or the reason for none, each shifted by `REASONS`; or `changing`. */
  readonly current: Codes;
  /** By feature: the change that decides, or `NONE`. Only kept if requested. */
  readonly latest: Int32Array | undefined;
  /** Code of a feature whose upcoming changes were looked ahead: its content depends on the time. */
  readonly changing: number;
  readonly #log: ChangeLog;
  readonly #changes: Int32Array;
  #next = 0;

  /** @param keepsLatest whether to keep the change that decides */
  constructor(data: HistoryData, column: number, keepsLatest: boolean) {
    const { index, log, features } = data;
    this.changing = log.values.length + REASONS;
    this.current = codeArray(this.changing + 1, features.count);
    const first = index.cell(0, column);
    for (let feature = 0; feature < features.count; feature += 1) {
      this.current[feature] = undecided(data, first + feature) + REASONS;
    }
    this.latest = keepsLatest ? new Int32Array(features.count).fill(NONE) : undefined;
    this.#log = log;
    this.#changes = index.changesOf(column);
  }

  /** Advances through the changes up to and including a time. */
  advance(us: number): void {
    const { timesUs, rows, valueCodes } = this.#log;
    const changes = this.#changes;
    const { current, latest } = this;
    let next = this.#next;
    for (; next < changes.length; next += 1) {
      const change = changes[next] as number;
      if ((timesUs[change] as number) > us) break;
      const feature = rows[change] as number;
      current[feature] = (valueCodes[change] as number) + REASONS;
      if (latest) latest[feature] = change;
    }
    this.#next = next;
  }

  /** Looks ahead: the features that change up to and including a time are `changing` until the pass reaches it. */
  lookAhead(us: number): void {
    const { timesUs, rows } = this.#log;
    const changes = this.#changes;
    for (let next = this.#next; next < changes.length; next += 1) {
      const change = changes[next] as number;
      if ((timesUs[change] as number) > us) break;
      this.current[rows[change] as number] = this.changing;
    }
  }
}

/** Number of rows per slice: few features change within it. */
const SLICE = 256;

/** The decisions of the cells of a slice, and the output arrays. */
interface Sweeping {
  readonly data: HistoryData;
  readonly column: number;
  readonly rows: JoinedRows;
  readonly sweep: ColumnSweep;
  readonly cells: DecidedCells;
}

/** The rows whose cells are decided. */
export interface DecidedRows {
  readonly rows: JoinedRows;
  /** Returns the rows by feature; called if they are processed in that order. */
  readonly byFeature: () => RowsByFeature;
  /** Whether the times of the changes are requested. */
  readonly withTimes: boolean;
}

/** Number of changes and features that a pass processes in the time of one search. */
const WALKED = 2;

/**
 * Decides the cells of one column: in one pass through the column's changes if the table is in order of time, else with
 * a search for each cell, by feature.
 */
export function decideCells(
  data: HistoryData,
  column: number,
  { rows, byFeature, withTimes }: DecidedRows,
): DecidedCells {
  const codes = codeArray(data.log.values.length + REASONS, rows.length).fill(UNKNOWN + REASONS);
  const changedUs = withTimes ? new Float64Array(rows.length).fill(Number.NaN) : undefined;
  const cells = { codes, changedUs };
  const walked = data.index.changesOf(column).length + data.features.count;
  if (rows.times.ascend && !rows.knownCounts && rows.length * WALKED >= walked) sweepCells(data, column, rows, cells);
  else searchCells(data, column, byFeature(), cells);
  if (rows.absent) markAbsent(cells, rows.absent);
  return cells;
}

/**
 * Index after the last change at or before a time. For few changes all are compared, also those of the next cell: an
 * unpredictable branch would cost more than these comparisons.
 */
function placeAfter(timesUs: Float64Array, start: number, end: number, us: number): number {
  const count = end - start;
  if (count <= FEW && start + FEW <= timesUs.length) {
    return (
      start +
      (Number((timesUs[start] as number) <= us) & Number(count > 0)) +
      (Number((timesUs[start + 1] as number) <= us) & Number(count > 1)) +
      (Number((timesUs[start + 2] as number) <= us) & Number(count > 2)) +
      (Number((timesUs[start + 3] as number) <= us) & Number(count > 3))
    );
  }
  return upperBound(timesUs, us, start, end);
}

/**
 * Decides the cells of a column in one pass through its changes, for rows in order of time that may use all of them.
 * The current contents of the features stay in the processor's cache, unlike the index of the changes. Only cells that
 * change between the first and the last row of a slice are searched.
 */
function sweepCells(data: HistoryData, column: number, rows: JoinedRows, cells: DecidedCells): void {
  const { us } = rows.times;
  const sweep = new ColumnSweep(data, column, cells.changedUs !== undefined);
  for (let start = 0; start < rows.length; start += SLICE) {
    const end = Math.min(start + SLICE, rows.length);
    const untilUs = us[end - 1] as number;
    sweep.advance(us[start] as number);
    sweep.lookAhead(untilUs);
    decideSlice({ data, column, rows, sweep, cells }, start, end);
    sweep.advance(untilUs);
  }
}

function decideSlice({ data, column, rows, sweep, cells }: Sweeping, start: number, end: number): void {
  const { index, log } = data;
  const { features, times } = rows;
  const { current, latest, changing } = sweep;
  const { codes, changedUs } = cells;
  for (let row = start; row < end; row += 1) {
    const feature = features[row] ?? NOWHERE;
    if (feature === NOWHERE) continue;
    let code = current[feature] as number;
    let change = latest ? (latest[feature] as number) : NONE;
    if (code === changing) {
      const cell = index.cell(feature, column);
      const first = index.start(cell);
      const after = placeAfter(index.timesUs, first, index.end(cell), times.us[row] as number);
      const isDecided = after > first;
      code = (isDecided ? (index.valueCodes[after - 1] as number) : undecided(data, cell)) + REASONS;
      change = isDecided ? (index.order[after - 1] as number) : NONE;
    }
    codes[row] = code;
    if (changedUs && change !== NONE) changedUs[row] = log.timesUs[change] as number;
  }
}

/** One pass over the column's part of the index, by feature. */
function searchCells(
  data: HistoryData,
  column: number,
  { length, features, us, knownCounts, rows }: RowsByFeature,
  { codes, changedUs }: DecidedCells,
): void {
  const { index } = data;
  const { offsets, timesUs, valueCodes, order } = index;
  const first = column * index.rowCount;
  for (let position = 0; position < length; position += 1) {
    const cell = first + (features[position] as number);
    const start = offsets[cell] as number;
    const end = offsets[cell + 1] as number;
    const row = rows[position] as number;
    if (start === end) {
      codes[row] = undecided(data, cell) + REASONS;
      continue;
    }
    let after = placeAfter(timesUs, start, end, us[position] as number);
    if (knownCounts) after = knownEnd(order, start, after, knownCounts[position] as number);
    // A mask instead of an unpredictable branch.
    const isDecided = (start - after) >> 31;
    const code = ((valueCodes[after + isDecided] as number) - UNKNOWN) & isDecided;
    codes[row] = code + UNKNOWN + REASONS;
    if (changedUs && after > start) changedUs[row] = timesUs[after - 1] as number;
  }
}

/** Marks cells without a deciding change whose features did not exist. */
function markAbsent({ codes, changedUs }: DecidedCells, absent: Uint8Array): void {
  for (let row = 0; row < codes.length; row += 1) {
    if (absent[row] !== 1) continue;
    codes[row] = ABSENT + REASONS;
    if (changedUs) changedUs[row] = Number.NaN;
  }
}

/** Index after the last of some changes that is among the first `limit` of the log. */
function knownEnd(order: Int32Array, start: number, end: number, limit: number): number {
  let last = end;
  while (last > start && (order[last - 1] as number) >= limit) last -= 1;
  return last;
}
