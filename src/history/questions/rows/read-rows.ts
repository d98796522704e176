// Reads the rows of an engine. A shape lists the columns of a SELECT with the kind of each.
import { GrowingArray } from "../../../tables/cells/growing-array.js";
import type { UserId, UuidColumn } from "../../log/change-log.js";
import { sortUuids } from "../../log/sort-uuids.js";
import type { TimeUnit } from "../../time/time-unit.js";
import type { EngineRows } from "../engine/engine.js";
import { type QuestionData, requireColumns, rowOfFeature } from "../engine/query-in-batches.js";
import type { Dialect } from "../sql/dialect/dialect.js";
import { CellDecoder, type DecodedCells, JsonValues } from "./cell-decoder.js";
import { GrowingUuids } from "./partial-log.js";

/** The kinds of values in columns of rows, each read by row number. */
export interface Readings {
  /** Id of a feature, read as its row. */
  readonly feature: (row: number) => number;
  /** NaN for null. */
  readonly number: (row: number) => number;
  /** JSON text, read as its value; null is a value. */
  readonly value: (row: number) => unknown;
  /** JSON text or a mark, of the cell of feature `f` in the column `col`, or in the only column of the question. */
  readonly cell: DecodedCells;
  readonly uuid: Uuids;
  readonly text: (row: number) => string | null;
  readonly flag: (row: number) => boolean;
  readonly user: (row: number) => UserId | null;
}

/** Ids of changes. */
export interface Uuids {
  at(row: number): string;
  /** When a change was recorded, in milliseconds since 1970, by its id; undefined if the id has no time. */
  timeMs(row: number): number | undefined;
}

/** The columns of rows by name, in the order of a `SELECT`. Durations have one column per unit. */
export type RowsShape = Readonly<Record<string, keyof Readings | readonly TimeUnit[]>>;

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
  cell: (_, current) => {
    const decoder = new CellDecoder();
    return {
      take: (values, count) => {
        for (let index = 0; index < count; index += 1) decoder.push(values[index]);
      },
      done: () => decoder.done(current),
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
      const cached = codes.get(text);
      if (cached !== undefined) return cached;
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
    return { name, kind, parts: kinds.map((one): Reader<unknown> => makeReaders[one](data, current)) };
  });
  const inOrder = readers.flatMap(({ parts }) => parts);
  let length = 0;
  for await (const { rowCount, columns } of answers) {
    const all = requireColumns(columns, inOrder.length as number);
    for (const [index, one] of inOrder.entries()) one.take(all[index] as ArrayLike<unknown>, rowCount);
    length += rowCount;
  }
  rows["length"] = length;
  for (const { name, kind, parts } of readers) {
    const done = parts.map((one) => one.done());
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

/**
 * Returns a user as results show it.
 *
 * @param user NaN for none
 */
function shownUser({ pseudonym }: Pick<QuestionData, "pseudonym">, user: number): number | null {
  if (Number.isNaN(user)) return null;
  return Number(pseudonym ? pseudonym(user) : user);
}

/** A change in rows: its id, time and user. */
export const changeShape = { id: "uuid", us: "number", user_id: "user", is_system: "flag" } as const;

/** The cell of a change, and its new value. */
export const cellShape = { f: "feature", col: "number", v: "value" } as const;

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
