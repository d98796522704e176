import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { toTable } from "../../tables/column/table.js";
import { ABSENT, type CellState, cellState, cellValue } from "../cell/cell-state.js";
import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { computedColumn } from "../columns/block-column.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";

/** One row a cell that was changed between two times, or that one of them does not have. */
export function diff(data: HistoryData, earlier: TimePoint, later: TimePoint): ColumnTable {
  const { fromUs, toUs } = timesBetween(data, earlier, later);
  const cells = changedCells(data, fromUs, toUs);
  const { index } = data;
  const at = (cell: number): ChangedCell =>
    cells[cell] ?? { row: 0, column: 0, before: ABSENT, after: ABSENT, changes: 0 };
  return diffTable(data, {
    length: cells.length,
    row: (cell) => at(cell).row,
    column: (cell) => at(cell).column,
    before: (cell) => cellValue(data, at(cell).row, at(cell).column, at(cell).before),
    after: (cell) => cellValue(data, at(cell).row, at(cell).column, at(cell).after),
    beforeState: (cell) => cellState(index, at(cell).before),
    afterState: (cell) => cellState(index, at(cell).after),
    changes: (cell) => at(cell).changes,
  });
}

/**
 * The times between which a diff is asked for, microseconds since 1970.
 *
 * @throws ArgumentError if the later one is the earlier
 */
export function timesBetween(
  { timeZone }: Pick<HistoryData, "timeZone">,
  earlier: TimePoint,
  later: TimePoint,
): { readonly fromUs: number; readonly toUs: number } {
  const fromUs = resolveTimePoint(earlier, timeZone);
  const toUs = resolveTimePoint(later, timeZone);
  if (fromUs <= toUs) return { fromUs, toUs };
  throw new ArgumentError(`${showValue(later)} is before ${showValue(earlier)}.`, {
    hint: "Give the earlier first.",
  });
}

/** Cells that differ between two times, by number. */
export interface Differences {
  readonly length: number;
  row(cell: number): number;
  column(cell: number): number;
  before(cell: number): unknown;
  after(cell: number): unknown;
  beforeState(cell: number): CellState;
  afterState(cell: number): CellState;
  changes(cell: number): number;
}

/** A row for each cell that differs. */
export function diffTable(
  { features, names }: Pick<HistoryData, "features" | "names">,
  cells: Differences,
): ColumnTable {
  const each = <T>(get: (cell: number) => T) => computedColumn(cells.length, get);
  return toTable([
    ["id", each((cell) => features.base("id").at(cells.row(cell)))],
    ["visible_id", each((cell) => features.base("visible_id").at(cells.row(cell)))],
    ["column", each((cell) => names[cells.column(cell)])],
    ["before", each((cell) => cells.before(cell))],
    ["after", each((cell) => cells.after(cell))],
    ["before_state", each((cell) => cells.beforeState(cell))],
    ["after_state", each((cell) => cells.afterState(cell))],
    ["changes", each((cell) => cells.changes(cell))],
  ]);
}

interface ChangedCell {
  readonly row: number;
  readonly column: number;
  readonly before: number;
  readonly after: number;
  readonly changes: number;
}

function changedCells(data: HistoryData, fromUs: number, toUs: number): readonly ChangedCell[] {
  const { index, names, presentFromUs } = data;
  const counts = names.map((_, column) => [index.countsAt(column, fromUs), index.countsAt(column, toUs)] as const);
  const found: ChangedCell[] = [];
  for (let row = 0; row < presentFromUs.length; row += 1) {
    const presentUs = presentFromUs[row] as number;
    if (presentUs > toUs) continue;
    const appears = presentUs > fromUs;
    for (let column = 0; column < names.length; column += 1) {
      const cell = index.cell(row, column);
      const [before, after] = [counts[column]?.[0][row] ?? 0, counts[column]?.[1][row] ?? 0];
      if (before === after && !appears) continue;
      const at = (count: number) => (count > 0 ? index.start(cell) + count - 1 : undecided(data, cell));
      found.push({
        row,
        column,
        before: appears ? ABSENT : at(before),
        after: at(after),
        changes: after - before,
      });
    }
  }
  return found;
}
