import { dateOf } from "../../core/instant.js";
import type { RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { computedColumn } from "../columns/block-column.js";
import { causeId, NONE } from "../log/change-log.js";
import { validOrder } from "../log/valid-order.js";

/** The log of a history's columns, in valid order: by `created_at`, then by id. */
export function changes(data: HistoryData): RowTable<ChangeRow> {
  const { log, columnOfKey } = data;
  const columnOf = (change: number) => columnOfKey[log.keyCodes[change] as number] ?? NONE;
  const order = validOrder(log.timesUs).filter((change) => columnOf(change) !== NONE);
  const previous = previousChanges(data);
  const shownValue = (change: number) => (change === NONE ? null : log.values[log.valueCodes[change] as number]);
  const of =
    <T>(get: (change: number) => T) =>
    (entry: number) =>
      get(order[entry] as number);
  return changesTable(data, {
    seq: order,
    changeId: of((change) => log.ids.at(change)),
    row: of((change) => log.rows[change] as number),
    column: of(columnOf),
    key: of((change) => log.keys[log.keyCodes[change] as number] as string),
    value: of(shownValue),
    previous: of((change) => shownValue(previous[change] ?? NONE)),
    isSystem: of((change) => log.system[change] === 1),
    user: of((change) => log.users[log.userCodes[change] as number] ?? null),
    cause: of((change) => causeId(log, change)),
    us: of((change) => log.timesUs[change] as number),
  });
}

/** Changes in valid order, by their place in it. */
export interface ListedChanges {
  /** Ranks of insertion. */
  readonly seq: Int32Array;
  changeId(entry: number): string;
  row(entry: number): number;
  column(entry: number): number;
  key(entry: number): string;
  value(entry: number): unknown;
  /** The value before, of the same feature and property key. */
  previous(entry: number): unknown;
  isSystem(entry: number): boolean;
  user(entry: number): number | null;
  cause(entry: number): string | null;
  us(entry: number): number;
}

/** A row of `history.changes()`. */
export interface ChangeRow {
  /** Id of the change. */
  readonly change_id: string;
  /** Rank of insertion, from 0. */
  readonly seq: number;
  /** Id of the feature. */
  readonly id: number;
  /** Its identifier for people. */
  readonly visible_id: string;
  /** Column of the property. */
  readonly column: string;
  /** Key of the property. */
  readonly property_key: string;
  /** The new value; null if it was cleared. */
  readonly value: unknown;
  /** The value before, of the same feature and property. */
  readonly previous: unknown;
  /** Whether the system made the change. */
  readonly system: boolean;
  /** Who made it; null for the system. */
  readonly user_id: number | null;
  /** The change that caused it. */
  readonly caused_by_change_id: string | null;
  /** When it was made. */
  readonly created_at: Date;
  /** The same in microseconds since 1970. */
  readonly created_at_us: number;
}

/** A row for each change. */
export function changesTable(
  { features, names }: Pick<HistoryData, "features" | "names">,
  listed: ListedChanges,
): RowTable<ChangeRow> {
  const each = <T>(get: (entry: number) => T) => computedColumn(listed.seq.length, get);
  const table = toTable([
    ["change_id", each((entry) => listed.changeId(entry))],
    ["seq", listed.seq],
    ["id", each((entry) => features.base("id").at(listed.row(entry)))],
    ["visible_id", each((entry) => features.base("visible_id").at(listed.row(entry)))],
    ["column", each((entry) => names[listed.column(entry)])],
    ["property_key", each((entry) => listed.key(entry))],
    ["value", each((entry) => listed.value(entry))],
    ["previous", each((entry) => listed.previous(entry))],
    ["system", each((entry) => listed.isSystem(entry))],
    ["user_id", each((entry) => listed.user(entry))],
    ["caused_by_change_id", each((entry) => listed.cause(entry))],
    ["created_at", each((entry) => dateOf(listed.us(entry)))],
    ["created_at_us", each((entry) => listed.us(entry))],
  ]);
  return table as RowTable<ChangeRow>;
}

/** The change before each of the same feature and property key, in valid order. */
function previousChanges({ log, index }: HistoryData): Int32Array {
  const previous = new Int32Array(log.length).fill(NONE);
  const lastOfKey = new Map<number, number>();
  for (let cell = 0; cell + 1 < index.offsets.length; cell += 1) {
    lastOfKey.clear();
    for (let place = index.start(cell); place < index.end(cell); place += 1) {
      const change = index.order[place] as number;
      const key = log.keyCodes[change] as number;
      previous[change] = lastOfKey.get(key) ?? NONE;
      lastOfKey.set(key, change);
    }
  }
  return previous;
}
