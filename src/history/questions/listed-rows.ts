// Answers that are lists of rows: the columns that an engine returns, how this process reads them, and the columns that
// the table and the stored result share.

import type { ColumnTable } from "arquero";
import { dateOf } from "../../core/instant.js";
import { LocalClock } from "../../core/local-clock.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { computedColumn } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { type DeclaredType, declareType } from "../../tables/types/declared-type.js";
import { cellState, cellValue } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import type { ValuePlaces } from "../columns/value-places.js";
import type { UserId, UuidColumn } from "../log/change-log.js";
import { sortUuids } from "../log/sort-uuids.js";
import { lengthHeld, type TimeUnit } from "../time/time-unit.js";
import { GrowingUuids, JsonValues, type SaidAt, SaidValues, shownUser } from "./answer-rows.js";
import { type QuestionData, requireColumns, rowOfFeature } from "./ask.js";
import type { EngineRows } from "./engine/engine.js";
import { BEGINNING_US, backward, shownValue, stateOf, type ValueKind } from "./sql/cell-values.js";
import type { Dialect } from "./sql/dialect/dialect.js";
import { usLiteral } from "./sql/dialect/literals.js";
import { type Scope, statement } from "./sql/scope.js";

/** The kinds of values in columns of rows, each read by row number. */
interface Readings {
  /** Id of a feature, read as its row. */
  readonly feature: (row: number) => number;
  /** NaN for null. */
  readonly number: (row: number) => number;
  /** JSON text, read as its value; null is a value. */
  readonly value: (row: number) => unknown;
  /** JSON text or a mark, of the cell of feature `f` in the column `col`, or in the only column of the question. */
  readonly said: SaidAt;
  readonly uuid: Uuids;
  readonly text: (row: number) => string | null;
  readonly flag: (row: number) => boolean;
  readonly user: (row: number) => UserId | null;
}

/** Ids of changes. */
interface Uuids {
  at(row: number): string;
  /** When a change was recorded, in milliseconds since 1970, by its id; undefined if the id has no time. */
  timeMs(row: number): number | undefined;
}

/** The columns of rows by name, in the order of a `SELECT`. Durations have one column per unit. */
type RowsShape = Readonly<Record<string, keyof Readings | readonly TimeUnit[]>>;

/** Rows of a history or of an engine. */
export type ListedRows<Shape extends RowsShape> = { readonly length: number } & {
  readonly [Name in keyof Shape]: Shape[Name] extends keyof Readings
    ? Readings[Shape[Name]]
    : (row: number, unit: number) => number;
};

/** Collects a column, part by part. */
interface Reader<Reading> {
  take(values: ArrayLike<unknown>, count: number): void;
  done(): Reading;
}

/** @param current returns the current value of the cell of a row */
type MakeReader<Reading> = (data: QuestionData, current: (row: number) => unknown) => Reader<Reading>;

const makeReaders: { readonly [Kind in keyof Readings]: MakeReader<Readings[Kind]> } = {
  feature: (data) => {
    // Consecutive rows often belong to one feature.
    let [last, row]: [unknown, number] = [undefined, 0];
    return reader(new GrowingArray(Int32Array), (id) => {
      if (id !== last) row = rowOfFeature(data, id);
      last = id;
      return row;
    });
  },
  number: () => reader(new GrowingArray(Float64Array), numberOf),
  value: () => {
    const values = new JsonValues();
    const codes = reader(new GrowingArray(Int32Array), (text) => (text === null ? 0 : values.code(text)));
    return mapped(codes, (code) => values.values[code]);
  },
  said: (_, current) => {
    const said = new SaidValues();
    return {
      take: (values, count) => {
        for (let index = 0; index < count; index += 1) said.push(values[index]);
      },
      done: () => said.done(current),
    };
  },
  uuid: () => {
    const ids = new GrowingUuids();
    return { take: (values, count) => ids.pushAll(values, count), done: () => ids.filled() };
  },
  text: () => {
    const codes = new Map<unknown, number>();
    const texts: (string | null)[] = [];
    const read = reader(new GrowingArray(Int32Array), (text) => {
      const known = codes.get(text);
      if (known !== undefined) return known;
      codes.set(text, texts.length);
      return texts.push(text === null ? null : String(text)) - 1;
    });
    return mapped(read, (code) => texts[code] as string | null);
  },
  flag: () => mapped(reader(new GrowingArray(Int32Array), Number), (flag) => flag === 1),
  user: (data) => mapped(reader(new GrowingArray(Float64Array), numberOf), (user) => shownUser(data, user)),
};

function numberOf(value: unknown): number {
  return value === null ? Number.NaN : Number(value);
}

function reader(
  all: GrowingArray<Float64Array | Int32Array>,
  read: (value: unknown) => number,
): Reader<(row: number) => number> {
  return {
    take: (values, count) => {
      for (let index = 0; index < count; index += 1) all.push(read(values[index]));
    },
    done: () => {
      const filled = all.filled();
      return (row) => filled[row] as number;
    },
  };
}

function mapped<T>(
  { take, done }: Reader<(row: number) => number>,
  map: (read: number) => T,
): Reader<(row: number) => T> {
  return {
    take,
    done: () => {
      const at = done();
      return (row) => map(at(row));
    },
  };
}

/**
 * Reads the rows of an engine.
 *
 * @param column the only column of the question, if the rows lack `col`
 */
export async function readRows<Shape extends RowsShape>(
  data: QuestionData,
  shape: Shape,
  answers: AsyncIterable<EngineRows> | readonly EngineRows[],
  column?: number,
): Promise<ListedRows<Shape>> {
  const rows: Record<string, unknown> = {};
  const current = (row: number) => {
    const { f, col } = rows as { readonly f: Readings["feature"]; readonly col?: Readings["number"] };
    return data.columns[column ?? col?.(row) ?? 0]?.values.at(f(row));
  };
  const readers = Object.entries(shape).map(([name, kind]) => {
    const kinds = typeof kind === "string" ? [kind] : kind.map(() => "number" as const);
    return { name, kind, own: kinds.map((one): Reader<unknown> => makeReaders[one](data, current)) };
  });
  const inOrder = readers.flatMap(({ own }) => own);
  let length = 0;
  for await (const { rowCount, columns } of answers) {
    const all = requireColumns(columns, inOrder.length as number);
    for (const [place, one] of inOrder.entries()) one.take(all[place] as ArrayLike<unknown>, rowCount);
    length += rowCount;
  }
  rows["length"] = length;
  for (const { name, kind, own } of readers) {
    const done = own.map((one) => one.done());
    const lengths = done as readonly Readings["number"][];
    rows[name] = typeof kind === "string" ? done[0] : (row: number, unit: number) => lengths[unit]?.(row);
  }
  return rows as ListedRows<Shape>;
}

/** The expressions that a `SELECT` of the rows lists. */
export function rowsSelect({ double }: Dialect, shape: RowsShape): string {
  const numeric: readonly unknown[] = ["feature", "number", "user"];
  const listed = Object.entries(shape).flatMap(([name, kind]) => {
    if (typeof kind !== "string") return kind.map((unit) => double(`${name}_${unit.name}`));
    return numeric.includes(kind) ? double(name) : name;
  });
  return listed.join(", ");
}

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
  return { name, at: (rows) => rows[value], sql: (dialect) => shownValue(dialect, kind, value) };
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

/** A change in rows: its id, time and user. */
export const changeShape = { id: "uuid", us: "number", user_id: "user", is_system: "flag" } as const;

/** Changes of the log in the columns of a history, given the index of each row's change. */
export function changeAt({ log, columnOfKey }: HistoryData, changeOf: (row: number) => number) {
  const told: Omit<ListedRows<typeof changeShape & typeof cellShape>, "length"> = {
    id: { at: (row) => log.ids.at(changeOf(row)), timeMs: (row) => log.ids.timeMs(changeOf(row)) },
    f: (row) => log.rows[changeOf(row)] as number,
    col: (row) => columnOfKey[log.keyCodes[changeOf(row)] as number] as number,
    v: (row) => log.values[log.valueCodes[changeOf(row)] as number],
    us: (row) => log.timesUs[changeOf(row)] as number,
    user_id: (row) => log.users[log.userCodes[changeOf(row)] as number] as UserId | null,
    is_system: (row) => log.system[changeOf(row)] === 1,
  };
  return told;
}

/** The cell of a change, and its new value. */
const cellShape = { f: "feature", col: "number", v: "value" } as const;

/** The common columns of lists of changes in order of insertion. */
export const insertedShape = { id: "uuid", ...cellShape, us: "number" } as const;

/** Reads changes in order of insertion, from an engine that orders the changes of each part. */
export async function readInserted<Shape extends RowsShape & typeof insertedShape>(
  data: QuestionData,
  shape: Shape,
  answers: AsyncIterable<EngineRows>,
): Promise<ListedRows<Shape>> {
  const rows = await readRows(data, shape, answers);
  const order = Uint32Array.from({ length: rows.length }, (_, change) => change);
  sortUuids((rows.id as UuidColumn).words, order);
  return rowsInOrder(rows, order);
}

/** Sorts the stored changes of several parts by insertion. */
export function inserted(table: string): string {
  return `FROM ${table} ORDER BY change_id`;
}

/** Selects rows, in an order. */
export function rowsInOrder<Rows extends { readonly length: number }>(rows: Rows, order: ArrayLike<number>): Rows {
  type Read = (row: number, unit?: number) => unknown;
  const moved =
    (read: Read): Read =>
    (row, unit) =>
      read(order[row] as number, unit);
  const entries = Object.entries<unknown>({ ...rows }).map(([name, reading]): [string, unknown] => {
    if (name === "length") return [name, order.length];
    if (typeof reading === "function") return [name, moved(reading as Read)];
    const ids = reading as Uuids;
    return [name, { at: moved((row) => ids.at(row)), timeMs: moved((row) => ids.timeMs(row)) }];
  });
  return Object.fromEntries(entries) as Rows;
}

/** Id of the change that set the content of a cell; null if no change did. */
export const setByColumn: ListedColumn<{ readonly v: SaidAt; readonly id: Uuids }> = {
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
export function backwardColumn(places: ValuePlaces): ListedColumn<Readonly<Record<"a" | "b", Readings["value"]>>> {
  return {
    name: "backward",
    at: (rows) => (row) => places.isBackward(rows.a(row), rows.b(row)),
    sql: (dialect) => backward(dialect, places, "a", "b"),
  };
}

/** Contents of the cells of a history, by the changes that decide them. */
export function saidBy(
  data: HistoryData,
  {
    row,
    column,
    decision,
  }: Readonly<Record<"row" | "decision", (place: number) => number>> & {
    readonly column: number | ((place: number) => number);
  },
): SaidAt {
  const columnOf = typeof column === "number" ? () => column : column;
  return {
    value: (place) => cellValue(data, row(place), columnOf(place), decision(place)),
    state: (place) => cellState(data.index, decision(place)),
    isChange: (place) => decision(place) >= 0,
  };
}

type Said<Name extends string> = Readonly<Record<Name, SaidAt>>;

/**
 * The value of a cell.
 *
 * @param kind kind of the values in the column
 * @param stored JSON text of the value
 */
export function saidColumn<Name extends string>(
  name: string,
  said: Name,
  kind: ValueKind | undefined,
  stored: string,
): ListedColumn<Said<Name>> {
  return { name, at: (rows) => rows[said].value, sql: (dialect) => shownValue(dialect, kind, stored) };
}

/**
 * How the value of a cell is known.
 *
 * @param absent condition that its feature does not exist, if that is possible
 */
export function stateColumn<Name extends string>(name: string, said: Name, absent?: string): ListedColumn<Said<Name>> {
  return { name, at: (rows) => rows[said].state, sql: () => stateOf(said, absent) };
}
