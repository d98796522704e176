import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { checkOptions } from "../../core/check-options.js";
import { dateOf } from "../../core/instant.js";
import { type OptionRules, oneOf } from "../../core/option-rules.js";
import { ABSENT, cellState, cellValue } from "../cell/cell-state.js";
import { decidingChanges } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { rowsAt } from "../cell/present-rows.js";
import { computedColumn } from "../columns/computed-column.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";

/** Options of `history.states()`. */
export interface StatesOptions {
  /** Whether features that did not exist yet are left out (default) or listed with the state `absent`. */
  readonly absent?: "drop" | "keep";
}

const statesRules: OptionRules<StatesOptions> = {
  absent: oneOf("drop", "keep"),
};

/** One row a cell: its value at a time and how that is known. */
export function states(data: HistoryData, point: TimePoint, options: StatesOptions = {}): ColumnTable {
  checkOptions("states()", options, statesRules);
  const us = resolveTimePoint(point, data.timeZone);
  const { columns, features, index, log } = data;
  const rows = rowsAt(data, us, options.absent);
  // Decided once: ten columns ask for them.
  const decisions = columns.map((_, column) => rows.map(decidingChanges(data, column, us)));
  const each = <T>(get: (row: number, column: number, decision: number) => T) =>
    computedColumn(rows.length * columns.length, (index) => {
      const [entry, column] = [Math.floor(index / columns.length), index % columns.length];
      return get(rows[entry] ?? 0, column, decisions[column]?.[entry] ?? ABSENT);
    });
  const ofChange = <T>(get: (change: number) => T) =>
    each((_row, _column, decision) => (decision < 0 ? null : get(index.order[decision] ?? 0)));
  return toTable([
    ["id", each((row) => features.base("id").at(row))],
    ["visible_id", each((row) => features.base("visible_id").at(row))],
    ["column", each((_, column) => columns[column]?.column)],
    ["value", each((row, column, decision) => cellValue(data, row, column, decision))],
    ["state", each((_row, _column, decision) => cellState(index, decision))],
    ["change_id", ofChange((change) => log.ids.at(change))],
    ["changed_at", ofChange((change) => dateOf(log.timesUs[change] ?? 0))],
    ["changed_at_us", ofChange((change) => log.timesUs[change])],
    ["user_id", ofChange((change) => log.users[log.userCodes[change] ?? 0])],
    ["system", ofChange((change) => log.system[change] === 1)],
  ]);
}
