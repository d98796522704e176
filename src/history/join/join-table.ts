import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { memberOf } from "../../core/member.js";
import { nameHint } from "../../core/nearest-name.js";
import { valueKind } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import type { Column } from "../../tables/column/column.js";
import { isTable } from "../../tables/column/is-table.js";
import { type DanfoLike, danfoView } from "../../tables/display/html/table-view.js";
import type { DanfoFrame } from "../../tables/export/danfo-frame.js";

/** What values can be joined to: an Arquero table, an array of records, or a Danfo frame. */
export type JoinableTable = ColumnTable | readonly object[] | DanfoFrame | DanfoLike;

/** A table as columns, rows as it shows them: after its filter, in its order. */
export interface JoinTable {
  readonly length: number;
  readonly columns: ReadonlyMap<string, Column>;
}

const kinds = "an Arquero table, an array of records or a Danfo frame";

/**
 * Reads a table of whichever kind. Columns of an Arquero table without filter and order are taken as they are.
 *
 * @throws ArgumentError for anything else
 */
export function readJoinTable(table: unknown): JoinTable {
  if (isTable(table)) {
    const whole = table.isFiltered() || table.isOrdered() ? table.reify() : table;
    const columns = whole.columnNames().map((name): [string, Column] => [name, whole.column(name) as Column]);
    return { length: whole.numRows(), columns: new Map(columns) };
  }
  if (Array.isArray(table)) return readRecords(table);
  const frame = danfoView(table);
  if (!frame) throw new ArgumentError(`at() takes ${kinds}, got ${showValue(table)}.`);
  const rows = Array.from({ length: frame.rowCount }, (_, row) => row);
  const own = frame.columns.filter(({ isIndex }) => !isIndex);
  return {
    length: rows.length,
    columns: new Map(own.map(({ name, at }) => [name, rows.map((row) => at(row) ?? null)])),
  };
}

/**
 * A column by name.
 *
 * @param role which option names it
 * @throws ArgumentError if there is none
 */
export function joinColumn({ columns }: JoinTable, role: string, name: unknown): Column {
  const found = typeof name === "string" ? columns.get(name) : undefined;
  if (found) return found;
  // Of no records nobody knows the names.
  if (columns.size === 0) return [];
  const names = [...columns.keys()];
  throw new ArgumentError(`The table has no column ${showValue(name)}, which \`${role}\` names.`, {
    hint: nameHint(name, names, `It has: ${names.map((one) => showValue(one)).join(", ")}.`),
    facts: { option: role, column: name },
  });
}

/** The values of a column where they can be read by index. */
export function indexed(column: Column): ArrayLike<unknown> {
  return Array.isArray(column) || ArrayBuffer.isView(column) ? (column as ArrayLike<unknown>) : Array.from(column);
}

function readRecords(rows: readonly unknown[]): JoinTable {
  const names = new Set<string>();
  for (const row of rows) {
    if (typeof row !== "object" || row === null || Array.isArray(row)) {
      throw new ArgumentError(`at() takes ${kinds}, got an array with ${valueKind(row)} in it.`);
    }
    for (const name in row) names.add(name);
  }
  const records = rows as readonly Readonly<Record<string, unknown>>[];
  const column = (name: string) => records.map((record) => memberOf(record, name) ?? null);
  return { length: rows.length, columns: new Map([...names].map((name) => [name, column(name)])) };
}
