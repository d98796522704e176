import type { ColumnTable, Table } from "arquero";
import type { FieldTypes } from "../../api/contract.js";
import type { ResourceName, resources } from "../../api/resources.js";

// biome-ignore lint/suspicious/noExplicitAny: as `get()` and `array()` of Arquero; `object`, its own type, has no columns
type AnyRow = Record<string, any>;

/** A value that may be null, or whose type depends on a definition or on what was asked. */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` and `| null` would refuse cells that calculate with it
export type CellValue = any;

declare module "arquero" {
  /** Rows of tables with unknown columns, such as the results of `derive` and tables of properties. */
  interface ColumnTable {
    /** The rows as objects. @hidden */
    objects(options?: Parameters<Table["objects"]>[0]): AnyRow[];
    /** One row as an object. @hidden */
    object(row?: number): AnyRow;
    /** The rows one by one. @hidden */
    [Symbol.iterator](): IterableIterator<AnyRow>;
  }
}

/** Verbs after which a table has the same columns. */
type KeptVerb = "filter" | "orderby" | "unorder" | "slice" | "sample" | "reify";

/** What a table of known rows has in other words than Arquero's. */
interface RowMembers<Row extends object>
  extends Omit<ColumnTable, KeptVerb | "objects" | "object" | "get" | "array" | typeof Symbol.iterator> {
  /** The rows one by one, as objects. */
  [Symbol.iterator](): IterableIterator<Row>;
  /**
   * The rows as objects.
   *
   * @param options as of Arquero
   */
  objects(options?: Parameters<ColumnTable["objects"]>[0]): Row[];
  /**
   * One row as an object; the first if no number is given.
   *
   * @param row its number, from 0
   */
  object(row?: number): Row;
  /**
   * The value of a column in a row; in the first if no number is given.
   *
   * @param name of the column
   * @param row its number, from 0
   */
  get<Name extends keyof Row & string>(name: Name, row?: number): Row[Name];
  /**
   * The value of a column that the rows are not known to have: it cannot be used as what it is not known to be.
   *
   * @param name of the column
   * @param row its number, from 0
   */
  get(name: string, row?: number): unknown;
  /**
   * The values of a column.
   *
   * @param name of the column
   */
  array<Name extends keyof Row & string>(name: Name): Row[Name][];
  /**
   * The values of a column that the rows are not known to have.
   *
   * @param name of the column
   */
  array(name: string): unknown[];
  /**
   * The rows that pass, as Arquero has it.
   *
   * @param criteria which rows pass
   */
  filter(criteria: Parameters<ColumnTable["filter"]>[0]): RowTable<Row>;
  /**
   * The rows in an order, as Arquero has it.
   *
   * @param keys what to order by
   */
  orderby(...keys: Parameters<ColumnTable["orderby"]>): RowTable<Row>;
  /** The rows in their first order. */
  unorder(): RowTable<Row>;
  /**
   * Some of the rows, as Arquero has it.
   *
   * @param range the first, and the one behind the last
   */
  slice(...range: Parameters<ColumnTable["slice"]>): RowTable<Row>;
  /**
   * Rows drawn at random, as Arquero has it.
   *
   * @param size how many, and how
   */
  sample(...size: Parameters<ColumnTable["sample"]>): RowTable<Row>;
  /**
   * A table of its own of the rows.
   *
   * @param indices numbers of the rows; all that pass if absent
   */
  reify(indices?: number[]): RowTable<Row>;
}

/**
 * An Arquero table of which it is known what its rows are: `objects()`, `object()`, iteration, `get()` and `array()` are typed by
 * them. So is what `filter`, `orderby`, `slice`, `sample` and `reify` make of it. Verbs that make other columns return a
 * table whose rows may have any columns. Values of a column that is not among the known ones are `unknown`.
 */
export type RowTable<Row extends object> = RowMembers<Row> & ColumnTable;

/** What every row of a layer has beside its properties. `siteframe types` writes what the properties are. */
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

/** A row of the table of a resource: a record, with timestamps as `Date`s. `ResourceRow<"sites">` is one of `sites()`. */
export type ResourceRow<R extends ResourceName> = {
  readonly [Name in keyof FieldsOf<R>]: NullableCellOf<FieldsOf<R>[Name]>;
};
