import { boxSides } from "../../tables/export/geoparquet.js";
import { GONE_FEATURES, type Manifest, type SnapshotFile } from "../format/manifest.js";
import { BOX, schemaOf, type TableSchema, tableSchemas, WKB } from "../format/table-schema.js";

/** A column of a table of the lake, or, of a map, its keys or its values, or a side of a box. */
export interface LakeColumn {
  readonly id: number;
  readonly name: string;
  /** As DuckLake calls it. */
  readonly type: string;
  /** The column whose keys, values or sides it holds. */
  readonly parent: number | undefined;
  /** As Parquet calls its values; undefined for a map or a box, and for what the name of a folder says. */
  readonly parquetPath: string | undefined;
}

/** A table of a snapshot as the lake has it. */
export interface LakeTable {
  readonly name: string;
  readonly columns: readonly LakeColumn[];
  filesOf(manifest: Manifest): readonly SnapshotFile[];
}

/** The column that the folders of a table kept by site name. */
const SITE = "site_id";

const lakeTypes: Readonly<Record<string, string>> = {
  BIGINT: "int64",
  INTEGER: "int32",
  DOUBLE: "float64",
  VARCHAR: "varchar",
  BOOLEAN: "boolean",
  TIMESTAMPTZ: "timestamptz",
  // By the metadata of their files they are no mere bytes.
  [WKB]: "geometry",
};

/** The tables of every snapshot, with those columns that their files have. */
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
  const found: LakeColumn[] = [];
  const add = (column: Omit<LakeColumn, "id">) => found.push({ id: found.length + 1, ...column });
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
  return found;
}

/** Whether a column holds others, and no values of its own. */
export function isNested({ type }: LakeColumn): boolean {
  return type === "map" || type === "struct";
}

/** Whether the name of a folder says what a column holds. */
export function isPartition({ name, parquetPath }: LakeColumn): boolean {
  return name === SITE && parquetPath === undefined;
}

/** A file, and the states that have it: from one, and up to another that has it no more. */
export interface FileSpan {
  readonly file: SnapshotFile;
  readonly from: number;
  /** Undefined for a file of the present state. */
  readonly to: number | undefined;
}

/**
 * The files of a table with the states that have them. A file that a state lacks and a later one has again comes twice.
 *
 * @param states oldest first
 */
export function fileSpans(table: LakeTable, states: readonly Manifest[]): readonly FileSpan[] {
  const spans: FileSpan[] = [];
  let open = new Map<string, { readonly file: SnapshotFile; readonly from: number }>();
  for (const state of states) {
    const files = new Map(table.filesOf(state).map((file) => [file.path, file]));
    for (const [path, { file, from }] of open) if (!files.has(path)) spans.push({ file, from, to: state.generation });
    open = new Map(
      [...files].map(([path, file]) => [path, { file, from: open.get(path)?.from ?? state.generation }] as const),
    );
  }
  return [...spans, ...[...open.values()].map((span) => ({ ...span, to: undefined }))];
}
