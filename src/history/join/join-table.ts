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

/** A table that values can be joined to: an Arquero table, an array of records, or a Danfo frame. */
export type JoinableTable = ColumnTable | readonly object[] | DanfoFrame | DanfoLike;

/** A table as columns, with its visible rows: after its filter, in its order. */
export interface JoinTable {
  readonly length: number;
  readonly columns: ReadonlyMap<string, Column>;
}

const kinds = "an Arquero table, an array of records or a Danfo frame";

/**
 * Reads a table of any of these kinds. Columns of an Arquero table without filter and order are not copied.
 *
 * @throws ArgumentError for other values
 */
export function readJoinTable(table: unknown): JoinTable {
  if (isTable(table)) {
    const whole = table.isFiltered() || table.isOrdered() ? table.reify() : table;
    const columns = whole.columnNames().map((name): [string, Column] => [name, whole.column(name) as Column]);
    return { length: whole.numRows(), columns: new Map(columns) };
  }
  if (Array.isArray(table)) return readRecords(table);
  const frame = danfoView(table);
  if (!frame) throw new ArgumentError(`joinAsOf(): invalid table ${showValue(table)}.`, { hint: `Pass ${kinds}.` });
  const rows = Array.from({ length: frame.rowCount }, (_, row) => row);
  const ownColumns = frame.columns.filter(({ isIndex }) => !isIndex);
  return {
    length: rows.length,
    columns: new Map(ownColumns.map(({ name, at }) => [name, rows.map((row) => at(row) ?? null)])),
  };
}

/**
 * A column by name.
 *
 * @param role the option that names it
 * @throws ArgumentError for a missing column
 */
export function joinColumn({ columns }: JoinTable, role: string, name: unknown): Column {
  const column = typeof name === "string" ? columns.get(name) : undefined;
  if (column) return column;
  // Without records, the column names are unknown.
  if (columns.size === 0) return [];
  const names = [...columns.keys()];
  throw new ArgumentError(`joinAsOf(): \`${role}\` is ${showValue(name)}, which is not a column of the table.`, {
    hint: nameHint(name, names, `It has: ${names.map((one) => showValue(one)).join(", ")}.`),
    facts: { option: role, column: name },
  });
}

/** The values of a column, if they can be read by index. */
export function indexed(column: Column): ArrayLike<unknown> {
  return Array.isArray(column) || ArrayBuffer.isView(column) ? (column as ArrayLike<unknown>) : Array.from(column);
}

function readRecords(rows: readonly unknown[]): JoinTable {
  const names = new Set<string>();
  for (const row of rows) {
    if (typeof row !== "object" || row === null || Array.isArray(row)) {
      throw new ArgumentError(`joinAsOf(): the array of records contains ${valueKind(row)}.`, {
        hint: `Pass ${kinds}.`,
      });
    }
    for (const name in row) names.add(name);
  }
  const records = rows as readonly Readonly<Record<string, unknown>>[];
  const column = (name: string) => records.map((record) => memberOf(record, name) ?? null);
  return { length: rows.length, columns: new Map([...names].map((name) => [name, column(name)])) };
}
