import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { dateOf, US_PER_DAY } from "../../core/instant.js";
import type { HistoryData } from "../cell/history-data.js";
import { computedColumn } from "../columns/computed-column.js";
import { lateChanges } from "./late-changes.js";

/** Changes that, when inserted, were not the newest of their feature and property, in order of insertion. */
export function lateEdits(data: HistoryData): ColumnTable {
  const { features, log, names, columnOfKey } = data;
  const late = lateChanges(data);
  const each = <T>(get: (change: number, overtaken: number) => T) =>
    computedColumn(late.length, (index) => get(late[index]?.change ?? 0, late[index]?.overtaken ?? 0));
  const us = (change: number) => log.timesUs[change] ?? 0;
  return toTable([
    ["change_id", each((change) => log.ids.at(change))],
    ["id", each((change) => features.base("id").at(log.rows[change] ?? 0))],
    ["column", each((change) => names[columnOfKey[log.keyCodes[change] ?? 0] ?? 0])],
    ["value", each((change) => log.values[log.valueCodes[change] ?? 0])],
    ["created_at", each((change) => dateOf(us(change)))],
    ["overtaken_created_at", each((_, overtaken) => dateOf(us(overtaken)))],
    ["late_by_days", each((change, overtaken) => (us(overtaken) - us(change)) / US_PER_DAY)],
  ]);
}
