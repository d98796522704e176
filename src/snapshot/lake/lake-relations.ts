import type { Diagnostic } from "../../core/diagnostic.js";
import { lastKnownAt } from "../../history/questions/engine/log-survey.js";
import { NEVER_US } from "../../history/questions/sql/cell-values.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { type SqlExpression, usLiteral } from "../../history/questions/sql/dialect/literals.js";
import { timePointSql } from "../../history/time/time-point-sql.js";
import { giveTime, NO_POINT, NO_ZONE } from "../../history/time/valid-time.js";
import { boxSides } from "../../tables/export/geoparquet.js";
import { quotedName } from "../../tables/sql/sql-names.js";
import { sqlText } from "../../tables/sql/sql-text.js";
import type { Database } from "../database/database.js";
import { GONE_FEATURES, type Manifest, type SnapshotFile } from "../format/manifest.js";
import { BOX, schemaOf, type TableSchema, tableSchemas, WKB } from "../format/table-schema.js";
import type { KnownPart, OpenPast, TypePast } from "../sql/type-past.js";
import { isRenamed, semanticTypes, type TypeRelation, typeRelations, viewDiagnostics } from "../sql/view-names.js";

/** A view or, with parameters, a macro of the lake. */
export interface LakeRelation {
  readonly name: string;
  /** Parameters of a macro. */
  readonly parameters?: readonly string[];
  readonly sql: string;
}

const ASKED_US: SqlExpression = { sql: "(SELECT us FROM asked)" };
const KNOWN: KnownPart = {
  knownUpTo: { sql: "(SELECT known_id FROM asked)" },
  lastKnownUs: { sql: "(SELECT known_us FROM asked)" },
};

/** Later than all times of a log, and earlier than the time of features that are never gone. */
const LATEST_US = NEVER_US / 2;

const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** The view of diagnostics about the other views. No semantic type has a name with this prefix. */
const DIAGNOSTICS = "siteframe_diagnostics";

/**
 * Returns the semantic types of a snapshot as views and macros, with the statements of `siteframe sql`, followed by the
 * diagnostics that the command would print. A column that loses values is followed by a column with all logged values.
 *
 * Tables are named without catalog, since the catalog can be attached under any name. A view finds tables in its own
 * catalog; a macro in the session's current one, which must be this.
 *
 * @param timeZone of calendar dates
 */
export async function lakeRelations(
  database: Database,
  openPast: OpenPast,
  timeZone: string,
): Promise<readonly LakeRelation[]> {
  const relations: LakeRelation[] = [];
  const diagnosed: RelationDiagnostic[] = [];
  const groups = typeRelations(await semanticTypes(database));
  for (const relation of groups.flat()) {
    const past = await openPast(relation.type, true);
    relations.push(...(await relationsOf(relation, past, database, timeZone)));
    if (relation.kind !== "present") continue;
    const { name } = relation;
    const renamed = viewDiagnostics({
      renamed: [],
      columns: [{ view: name, renamed: past.presentRenamed(duckdbDialect) }],
    });
    const diagnostics = [...(await past.mismatches(LATEST_US)), ...past.goneDiagnostics, ...renamed];
    diagnosed.push(...diagnostics.map((diagnostic) => ({ relation: name, diagnostic })));
  }
  const renamed = viewDiagnostics({ renamed: groups.filter((group) => group.some(isRenamed)), columns: [] });
  diagnosed.push(...renamed.map((diagnostic) => ({ relation: null, diagnostic })));
  return [...relations, { name: DIAGNOSTICS, sql: diagnosticsSql(diagnosed) }];
}

/** A diagnostic about a relation; null for several relations. */
interface RelationDiagnostic {
  readonly relation: string | null;
  readonly diagnostic: Diagnostic;
}

function diagnosticsSql(diagnosed: readonly RelationDiagnostic[]): string {
  const select =
    "SELECT relation::VARCHAR AS relation, code::VARCHAR AS code, message::VARCHAR AS message, count::BIGINT AS count";
  const rows = diagnosed.map(({ relation, diagnostic: { code, message, count } }) => {
    return `(${[relation === null ? "NULL" : sqlText(relation), sqlText(code), sqlText(message), count ?? "NULL"].join(", ")})`;
  });
  // VALUES needs a row, which is removed again for an empty list.
  const given = rows.length > 0 ? rows.join(", ") : "(NULL, NULL, NULL, NULL)";
  return `${select} FROM (VALUES ${given}) found(relation, code, message, count)${rows.length > 0 ? "" : " WHERE false"}`;
}

async function relationsOf(
  { kind, name }: TypeRelation,
  past: TypePast,
  database: Database,
  timeZone: string,
): Promise<readonly LakeRelation[]> {
  const time = askedUs(name, "t", timeZone).sql;
  const macro = (requested: string, parameters: readonly string[], statement: string) => [
    { name, parameters, sql: `WITH asked AS (SELECT ${requested})\nSELECT * FROM (${statement})` },
  ];
  switch (kind) {
    case "present":
      return [{ name, sql: past.present(duckdbDialect) }];
    case "history":
      return [
        { name, sql: past.history(duckdbDialect) },
        { name, parameters: [], sql: `SELECT * FROM ${quotedName(name)}` },
      ];
    case "at":
      return macro(`${time} AS us`, ["t"], await past.asOf(ASKED_US, duckdbDialect));
    case "states":
      return macro(`${time} AS us`, ["t"], past.states(ASKED_US, duckdbDialect));
    case "known": {
      const [timeless] = await database.rows(past.timelessId());
      const idSql = knownId(name, timeZone, typeof timeless?.[0] === "string" ? timeless[0] : undefined);
      const requested = `CASE WHEN known IS NOT NULL THEN ${time} END AS us, ${idSql} AS known_id, ${knownUs(name, timeZone)} AS known_us`;
      return macro(requested, ["t", "known"], await past.knownBy(KNOWN).asOf(ASKED_US, duckdbDialect));
    }
  }
}

/**
 * Returns the id of the last known change, as in `history.knownAt()`.
 *
 * @param timeless a change whose id has no insertion time, so that no time can be compared
 */
function knownId(macro: string, timeZone: string, timeless: string | undefined): string {
  const text = "CAST(known AS VARCHAR)";
  const why = `${macro}(): the change ${timeless} has no insertion time, since its id is not a UUIDv7. Pass the id of the last known change.`;
  const byTime = timeless === undefined ? lastKnownAt(askedUs(macro, "known", timeZone)).sql : `error(${sqlText(why)})`;
  return `CASE WHEN known IS NULL THEN NULL WHEN regexp_full_match(${text}, '${UUID}') THEN lower(${text}) ELSE ${byTime} END`;
}

/** The last microsecond at which changes were known; the end of time if the id of a change has no time. */
function knownUs(macro: string, timeZone: string): string {
  const text = "lower(CAST(known AS VARCHAR))";
  const ms = duckdbDialect.fromHex(`concat(substr(${text}, 1, 8), substr(${text}, 10, 4))`);
  return `CASE WHEN known IS NULL THEN NULL WHEN NOT regexp_full_match(${text}, '${UUID}') THEN ${askedUs(macro, "known", timeZone).sql}
    WHEN regexp_matches(${text}, '^.{14}7.{4}[89ab]') THEN ${ms} * 1000 + 999 ELSE ${usLiteral(NEVER_US)} END`;
}

/**
 * Returns the last microsecond that an argument of a macro includes; null for null. Values that are not points in time
 * end the query with an error.
 *
 * @param parameter of the macro, an expression of any type
 */
function askedUs(macro: string, parameter: string, timeZone: string): SqlExpression {
  const text = `CAST(${parameter} AS VARCHAR)`;
  const refused = (what: string) => {
    return `error(${sqlText(`${macro}(): `)} || ${text} || ${sqlText(` ${what}. ${giveTime(timeZone)}.`)})`;
  };
  return { sql: timePointSql(parameter, timeZone, { noPoint: refused(NO_POINT), noZone: refused(NO_ZONE) }) };
}

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
