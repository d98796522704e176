import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { dateOf } from "../../core/instant.js";
import type { HistoryData } from "../cell/history-data.js";
import { computedColumn } from "../columns/computed-column.js";
import { causeId, NONE } from "../log/change-log.js";
import { validOrder } from "../log/valid-order.js";

/** The log of a history's columns, in valid order: by `created_at`, then by id. */
export function changes(data: HistoryData): ColumnTable {
  const { log, features, names, columnOfKey } = data;
  const columnOf = (change: number) => columnOfKey[log.keyCodes[change] ?? 0] ?? NONE;
  const order = validOrder(log.timesUs).filter((change) => columnOf(change) !== NONE);
  const previous = previousChanges(data);
  const shownValue = (change: number) => (change === NONE ? null : log.values[log.valueCodes[change] ?? 0]);
  const each = <T>(get: (change: number) => T) => computedColumn(order.length, (index) => get(order[index] ?? 0));
  return toTable([
    ["change_id", each((change) => log.ids.at(change))],
    ["seq", order],
    ["id", each((change) => features.base("id").at(log.rows[change] ?? 0))],
    ["visible_id", each((change) => features.base("visible_id").at(log.rows[change] ?? 0))],
    ["column", each((change) => names[columnOf(change)])],
    ["property_key", each((change) => log.keys[log.keyCodes[change] ?? 0])],
    ["value", each(shownValue)],
    ["previous", each((change) => shownValue(previous[change] ?? NONE))],
    ["system", each((change) => log.system[change] === 1)],
    ["user_id", each((change) => log.users[log.userCodes[change] ?? 0])],
    ["caused_by_change_id", each((change) => causeId(log, change))],
    ["created_at", each((change) => dateOf(log.timesUs[change] ?? 0))],
    ["created_at_us", each((change) => log.timesUs[change])],
  ]);
}

/** The change before each of the same feature and property key, in valid order. */
function previousChanges({ log, index }: HistoryData): Int32Array {
  const previous = new Int32Array(log.length).fill(NONE);
  const lastOfKey = new Map<number, number>();
  for (let cell = 0; cell + 1 < index.offsets.length; cell += 1) {
    lastOfKey.clear();
    for (let place = index.start(cell); place < index.end(cell); place += 1) {
      const change = index.order[place] ?? 0;
      const key = log.keyCodes[change] ?? 0;
      previous[change] = lastOfKey.get(key) ?? NONE;
      lastOfKey.set(key, change);
    }
  }
  return previous;
}
