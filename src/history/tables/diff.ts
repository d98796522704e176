import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { ABSENT, cellState, cellValue } from "../cell/cell-state.js";
import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";

/** One row a cell that was changed between two times, or that one of them does not have. */
export function diff(data: HistoryData, earlier: TimePoint, later: TimePoint): ColumnTable {
  const fromUs = resolveTimePoint(earlier, data.timeZone);
  const toUs = resolveTimePoint(later, data.timeZone);
  if (fromUs > toUs) {
    throw new ArgumentError(`${showValue(later)} is before ${showValue(earlier)}.`, {
      hint: "Give the earlier first.",
    });
  }
  const { features, index, names } = data;
  const cells = changedCells(data, fromUs, toUs);
  return toTable([
    ["id", cells.map(({ row }) => features.base("id").at(row))],
    ["visible_id", cells.map(({ row }) => features.base("visible_id").at(row))],
    ["column", cells.map(({ column }) => names[column])],
    ["before", cells.map(({ row, column, before }) => cellValue(data, row, column, before))],
    ["after", cells.map(({ row, column, after }) => cellValue(data, row, column, after))],
    ["before_state", cells.map(({ before }) => cellState(index, before))],
    ["after_state", cells.map(({ after }) => cellState(index, after))],
    ["changes", cells.map(({ changes }) => changes)],
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
    const presentUs = presentFromUs[row] ?? 0;
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
