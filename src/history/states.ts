import type { ColumnTable } from "arquero";
import { toTable } from "../columns/table.js";
import { dateOf } from "../core/instant.js";
import { presentRows } from "./as-of.js";
import { type Cell, cellAt, isAbsent } from "./cell-state.js";
import { NONE } from "./change-index.js";
import type { HistoryData } from "./history-data.js";
import { resolveTimePoint, type TimePoint } from "./valid-time.js";

/** Options of `history.states()`. */
export interface StatesOptions {
  /** Whether features that did not exist yet are left out (default) or listed with the state `absent`. */
  readonly absent?: "drop" | "keep";
}

const absentCell: Cell = { state: "absent", value: null, change: NONE };

/** One row a cell: its value at a time and how that is known. */
export function states(data: HistoryData, point: TimePoint, options: StatesOptions = {}): ColumnTable {
  const us = resolveTimePoint(point, data.timeZone);
  const { features } = data.input;
  const { log } = data;
  const entries = presentRows(data, us, options.absent === "keep").flatMap((row) =>
    data.columns.map(({ column }, index) => ({
      row,
      column,
      cell: isAbsent(data, row, us) ? absentCell : cellAt(data, row, index, us),
    })),
  );
  const ofChange = <T>(get: (change: number) => T) =>
    entries.map(({ cell: { change } }) => (change === NONE ? null : get(change)));
  return toTable([
    ["id", entries.map(({ row }) => features.base.get("id")?.at(row))],
    ["visible_id", entries.map(({ row }) => features.base.get("visible_id")?.at(row))],
    ["column", entries.map(({ column }) => column)],
    ["value", entries.map(({ cell }) => cell.value)],
    ["state", entries.map(({ cell }) => cell.state)],
    ["change_id", ofChange((change) => log.ids[change])],
    ["changed_at", ofChange((change) => dateOf(log.timesUs[change] ?? 0))],
    ["changed_at_us", ofChange((change) => log.timesUs[change])],
    ["user_id", ofChange((change) => log.userIds[change])],
    ["system", ofChange((change) => log.system[change])],
  ]);
}
