// The columns of answers that are lists of rows, each with its value in the table and its expression in the stored result.
import type { ColumnTable } from "arquero";
import { dateOf } from "../../../core/instant.js";
import { LocalClock } from "../../../core/local-clock.js";
import { computedColumn } from "../../../tables/column/column.js";
import { toTable } from "../../../tables/column/table.js";
import { type DeclaredType, declareType } from "../../../tables/types/declared-type.js";
import { cellState, cellValue } from "../../cell/cell-state.js";
import type { HistoryData } from "../../cell/history-data.js";
import type { ValueRanks } from "../../columns/step-order.js";
import type { UserId } from "../../log/change-log.js";
import { lengthHeld, type TimeUnit } from "../../time/time-unit.js";
import { BEGINNING_US, backward, castValue, stateOf, type ValueKind } from "../sql/cell-values.js";
import type { Dialect } from "../sql/dialect/dialect.js";
import { usLiteral } from "../sql/dialect/literals.js";
import { type Scope, statement } from "../sql/statement-scope.js";
import type { DecodedCells } from "./cell-decoder.js";
import type { cellShape, changeShape, ListedRows, Readings, Uuids } from "./read-rows.js";

/** The data that the columns of an answer need. */
export type AnswerData = Pick<HistoryData, "features" | "names" | "timeZone">;

/** A column of an answer. */
export interface ListedColumn<Rows> {
  readonly name: string;
  /** Its value in the table, by row number. */
  readonly at: (rows: Rows, data: AnswerData) => (row: number) => unknown;
  /** Its expression in the stored result, over the rows with `visible_id` and `name` (of the column `col`). */
  readonly sql: (dialect: Dialect) => string;
  readonly type?: DeclaredType["type"];
}

/** The table of an answer. */
export function listedTable<Rows extends { readonly length: number }>(
  data: AnswerData,
  columns: readonly ListedColumn<Rows>[],
  rows: Rows,
): ColumnTable {
  return toTable(
    columns.map(({ name, at, type }) => {
      const column = computedColumn(rows.length, at(rows, data));
      return [name, type === undefined ? column : declareType(column, { of: "table", type })] as const;
    }),
  );
}

/** The self-contained statement of an answer. */
export function listedStatement(
  { dialect }: Scope,
  members: readonly string[],
  columns: readonly Pick<ListedColumn<never>, "name" | "sql">[],
  from: string,
): string {
  const selected = columns.map(({ name, sql }) => `${sql(dialect)} AS ${dialect.identifier(name)}`);
  return statement(members, `SELECT ${selected.join(",\n  ")}\n${from}`);
}

type Feature = { readonly f: Readings["feature"] };

/** `id` and `visible_id` of the feature. */
export const featureColumns: readonly ListedColumn<Feature>[] = (["id", "visible_id"] as const).map((name) => ({
  name,
  at: ({ f }, { features }) => {
    const field = features.base(name);
    return (row) => field.at(f(row));
  },
  sql: () => (name === "id" ? "f" : name),
}));

/** The name of the column. */
export const nameColumn: ListedColumn<{ readonly col: Readings["number"] }> = {
  name: "column",
  at: (rows, data) => (row) => data.names[rows.col(row)],
  sql: () => "name",
};

/** @param kind the type of the stored column, made from JSON text */
export function valueColumn<Name extends string>(
  name: string,
  value: Name,
  kind: ValueKind | undefined,
): ListedColumn<Readonly<Record<Name, Readings["value"]>>> {
  return { name, at: (rows) => rows[value], sql: (dialect) => castValue(dialect, kind, value) };
}

/** A column of an answer that is a column of the rows. */
export function sameColumn<Name extends string>(
  name: string,
  same: Name,
): ListedColumn<Readonly<Record<Name, (row: number) => unknown>>> {
  return { name, at: (rows) => rows[same], sql: () => same };
}

/** Microseconds as instants; null if unknown or still to come. */
export function instantColumn<Name extends string>(name: string, us: Name): ListedColumn<Times<Name>> {
  const at = (time: number) => (isTime(time) ? dateOf(time) : null);
  return { name, at: (rows) => (row) => at(rows[us](row)), sql: (dialect) => dialect.instant(knownTime(us)) };
}

/** The same times as microseconds. */
export function usColumn<Name extends string>(name: string, us: Name): ListedColumn<Times<Name>> {
  const at = (time: number) => (isTime(time) ? time : null);
  return { name, at: (rows) => (row) => at(rows[us](row)), sql: () => knownTime(us) };
}

/** When the change was recorded, by its id; null if the id has no time. Stored rows have it as `recorded_us`. */
export const recordedColumn: ListedColumn<{ readonly id: Uuids }> = {
  name: "recorded_at",
  at:
    ({ id }) =>
    (row) => {
      const ms = id.timeMs(row);
      return ms === undefined ? null : new Date(ms);
    },
  sql: (dialect) => dialect.instant("recorded_us"),
};

/** The same times as calendar dates in the time zone; stored rows have them as `local_date`. */
export function localDateColumn<Name extends string>(us: Name): ListedColumn<Times<Name>> {
  return {
    name: "local_date",
    at: (rows, { timeZone }) => {
      const clock = new LocalClock(timeZone);
      const at = (time: number) => (isTime(time) ? clock.date(time) : null);
      return (row) => at(rows[us](row));
    },
    sql: () => "local_date",
    type: "date",
  };
}

type Times<Name extends string> = Readonly<Record<Name, Readings["number"]>>;

/** Whether a number is a time, and not a mark for an unknown start or a missing end. */
export function isTime(us: number): boolean {
  return Number.isFinite(us) && us !== BEGINNING_US;
}

/** The same for stored rows: a time, or null. */
export function knownTime(us: string): string {
  return us === "from_us" ? `nullif(${us}, ${usLiteral(BEGINNING_US)})` : us;
}

/** The id of a change. */
export const changeIdColumn: ListedColumn<{ readonly id: Uuids }> = {
  name: "change_id",
  at: (rows) => (row) => rows.id.at(row),
  sql: (dialect) => dialect.cast("id", "text"),
};

/** Changes of the log in the columns of a history, given the index of each row's change. */
export function changeAt({ log, columnOfKey }: HistoryData, changeOf: (row: number) => number) {
  const read: Omit<ListedRows<typeof changeShape & typeof cellShape>, "length"> = {
    id: { at: (row) => log.ids.at(changeOf(row)), timeMs: (row) => log.ids.timeMs(changeOf(row)) },
    f: (row) => log.rows[changeOf(row)] as number,
    col: (row) => columnOfKey[log.keyCodes[changeOf(row)] as number] as number,
    v: (row) => log.values[log.valueCodes[changeOf(row)] as number],
    us: (row) => log.timesUs[changeOf(row)] as number,
    user_id: (row) => log.users[log.userCodes[changeOf(row)] as number] as UserId | null,
    is_system: (row) => log.system[changeOf(row)] === 1,
  };
  return read;
}

/** Sorts the stored changes of several parts by insertion. */
export function inserted(table: string): string {
  return `FROM ${table} ORDER BY change_id`;
}

/** Id of the change that set the content of a cell; null if no change did. */
export const setByColumn: ListedColumn<{ readonly v: DecodedCells; readonly id: Uuids }> = {
  ...changeIdColumn,
  at: (rows) => (row) => (rows.v.isChange(row) ? rows.id.at(row) : null),
};

/** When the change was made, and by whom. */
export const madeColumns = [
  instantColumn("changed_at", "us"),
  usColumn("changed_at_us", "us"),
  sameColumn("user_id", "user_id"),
  sameColumn("system", "is_system"),
];

/** Length of each row in each unit; null if its start is unknown. */
export function lengthColumns(
  units: readonly TimeUnit[],
): readonly ListedColumn<{ readonly held: (row: number, unit: number) => number }>[] {
  return units.map(({ name, whole }, unit) => ({
    name,
    at: (rows) => (row) => lengthHeld(rows.held(row, unit), whole),
    sql: ({ double }) => `${double(`held_${name}`)} / ${whole}`,
  }));
}

/** Whether the step from `a` to `b` leads back. */
export function backwardColumn(ranks: ValueRanks): ListedColumn<Readonly<Record<"a" | "b", Readings["value"]>>> {
  return {
    name: "backward",
    at: (rows) => (row) => ranks.isBackward(rows.a(row), rows.b(row)),
    sql: (dialect) => backward(dialect, ranks, "a", "b"),
  };
}

/** Contents of the cells of a history, by the changes that decide them. */
export function decodedBy(
  data: HistoryData,
  {
    row,
    column,
    decision,
  }: Readonly<Record<"row" | "decision", (index: number) => number>> & {
    readonly column: number | ((index: number) => number);
  },
): DecodedCells {
  const columnOf = typeof column === "number" ? () => column : column;
  return {
    value: (index) => cellValue(data, row(index), columnOf(index), decision(index)),
    state: (index) => cellState(data.index, decision(index)),
    isChange: (index) => decision(index) >= 0,
  };
}

type Decoded<Name extends string> = Readonly<Record<Name, DecodedCells>>;

/**
 * The value of a cell.
 *
 * @param kind kind of the values in the column
 * @param stored JSON text of the value
 */
export function decodedColumn<Name extends string>(
  name: string,
  cell: Name,
  kind: ValueKind | undefined,
  stored: string,
): ListedColumn<Decoded<Name>> {
  return { name, at: (rows) => rows[cell].value, sql: (dialect) => castValue(dialect, kind, stored) };
}

/**
 * How the value of a cell is known.
 *
 * @param absent condition that its feature does not exist, if that is possible
 */
export function stateColumn<Name extends string>(
  name: string,
  cell: Name,
  absent?: string,
): ListedColumn<Decoded<Name>> {
  return { name, at: (rows) => rows[cell].state, sql: () => stateOf(cell, absent) };
}
