import { boxSides } from "../../tables/export/geoparquet.js";
import { GONE_FEATURES, type Manifest, type SnapshotFile } from "../format/manifest.js";
import { BOX, schemaOf, type TableSchema, tableSchemas, WKB } from "../format/table-schema.js";

/** A column of a table of the lake; or the keys or values of a map, or a side of a box. */
export interface LakeColumn {
  readonly id: number;
  readonly name: string;
  /** Type name in DuckLake. */
  readonly type: string;
  /** The column whose keys, values or sides it contains. */
  readonly parent: number | undefined;
  /** Path of the values in Parquet; undefined for maps and boxes, and for values in folder names. */
  readonly parquetPath: string | undefined;
}

/** A table of a snapshot in the form of the lake. */
export interface LakeTable {
  readonly name: string;
  readonly columns: readonly LakeColumn[];
  filesOf(manifest: Manifest): readonly SnapshotFile[];
}

/** Column that is in the folder names of tables stored by site. */
const SITE = "site_id";

const lakeTypes: Readonly<Record<string, string>> = {
  BIGINT: "int64",
  INTEGER: "int32",
  DOUBLE: "float64",
  VARCHAR: "varchar",
  BOOLEAN: "boolean",
  TIMESTAMPTZ: "timestamptz",
  // The metadata of the files declares them as geometries.
  [WKB]: "geometry",
};

/** The tables of every snapshot, with the columns in their files. */
export const lakeTables: readonly LakeTable[] = [
  ...tableSchemas.map(
    (schema): LakeTable => ({
      name: schema.name,
      columns: lakeColumns(schema),
      filesOf: ({ files }) => files.filter(({ resource }) => resource === schema.resource),
    }),
  ),
  {
    name: GONE_FEATURES,
    columns: lakeColumns(schemaOf("layerFeatures"), [{ name: "gone_at", type: "TIMESTAMPTZ" }]),
    filesOf: ({ gone_files = [] }) => gone_files,
  },
];

function lakeColumns(
  { columns, bySite }: TableSchema,
  more: readonly { readonly name: string; readonly type: string }[] = [],
): readonly LakeColumn[] {
  const stored = [
    ...columns.filter(({ name }) => !bySite || name !== SITE),
    { name: "record_bytes", type: "INTEGER" },
    { name: "record", type: "VARCHAR" },
    ...more,
  ];
  const tableColumns: LakeColumn[] = [];
  const add = (column: Omit<LakeColumn, "id">) => tableColumns.push({ id: tableColumns.length + 1, ...column });
  for (const { name, type } of stored) {
    const plain = lakeTypes[type];
    if (plain) {
      add({ name, type: plain, parent: undefined, parquetPath: name });
      continue;
    }
    if (type === BOX) {
      const parent = add({ name, type: "struct", parent: undefined, parquetPath: undefined });
      for (const side of boxSides) add({ name: side, type: "float64", parent, parquetPath: `${name}, ${side}` });
      continue;
    }
    const parent = add({ name, type: "map", parent: undefined, parquetPath: undefined });
    for (const part of ["key", "value"])
      add({ name: part, type: "varchar", parent, parquetPath: `${name}, key_value, ${part}` });
  }
  if (bySite) add({ name: SITE, type: "int64", parent: undefined, parquetPath: undefined });
  return tableColumns;
}

/** Whether a column contains other columns instead of values. */
export function isNested({ type }: LakeColumn): boolean {
  return type === "map" || type === "struct";
}

/** Whether the values of a column are in folder names. */
export function isPartition({ name, parquetPath }: LakeColumn): boolean {
  return name === SITE && parquetPath === undefined;
}

/** A file and its generations: from the first one up to the first one without it. */
export interface FileSpan {
  readonly file: SnapshotFile;
  readonly from: number;
  /** Undefined for a file of the current generation. */
  readonly to: number | undefined;
}

/**
 * Returns the files of a table with their generations. A file that is missing in a generation and back in a later one
 * is listed twice.
 *
 * @param states oldest first
 */
export function fileSpans(table: LakeTable, states: readonly Manifest[]): readonly FileSpan[] {
  const rowRanges: FileSpan[] = [];
  let open = new Map<string, { readonly file: SnapshotFile; readonly from: number }>();
  for (const state of states) {
    const files = new Map(table.filesOf(state).map((file) => [file.path, file]));
    for (const [path, { file, from }] of open)
      if (!files.has(path)) rowRanges.push({ file, from, to: state.generation });
    open = new Map(
      [...files].map(([path, file]) => [path, { file, from: open.get(path)?.from ?? state.generation }] as const),
    );
  }
  return [...rowRanges, ...[...open.values()].map((span) => ({ ...span, to: undefined }))];
}

/** Descriptions of the tables of a lake, by name. */
const tables: Readonly<Record<string, string>> = {
  sites: "Sites, one row per site.",
  operations: "Captures of sites, one row per capture.",
  blocks: "Blocks of captures, with their areas.",
  datasets: "Datasets of features, one row per dataset.",
  property_definitions: "Definitions of custom properties: name, type and options.",
  layer_features:
    "Current features of all semantic types, one row per feature. The views of semantic types have their properties as columns.",
  property_changes: "The change log, one row per change of a property of a feature.",
  [GONE_FEATURES]: "Features of earlier pulls that the service no longer returns.",
};

/** Descriptions of columns, by name; the same in every table. */
const columns: Readonly<Record<string, string>> = {
  record: "The original record of the service, as JSON text.",
  record_bytes: "Length of `record` in bytes of UTF-8, to skip or batch large records without reading them.",
  properties: "Current values by property key: JSON texts; UUIDs in lower case.",
  geometry: "Geometry in longitude and latitude (OGC:CRS84); null if it is missing or malformed, see `record`.",
  bbox: "Bounding box of `geometry`.",
  site_id: "Site, `sites.id`; also in the name of the file's folder.",
  dataset_id: "Dataset, `datasets.id`.",
  operation_id: "Capture, `operations.id`; null for features that do not belong to a capture.",
  layer_feature_id: "Feature, `layer_features.id`.",
  property_key: "A built-in key (`STATUS`), or the UUID of a property definition in lower case.",
  new_value: "The value after the change, as JSON text.",
  created_at: "Creation time of the record; for changes, the time of the edit.",
  updated_at: "Time of the last update by the service.",
  caused_by_change_id: "The change that caused this one, `property_changes.id`.",
  user_id: "User id of the change's author; null for the system.",
  system: "Whether the system made the change.",
  semantic_type: "Kind of feature, for example `TRENCHES`.",
  visible_id: "Readable identifier of a feature.",
  gone_at: "Time of the first generation without the feature.",
};

/** The comment of a table or column of a lake; undefined if its name is clear enough. */
export function lakeComment(table: string, column?: string): string | undefined {
  const comments = column === undefined ? tables : columns;
  const name = column ?? table;
  return Object.hasOwn(comments, name) ? comments[name] : undefined;
}
