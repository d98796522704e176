import type { ColumnTable } from "arquero";
import { dateOf } from "../../core/instant.js";
import { checkOptions, type OptionRules, oneOf } from "../../core/options.js";
import { toTable } from "../../tables/column/table.js";
import type { BaseField } from "../../tables/read/feature-columns.js";
import { ABSENT, type CellState, cellState, cellValue } from "../cell/cell-state.js";
import { decidingChanges } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { rowsAt } from "../cell/present-rows.js";
import { computedColumn } from "../columns/block-column.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";

/** Options of `history.states()`. */
export interface StatesOptions {
  /** Whether features that did not exist yet are left out (default) or listed with the state `absent`. */
  readonly absent?: "drop" | "keep";
}

/** What it takes. */
export const statesRules: OptionRules<StatesOptions> = {
  absent: oneOf("drop", "keep"),
};

/** One row a cell: its value at a time and how that is known. */
export function states(data: HistoryData, point: TimePoint, options: StatesOptions = {}): ColumnTable {
  checkOptions("states()", options, statesRules);
  const us = resolveTimePoint(point, data.timeZone);
  const { index, log } = data;
  const rows = rowsAt(data, us, options.absent);
  return statesTable(data, rows, (column): StateCells => {
    // Decided once: ten columns ask for them.
    const decisions = rows.map(decidingChanges(data, column, index.countsAt(column, us), us));
    const decision = (entry: number) => decisions[entry] ?? ABSENT;
    const ofChange = <T>(get: (change: number) => T) => {
      return (entry: number) => (decision(entry) < 0 ? null : get(index.order[decision(entry)] as number));
    };
    return {
      value: (entry) => cellValue(data, rows[entry] as number, column, decision(entry)),
      state: (entry) => cellState(index, decision(entry)),
      changeId: ofChange((change) => log.ids.at(change)),
      us: ofChange((change) => log.timesUs[change] as number),
      user: ofChange((change) => log.users[log.userCodes[change] as number] ?? null),
      isSystem: ofChange((change) => log.system[change] === 1),
    };
  });
}

/** What is known of the cells of a column, by their entry among the rows; of the deciding change null where there is none. */
export interface StateCells {
  value(entry: number): unknown;
  state(entry: number): CellState;
  changeId(entry: number): string | null;
  us(entry: number): number | null;
  user(entry: number): number | null;
  isSystem(entry: number): boolean | null;
}

/** A row for each cell of some features, feature by feature. */
export function statesTable(
  { features, names }: Pick<HistoryData, "features" | "names">,
  rows: Int32Array,
  cellsOf: (column: number) => StateCells,
): ColumnTable {
  const cells = names.map((_, column) => cellsOf(column));
  const length = rows.length * names.length;
  const entryOf = (index: number) => Math.floor(index / names.length);
  const ofFeature = (field: BaseField) =>
    computedColumn(length, (index) => features.base(field).at(rows[entryOf(index)] as number));
  const ofCell = <T>(get: (cell: StateCells, entry: number) => T) =>
    computedColumn(length, (index) => {
      const cell = cells[index % names.length];
      return cell ? get(cell, entryOf(index)) : null;
    });
  return toTable([
    ["id", ofFeature("id")],
    ["visible_id", ofFeature("visible_id")],
    ["column", computedColumn(length, (index) => names[index % names.length])],
    ["value", ofCell((cell, entry) => cell.value(entry))],
    ["state", ofCell((cell, entry) => cell.state(entry))],
    ["change_id", ofCell((cell, entry) => cell.changeId(entry))],
    ["changed_at", ofCell((cell, entry) => dateOrNull(cell.us(entry)))],
    ["changed_at_us", ofCell((cell, entry) => cell.us(entry))],
    ["user_id", ofCell((cell, entry) => cell.user(entry))],
    ["system", ofCell((cell, entry) => cell.isSystem(entry))],
  ]);
}

function dateOrNull(us: number | null): Date | null {
  return us === null ? null : dateOf(us);
}
