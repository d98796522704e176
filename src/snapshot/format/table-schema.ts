import type { FieldType, Resource } from "../../api/contract.js";
import { type ResourceName, resources } from "../../api/resources.js";

/** Type of a column, as DuckDB and Parquet know it. */
export type SqlType =
  | "BIGINT"
  | "DOUBLE"
  | "VARCHAR"
  | "BOOLEAN"
  | "TIMESTAMPTZ"
  | typeof PROPERTY_MAP
  | typeof WKB
  | typeof BOX;

/** Present values by property key, both canonical: texts of JSON, so that no engine has to read any. */
export const PROPERTY_MAP = "MAP(VARCHAR, VARCHAR)";

/** A geometry as well-known binary, which GeoParquet's metadata tells readers of. */
export const WKB = "BLOB";

/** The box around a geometry, of which Parquet has the least and the greatest for each row group. */
export const BOX = "STRUCT(xmin DOUBLE, ymin DOUBLE, xmax DOUBLE, ymax DOUBLE)";

/** Name of the column of boxes: readers of GeoParquet that filter by place are told it, and usually it is this one. */
const BOX_NAME = "bbox";

/** What a column holds in canonical form: the name of a property, or the values of properties by name. */
export type CanonicalForm = "key" | "values";

/** A field of the contract that has a column of its own beside the record's text. */
export interface TableColumn {
  readonly name: string;
  readonly field: FieldType;
  readonly type: SqlType;
  readonly form?: CanonicalForm;
  /** The field that a column of boxes is about; absent in others. */
  readonly boxOf?: string;
}

/** What column files hold: the members of records, what a history needs of changes, or the records. */
export type ColumnFileContent = "members" | "changes" | "records";

/** How a resource is stored. */
export interface TableSchema {
  readonly resource: ResourceName;
  /** Name of the folder, of the SQL table and, with `.ndjson`, of the exchange file. */
  readonly name: string;
  readonly columns: readonly TableColumn[];
  /** Whether the files lie in one folder a site, `site_id=12`. */
  readonly bySite: boolean;
  /** What its column files hold; undefined where it has none. */
  readonly columnFiles: ColumnFileContent | undefined;
  /** Order of the rows in a file. Which of two changes is the later one, `history/log/valid-order.ts` says. */
  readonly order: readonly string[];
  /**
   * Rows of a file, about, in tables kept by site. Small parts are kept where nothing changed, and are compared, sorted
   * and read in little memory.
   */
  readonly partRows: number;
  /** Bytes of the records of a file, about: a part is put together in memory, and records may be large. */
  readonly partBytes: number;
  /** Rows in a row group; the unit in which a reader skips. */
  readonly rowGroupSize: number;
  /**
   * Layer features are stored uncompressed, so that a page is copied out of the file: at 10,000 scattered rows a page,
   * inflating whole row groups would cost a hundred times the rows.
   */
  readonly compression: "uncompressed" | "zstd";
}

/**
 * Row groups of a site's log. Engines gain from large ones, of which they skip whole columns; a page of changes has to
 * unpack the group that it is in. A hundredth of the log costs a page no more than looking through its files. Decision 18.
 */
export const logGroups = {
  /** Rows of a group: changes are read for a few features, of a whole group at a time. */
  least: 4096,
  most: 122_880,
  /** How many groups a log has, between these bounds. */
  count: 100,
  /** A group is put together in memory. */
  mostBytes: 2 ** 25,
} as const;

const forms: Readonly<Record<string, CanonicalForm>> = { property_key: "key", properties: "values" };

const sqlTypes: Readonly<Partial<Record<FieldType, SqlType>>> = {
  integer: "BIGINT",
  number: "DOUBLE",
  string: "VARCHAR",
  boolean: "BOOLEAN",
  uuid: "VARCHAR",
  date: "VARCHAR",
  timestamp: "TIMESTAMPTZ",
  json: "VARCHAR",
};

/** The tables of a snapshot, features before the changes that refer to them. */
export const tableSchemas: readonly TableSchema[] = (Object.keys(resources) as ResourceName[]).map((resource) => ({
  resource,
  name: resources[resource].table,
  columns: columnsOf(resources[resource]),
  bySite: resource === "layerFeatures" || resource === "propertyChanges",
  columnFiles: resource === "layerFeatures" ? "members" : resource === "propertyChanges" ? "changes" : "records",
  order: resource === "propertyChanges" ? ["layer_feature_id", "created_at", "id"] : ["id"],
  partRows: resource === "propertyChanges" ? 131_072 : 20_480,
  partBytes: 2 ** 23,
  rowGroupSize: resource === "propertyChanges" ? logGroups.least : 10_240,
  compression: resource === "layerFeatures" ? "uncompressed" : "zstd",
}));

/** The table of a resource. */
export function schemaOf(resource: ResourceName): TableSchema {
  const schema = tableSchemas.find((table) => table.resource === resource);
  if (!schema) throw new TypeError(`no table for ${resource}`);
  return schema;
}

function columnsOf(resource: Resource): TableColumn[] {
  return Object.entries({ ...resource.fields, ...resource.hidden }).flatMap(([name, field]) => {
    if (field.type === "geometry") {
      const geometry: TableColumn = { name, field: field.type, type: WKB };
      return [geometry, { name: BOX_NAME, field: field.type, type: BOX, boxOf: name }];
    }
    const form = forms[name];
    const type = field.deprecated ? undefined : form === "values" ? PROPERTY_MAP : sqlTypes[field.type];
    return type ? [{ name, field: field.type, type, ...(form && { form }) }] : [];
  });
}
