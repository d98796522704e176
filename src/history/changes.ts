import type { ColumnTable } from "arquero";
import { toTable } from "../columns/table.js";
import { dateOf } from "../core/instant.js";
import { NONE } from "./change-index.js";
import type { HistoryData } from "./history-data.js";

/** The log of a history's columns, in valid order: by `created_at`, then by id. */
export function changes(data: HistoryData): ColumnTable {
  const { log, input } = data;
  const order = validOrder(data);
  const previous = previousCodes(data, order);
  const names = columnNames(data);
  const ids = input.features.base.get("id");
  const visibleIds = input.features.base.get("visible_id");
  return toTable([
    ["change_id", order.map((change) => log.ids[change])],
    ["seq", order],
    ["id", order.map((change) => ids?.at(log.rows[change] ?? NONE))],
    ["visible_id", order.map((change) => visibleIds?.at(log.rows[change] ?? NONE))],
    ["column", order.map((change) => names[log.keyCodes[change] ?? NONE])],
    ["property_key", order.map((change) => log.keys[log.keyCodes[change] ?? NONE])],
    ["value", order.map((change) => log.values[log.valueCodes[change] ?? 0])],
    ["previous", order.map((change) => log.values[previous[change] ?? 0])],
    ["system", order.map((change) => log.system[change])],
    ["user_id", order.map((change) => log.userIds[change])],
    ["caused_by_change_id", order.map((change) => log.causes[change])],
    ["created_at", order.map((change) => dateOf(log.timesUs[change] ?? 0))],
    ["created_at_us", order.map((change) => log.timesUs[change])],
  ]);
}

function validOrder({ log, index }: HistoryData): readonly number[] {
  return Array.from(index.order).sort((a, b) => (log.timesUs[a] ?? 0) - (log.timesUs[b] ?? 0) || a - b);
}

/** Value code that each feature and key had before a change, in valid order; 0 (null) before the first. */
function previousCodes({ log }: HistoryData, order: readonly number[]): Int32Array {
  const previous = new Int32Array(log.length);
  const current = new Map<number, number>();
  for (const change of order) {
    const cell = (log.rows[change] ?? 0) * log.keys.length + (log.keyCodes[change] ?? 0);
    previous[change] = current.get(cell) ?? 0;
    current.set(cell, log.valueCodes[change] ?? 0);
  }
  return previous;
}

function columnNames({ log, columns }: HistoryData): readonly (string | undefined)[] {
  const byKey = new Map(columns.flatMap(({ column, keys }) => keys.map(({ key }) => [key.toLowerCase(), column])));
  return log.keys.map((key) => byKey.get(key.toLowerCase()));
}
