import { join } from "node:path";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { sqlText } from "../../tables/sql/sql-text.js";
import { GONE_FEATURES, type Manifest, type SnapshotFile } from "../format/manifest.js";
import { schemaOf, type TableSchema, tableSchemas, WKB } from "../format/table-schema.js";
import { parquetFiles, siteFiles } from "./parquet-files.js";

/** A table of a snapshot and its files. */
export interface TableFiles {
  readonly name: string;
  readonly schema: TableSchema;
  readonly files: readonly SnapshotFile[];
}

/** The tables of a generation. */
export function tableFiles({ files, gone_files = [] }: Manifest): readonly TableFiles[] {
  const tables = tableSchemas.map((schema) => ({
    name: schema.name,
    schema,
    files: files.filter(({ resource }) => resource === schema.resource),
  }));
  return [...tables, { name: GONE_FEATURES, schema: schemaOf("layerFeatures"), files: gone_files }];
}

/** A logged value as text: a string without its quotes, other values as JSON. */
const LOGGED_TEXT = `CASE WHEN starts_with(new_value, '"') THEN ${duckdbDialect.stringOf("new_value")} ELSE new_value END`;

/**
 * The statement that creates a view of files.
 *
 * @param isLacking whether the file at a path is missing. A statement that reads such a file fails with an error that
 * `lackOf()` explains; a statement that excludes its site does not
 */
export function viewOf(
  { name, schema, files }: TableFiles,
  root: string,
  isLacking: (path: string) => boolean = () => false,
): string {
  if (files.length === 0) {
    const columns = columnsOf(name, schema).map(([column, type]) => `"${column}" ${type}`);
    return `CREATE TABLE IF NOT EXISTS ${name} (${columns.join()})`;
  }
  const starts = firstRows(files.map(({ rows }) => rows));
  const parts = runsOf(files, ({ path, site_id }) => (isLacking(path) ? String(site_id) : "")).map(
    ({ key, from, to }) =>
      key === ""
        ? readSql(schema, root, files.slice(from, to), starts.slice(from, to))
        : lackSql(name, schema, files[from]?.site_id),
  );
  return `CREATE OR REPLACE VIEW ${name} AS ${parts.join(" UNION ALL BY NAME ")}`;
}

function readSql(schema: TableSchema, root: string, files: readonly SnapshotFile[], starts: readonly number[]): string {
  const paths = files.map(({ path }) => join(root, path));
  if (!schema.bySite) return `FROM ${parquetFiles(paths)}`;
  const value = schema.resource === "propertyChanges" ? [`${LOGGED_TEXT} AS value`] : [];
  const row = `file_row_number + list_value(${starts.join()})[file_index::BIGINT + 1] AS row`;
  return siteFiles(paths, { columns: [...value, row] });
}

/**
 * Replaces missing files: reading any column except the site fails. DuckDB skips it if a condition excludes the site,
 * so only the site is a constant. The limit keeps conditions of the statement out of the inner one, which cannot be
 * caught or skipped then.
 */
function lackSql(name: string, schema: TableSchema, site: SnapshotFile["site_id"]): string {
  const failing = `error(${sqlText(`${LACK}${name} ${site}`)})`;
  const columns = columnsOf(name, schema).map(([column, type]) =>
    column === "site_id" && schema.bySite
      ? `${site ?? "NULL"}::${type} AS site_id`
      : `${failing}::${type} AS "${column}"`,
  );
  return `SELECT ${columns.join()} FROM (SELECT 1 WHERE ${failing} LIMIT 1)`;
}

const LACK = "siteframe lacks ";

/** The missing files of a failed statement; undefined for other errors. */
export function lackOf(error: unknown): { readonly table: string; readonly site: string } | undefined {
  const [, table, site] = /siteframe lacks (\w+) (-?\w+)/.exec(String(error)) ?? [];
  return table === undefined || site === undefined ? undefined : { table, site };
}

/** The columns of a table in files of this format, with their types. */
function columnsOf(name: string, { resource, columns, bySite }: TableSchema): readonly (readonly [string, string])[] {
  const ownColumns = columns.filter((column) => !bySite || column.name !== "site_id");
  return [
    // DuckDB reads GeoParquet geometries as its own type.
    ...ownColumns.map((column) => [column.name, column.type === WKB ? "GEOMETRY('OGC:CRS84')" : column.type] as const),
    ["record_bytes", "INTEGER"],
    ["record", "VARCHAR"],
    ...(name === GONE_FEATURES ? [["gone_at", "TIMESTAMPTZ"] as const] : []),
    ...(bySite ? [["site_id", "BIGINT"] as const] : []),
    ...(resource === "propertyChanges" ? [["value", "VARCHAR"] as const] : []),
    ...(bySite ? [["row", "BIGINT"] as const] : []),
  ];
}

/** Consecutive items with the same key. */
function runsOf<T>(items: readonly T[], keyOf: (item: T) => string) {
  const runs: { readonly key: string; readonly from: number; to: number }[] = [];
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    const last = runs.at(-1);
    if (last?.key === key) last.to = index + 1;
    else runs.push({ key, from: index, to: index + 1 });
  }
  return runs;
}

/** Index of each file's first row in the concatenated files. */
export function firstRows(counts: readonly number[]): number[] {
  let next = 0;
  return counts.map((count) => {
    const first = next;
    next += count;
    return first;
  });
}
