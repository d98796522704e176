import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { NONE } from "../log/change-log.js";
import { ColumnSweep } from "./column-sweep.js";
import { type DecidedCells, REASONS } from "./decided-cells.js";
import { type JoinedRows, NOWHERE } from "./joined-rows.js";
import { placeAfter } from "./place-after.js";

/** Rows between which changes are walked through: few features change within so few. */
const SLICE = 256;

/**
 * Decides the cells of a column in one walk through its changes, for rows in order of time that know all of them. What the
 * features have at the moment stays in the processor's cache, which the index of the changes does not. Only a cell that
 * changes between the first and the last row of a slice is searched.
 */
export function sweepCells(data: HistoryData, column: number, rows: JoinedRows, cells: DecidedCells): void {
  const { us } = rows.times;
  const sweep = new ColumnSweep(data, column, cells.changedUs !== undefined);
  for (let start = 0; start < rows.length; start += SLICE) {
    const end = Math.min(start + SLICE, rows.length);
    const untilUs = us[end - 1] ?? 0;
    sweep.advance(us[start] ?? 0);
    sweep.lookAhead(untilUs);
    decideSlice({ data, column, rows, sweep, cells }, start, end);
    sweep.advance(untilUs);
  }
}

/** What the cells of a slice are decided by, and where that is written. */
interface Sweeping {
  readonly data: HistoryData;
  readonly column: number;
  readonly rows: JoinedRows;
  readonly sweep: ColumnSweep;
  readonly cells: DecidedCells;
}

function decideSlice({ data, column, rows, sweep, cells }: Sweeping, start: number, end: number): void {
  const { index, log } = data;
  const { features, times } = rows;
  const { current, latest, changing } = sweep;
  const { codes, changedUs } = cells;
  for (let row = start; row < end; row += 1) {
    const feature = features[row] ?? NOWHERE;
    if (feature === NOWHERE) continue;
    let code = current[feature] ?? 0;
    let change = latest ? (latest[feature] ?? NONE) : NONE;
    if (code === changing) {
      const cell = index.cell(feature, column);
      const first = index.start(cell);
      const after = placeAfter(index.timesUs, first, index.end(cell), times.us[row] ?? 0);
      const isDecided = after > first;
      code = (isDecided ? (index.valueCodes[after - 1] ?? 0) : undecided(data, cell)) + REASONS;
      change = isDecided ? (index.order[after - 1] ?? 0) : NONE;
    }
    codes[row] = code;
    if (changedUs && change !== NONE) changedUs[row] = log.timesUs[change] ?? 0;
  }
}
