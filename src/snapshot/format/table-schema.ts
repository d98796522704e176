import type { FieldType, Resource } from "../../api/contract.js";
import { type ResourceName, resources } from "../../api/resources.js";

/** Type of a column in DuckDB and Parquet. */
export type SqlType =
  | "BIGINT"
  | "DOUBLE"
  | "VARCHAR"
  | "BOOLEAN"
  | "TIMESTAMPTZ"
  | typeof PROPERTY_MAP
  | typeof WKB
  | typeof BOX;

/** Current values by property key, both canonical: JSON texts, so that engines need not parse JSON. */
export const PROPERTY_MAP = "MAP(VARCHAR, VARCHAR)";

/** A geometry as well-known binary, described in GeoParquet's metadata. */
export const WKB = "BLOB";

/** The bounding box of a geometry; Parquet has the minimum and maximum of each row group. */
export const BOX = "STRUCT(xmin DOUBLE, ymin DOUBLE, xmax DOUBLE, ymax DOUBLE)";

/**
 * Name of the column of boxes. GeoParquet readers that filter by location get it from the metadata, and it is usually
 * this one.
 */
const BOX_NAME = "bbox";

/** Content of a column in canonical form: the name of a property, or the values of properties by name. */
export type CanonicalForm = "key" | "values";

/** A field of the contract with its own column next to the record's text. */
export interface TableColumn {
  readonly name: string;
  readonly field: FieldType;
  readonly type: SqlType;
  readonly form?: CanonicalForm;
  /** Field of a column of boxes; absent in others. */
  readonly boxOf?: string;
}

/** Content of column files: the members of records, the parts of changes that histories need, or whole records. */
export type ColumnFileContent = "members" | "changes" | "records";

/** Storage of a resource. */
export interface TableSchema {
  readonly resource: ResourceName;
  /** Name of the folder, of the SQL table and, with `.ndjson`, of the exchange file. */
  readonly name: string;
  readonly columns: readonly TableColumn[];
  /** Whether the files are in one folder per site, `site_id=12`. */
  readonly bySite: boolean;
  /** Content of its column files; undefined without column files. */
  readonly columnFiles: ColumnFileContent | undefined;
  /** Order of the rows in a file. `history/log/valid-order.ts` decides which of two changes is later. */
  readonly order: readonly string[];
  /**
   * Approximate rows of a file, in tables that are stored by site. Small parts stay unchanged more often, and are
   * compared, sorted and read with little memory.
   */
  readonly partRows: number;
  /** Approximate bytes of the records of a file: a part is built in memory, and records can be large. */
  readonly partBytes: number;
  /** Rows in a row group, the unit that readers skip. */
  readonly rowGroupSize: number;
  /**
   * Layer features are stored uncompressed, so that a page is copied from the file: decompressing whole row groups for
   * a page of 10,000 scattered rows would cost a hundred times as much.
   */
  readonly compression: "uncompressed" | "zstd";
}

/**
 * Row groups of a site's log. Engines gain from large groups, of which they skip whole columns; a page of changes must
 * decompress its group. With a hundredth of the log per group, that costs a page no more than searching its files.
 * Decision 18.
 */
export const logGroups = {
  /** Minimum rows of a group: changes are read for a few features, one whole group at a time. */
  least: 4096,
  most: 122_880,
  /** Count of groups in a log, within these bounds. */
  count: 100,
  /** Maximum bytes: a group is built in memory. */
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
