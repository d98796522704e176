import type { ColumnTable, Table } from "arquero";
import type { Field, FieldTypes } from "../../api/contract.js";
import { type Records, type ResourceName, resources } from "../../api/resources.js";
import { dateOf, exactUs } from "../../core/instant.js";
import { memberOf } from "../../core/member.js";
import { toTable } from "./table.js";

// biome-ignore lint/suspicious/noExplicitAny: as `get()` and `array()` of Arquero; `object`, its own type, has no columns
type AnyRow = Record<string, any>;

/** A value that may be null, or whose type depends on a definition or on options. */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` and `| null` would refuse cells that calculate with it
export type CellValue = any;

declare module "arquero" {
  /** Rows of tables with unknown columns, such as the results of `derive` and tables of properties. */
  interface ColumnTable {
    /** Returns the rows as objects. @hidden */
    objects(options?: Parameters<Table["objects"]>[0]): AnyRow[];
    /** Returns one row as an object. @hidden */
    object(row?: number): AnyRow;
    /** Iterates over the rows. @hidden */
    [Symbol.iterator](): IterableIterator<AnyRow>;
  }
}

/** Verbs that do not change the columns of a table. */
type KeptVerb = "filter" | "orderby" | "unorder" | "slice" | "sample" | "reify";

/** The typed members of a table with known rows. */
interface RowMembers<Row extends object>
  extends Omit<ColumnTable, KeptVerb | "objects" | "object" | "get" | "array" | typeof Symbol.iterator> {
  /** Iterates over the rows, as objects. */
  [Symbol.iterator](): IterableIterator<Row>;
  /**
   * Returns the rows as objects.
   *
   * @param options as in Arquero
   */
  objects(options?: Parameters<ColumnTable["objects"]>[0]): Row[];
  /**
   * Returns one row as an object.
   *
   * @param row index of the row. Default: 0
   */
  object(row?: number): Row;
  /**
   * Returns the value of a column in a row.
   *
   * @param name of the column
   * @param row index of the row. Default: 0
   */
  get<Name extends keyof Row & string>(name: Name, row?: number): Row[Name];
  /**
   * Returns the value of a column outside the known ones, as `unknown`.
   *
   * @param name of the column
   * @param row index of the row. Default: 0
   */
  get(name: string, row?: number): unknown;
  /**
   * Returns the values of a column.
   *
   * @param name of the column
   */
  array<Name extends keyof Row & string>(name: Name): Row[Name][];
  /**
   * Returns the values of a column outside the known ones.
   *
   * @param name of the column
   */
  array(name: string): unknown[];
  /**
   * Returns the rows that pass, as in Arquero.
   *
   * @param criteria condition for the rows
   */
  filter(criteria: Parameters<ColumnTable["filter"]>[0]): RowTable<Row>;
  /**
   * Returns the rows in an order, as in Arquero.
   *
   * @param keys the sort keys
   */
  orderby(...keys: Parameters<ColumnTable["orderby"]>): RowTable<Row>;
  /** Returns the rows in their original order. */
  unorder(): RowTable<Row>;
  /**
   * Returns a range of the rows, as in Arquero.
   *
   * @param range the first row, and the row after the last
   */
  slice(...range: Parameters<ColumnTable["slice"]>): RowTable<Row>;
  /**
   * Returns random rows, as in Arquero.
   *
   * @param size number of rows, and options
   */
  sample(...size: Parameters<ColumnTable["sample"]>): RowTable<Row>;
  /**
   * Returns a new table with a copy of the rows.
   *
   * @param indices indices of the rows. Default: all rows that pass
   */
  reify(indices?: number[]): RowTable<Row>;
}

/**
 * An Arquero table with known row types: `objects()`, `object()`, iteration, `get()` and `array()` are typed, and so
 * are the results of `filter`, `orderby`, `slice`, `sample` and `reify`. Verbs that change columns return a table whose
 * rows may have any columns. Values of columns outside the known ones are `unknown`.
 */
export type RowTable<Row extends object> = RowMembers<Row> & ColumnTable;

/** The fields of every row of a layer besides its properties. `siteframe types` writes the types of the properties. */
export type FeatureRow = Omit<ResourceRow<"layerFeatures">, "properties">;

/** A timestamp of a record is a `Date` in a table. */
interface CellTypes extends Omit<FieldTypes, "timestamp"> {
  timestamp: Date;
}

type FieldsOf<R extends ResourceName> = (typeof resources)[R]["fields"];
type CellOf<F> = F extends { readonly values: readonly (infer Value)[] }
  ? Value
  : F extends { readonly type: infer Type extends keyof CellTypes }
    ? CellTypes[Type]
    : never;

type NullableCellOf<F> = F extends { readonly nullable: false } ? CellOf<F> : CellOf<F> | null;

/** A row of a resource's table: a record, with timestamps as `Date`s. `ResourceRow<"sites">` is a row of `sites()`. */
export type ResourceRow<R extends ResourceName> = {
  readonly [Name in keyof FieldsOf<R>]: NullableCellOf<FieldsOf<R>[Name]>;
};

/**
 * Records of one resource as a table, one row per record: first the fields of the contract in its order, so that an
 * empty result has the same columns, then unknown fields. Timestamps are `Date`s; calendar dates stay strings.
 */
export function recordTable<R extends ResourceName>(
  resource: R,
  rows: readonly Records[R][],
): RowTable<ResourceRow<R>> {
  const fields: Readonly<Record<string, Field>> = resources[resource].fields;
  const records: readonly Readonly<Record<string, unknown>>[] = rows as readonly object[] as never;
  const extra = new Set(
    records.flatMap((record) => Object.keys(record)).filter((name) => !Object.hasOwn(fields, name)),
  );
  const table = toTable([
    ...Object.entries(fields).map(
      ([name, field]) => [name, records.map((record) => cell(record[name], field))] as const,
    ),
    ...[...extra].map((name) => [name, records.map((record) => memberOf(record, name) ?? null)] as const),
  ]);
  return table as RowTable<ResourceRow<R>>;
}

function cell(value: unknown, field: Field): unknown {
  if (field.type !== "timestamp" || typeof value !== "string") return value ?? null;
  const us = exactUs(value);
  return us === undefined ? value : dateOf(us);
}
