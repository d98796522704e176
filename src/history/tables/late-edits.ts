import type { ColumnTable } from "arquero";
import { dateOf, US_PER_DAY } from "../../core/instant.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { computedColumn } from "../columns/block-column.js";
import { lateChanges } from "./late-changes.js";

/** Changes that a newer one of their feature and property had overtaken when they were inserted, in order of insertion. */
export function lateEdits(data: HistoryData): ColumnTable {
  const { log, columnOfKey } = data;
  const late = lateChanges(data);
  const changeOf = (edit: number) => late[edit]?.change ?? 0;
  return lateEditsTable(data, {
    length: late.length,
    changeId: (edit) => log.ids.at(changeOf(edit)),
    row: (edit) => log.rows[changeOf(edit)] as number,
    column: (edit) => columnOfKey[log.keyCodes[changeOf(edit)] as number] as number,
    value: (edit) => log.values[log.valueCodes[changeOf(edit)] as number],
    us: (edit) => log.timesUs[changeOf(edit)] as number,
    overtakenUs: (edit) => log.timesUs[late[edit]?.overtaken ?? 0] as number,
  });
}

/** Late edits, by number. */
export interface LateEdits {
  readonly length: number;
  changeId(edit: number): string;
  row(edit: number): number;
  column(edit: number): number;
  value(edit: number): unknown;
  us(edit: number): number;
  /** When the newest change was made that was known when it was inserted. */
  overtakenUs(edit: number): number;
}

/** A row for each late edit. */
export function lateEditsTable(
  { features, names }: Pick<HistoryData, "features" | "names">,
  late: LateEdits,
): ColumnTable {
  const each = <T>(get: (edit: number) => T) => computedColumn(late.length, get);
  return toTable([
    ["change_id", each((edit) => late.changeId(edit))],
    ["id", each((edit) => features.base("id").at(late.row(edit)))],
    ["column", each((edit) => names[late.column(edit)])],
    ["value", each((edit) => late.value(edit))],
    ["created_at", each((edit) => dateOf(late.us(edit)))],
    ["overtaken_created_at", each((edit) => dateOf(late.overtakenUs(edit)))],
    ["late_by_days", each((edit) => (late.overtakenUs(edit) - late.us(edit)) / US_PER_DAY)],
  ]);
}
