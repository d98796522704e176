import { type ColumnTable, not } from "arquero";
import { expect } from "vitest";
import { propertyRule } from "../../../src/api/property-types.js";
import { dateOf, parseInstant } from "../../../src/core/instant.js";
import { canonicalJson } from "../../../src/core/json.js";
import type { History, Snapshot } from "../../../src/index.js";
import { declaredType } from "../../../src/tables/types/declared-type.js";

type Row = Readonly<Record<string, unknown>>;

/**
 * The value that SQL has: null if the value is not of the type of its definition. Without a definition, or for a type of
 * strings: strings unchanged, numbers and booleans unchanged if the column has nothing else, JSON otherwise.
 */
function shown(value: unknown, among: readonly unknown[], type?: string): unknown {
  const rule = propertyRule(type);
  const areAlone = among.every((other) => other === null || typeof other === "number");
  if (rule && rule.kind !== "text" && (!rule.listKind || areAlone)) {
    if (!rule.accepts(value)) return null;
    return rule.kind === "instant" ? dateOf(parseInstant(String(value))?.us ?? Number.NaN) : value;
  }
  if (value === null || value === undefined || typeof value === "string" || value instanceof Date) return value ?? null;
  const isAlone = among.every((other) => other === null || typeof other === typeof value);
  return isAlone && typeof value !== "object" ? value : canonicalJson(value);
}

/** Every value of a column: at some time, in the log, and at present, also if the log has another value then. */
function everHeld(history: History, column: string): readonly unknown[] {
  const ofColumn = (table: ColumnTable) => (table.objects() as Row[]).filter((row) => row["column"] === column);
  return [
    ...history.intervals(column).array("value"),
    ...ofColumn(history.changes()).map((row) => row["value"]),
    ...ofColumn(history.reconcile().mismatches).map((row) => row["current"]),
  ];
}

/** A layer of a lake without the columns of values as they were logged. */
export function withoutLogged(table: ColumnTable): ColumnTable {
  return table.select(table.columnNames().filter((name) => !name.endsWith(" (as logged)")));
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** A history's table as rows of SQL. */
function rowsOf(table: ColumnTable, showCell: (value: unknown, name: string) => unknown): Row[] {
  return (table.objects() as Row[]).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, showCell(value, name)])),
  );
}

const asText = (value: unknown) => (value === null || typeof value === "string" ? value : canonicalJson(value));

const LAST_OF_9999 = Date.parse("9999-12-31T23:59:59.999Z");

/** SQL has integers beyond 2 ** 53, and instants of such, of which a history's numbers are the nearest. */
function asNumbers(row: Row): Row {
  const nearest = (value: unknown) => {
    if (value instanceof Date && value.getTime() === LAST_OF_9999) return new Date(LAST_OF_9999 + 1);
    return typeof value === "bigint" ? Number(value) : value;
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, nearest(value)]));
}

/** Expects the macros of a type to return the rows of a history, in order. */
export async function expectSamePast(
  snapshot: Pick<Snapshot, "sql">,
  type: string,
  history: History,
  times: readonly string[],
): Promise<void> {
  const options = { timeZone: history.timeZone };
  for (const time of times) {
    const at = await snapshot.sql(`FROM ${quoted(`${type}_AT`)}('${time}')`, options);
    expectSameLayer(at, history.asOf(time), history);
    const states = await snapshot.sql(`FROM ${quoted(`${type}_STATES`)}('${time}')`, options);
    const expected = history.states(time);
    expect(states.columnNames()).toEqual(expected.columnNames());
    expect((states.objects() as Row[]).map(asNumbers)).toEqual(
      rowsOf(expected, (value, name) => (name === "value" ? asText(value) : value)),
    );
  }
}

/**
 * Expects a layer of a macro to be one of a history, row by row, in order.
 *
 * @param history the whole history, with all values of the columns
 */
export function expectSameLayer(at: ColumnTable, asOf: ColumnTable, history: History): void {
  const held = new Map(history.columns.map((column) => [column, everHeld(history, column)]));
  // Columns that differ in case only have other names in SQL.
  const names = at.columnNames().map((name, index) => {
    const plain = asOf.columnName(index);
    return name.startsWith(`${plain} (`) ? plain : name;
  });
  expect(names).toEqual(asOf.columnNames());
  const showCell = (value: unknown, name: string) => {
    if (name === "geometry") return value === null ? null : JSON.stringify(value);
    return shown(value, held.get(name) ?? [], declaredType(asOf.column(name) ?? [])?.type);
  };
  const values = (table: readonly Row[]) => table.map((row) => Object.values(row));
  expect(values(at.objects() as Row[])).toEqual(values(rowsOf(asOf, showCell)));
}

/** Expects the view of all intervals to return the rows of a history. */
export async function expectSameHistory(
  snapshot: Pick<Snapshot, "sql">,
  type: string,
  history: History,
): Promise<void> {
  const view = quoted(`${type}_HISTORY`);
  const found = await snapshot.sql(`FROM ${view}`);
  const names = ["id", "visible_id", "column", "value", "state", "valid_from", "valid_to"];
  expect(found.columnNames().slice(0, 7)).toEqual(names);
  const rows = found.objects() as Row[];
  expect(rows.map(({ id }) => Number(id))).toEqual(rows.map(({ id }) => Number(id)).sort((a, b) => a - b));
  for (const column of history.columns) {
    const own = rows.filter((row) => row["column"] === column).map(({ column: _, ...row }) => asNumbers(row));
    // A view has no time zone.
    const intervals = history.intervals(column).select(not("local_date"));
    const expected = rowsOf(intervals, (value, name) => (name === "value" ? asText(value) : value));
    expect(own).toEqual(expected);
    expect(own.map((row) => Object.keys(row).join())).toEqual(expected.map((row) => Object.keys(row).join()));
  }
  expect(rows.filter(({ column }) => !history.columns.includes(String(column)))).toEqual([]);
}
