import type { ColumnTable } from "arquero";
import type { FieldTypes } from "../../api/form/field.js";
import type { ResourceName, resources } from "../../api/resources.js";

/** Verbs after which a table has the same columns. */
type KeptVerb = "filter" | "orderby" | "unorder" | "slice" | "sample" | "reify";

/** What a table of known rows has in other words than Arquero's. */
interface RowMembers<Row extends object> extends Omit<ColumnTable, KeptVerb | "objects" | "object" | "get" | "array"> {
  /** The rows as objects. */
  objects(options?: Parameters<ColumnTable["objects"]>[0]): Row[];
  /** One row as an object; the first if no number is given. */
  object(row?: number): Row;
  /** The value of a column in a row; in the first if no number is given. */
  get<Name extends keyof Row & string>(name: Name, row?: number): Row[Name];
  /** The values of a column. */
  array<Name extends keyof Row & string>(name: Name): Row[Name][];
  filter(criteria: Parameters<ColumnTable["filter"]>[0]): RowTable<Row>;
  orderby(...keys: Parameters<ColumnTable["orderby"]>): RowTable<Row>;
  unorder(): RowTable<Row>;
  slice(...range: Parameters<ColumnTable["slice"]>): RowTable<Row>;
  sample(...size: Parameters<ColumnTable["sample"]>): RowTable<Row>;
  reify(indices?: number[]): RowTable<Row>;
}

/**
 * An Arquero table of which it is known what its rows are: `objects()`, `object()`, `get()` and `array()` are typed by them.
 * So is what `filter`, `orderby`, `slice`, `sample` and `reify` make of it. Verbs that make other columns give a table of
 * rows that are not known, and a column that is not among the known ones has no type.
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

/** A row of the table of a resource: a record, with timestamps as `Date`s. `ResourceRow<"sites">` is one of `sites()`. */
export type ResourceRow<R extends ResourceName> = {
  readonly [Name in keyof FieldsOf<R>]: FieldsOf<R>[Name] extends { readonly nullable: false }
    ? CellOf<FieldsOf<R>[Name]>
    : CellOf<FieldsOf<R>[Name]> | null;
};
