import { sparkDialect } from "../../history/questions/sql/dialect/spark-dialect.js";
import { trinoDialect } from "../../history/questions/sql/dialect/trino-dialect.js";
import { tableFiles } from "../database/table-views.js";
import { GONE_FEATURES, type Manifest } from "../format/manifest.js";
import { BOX, type SqlType, type TableColumn, type TableSchema } from "../format/table-schema.js";

/** Engines that need declarations. DuckDB does not. */
export type DeclaringEngine = "trino" | "spark";

/** Location of the tables, and the schema in which they are declared. */
export interface DeclareOptions {
  /** URL of the pinned folder as the engine sees it: `s3://bucket/acme.snapshot/generations/000012`. */
  readonly location: string;
  /** Schema for the tables. */
  readonly schema: string;
  /** Catalog of the Hive connector, for Trino. */
  readonly catalog: string;
}

/**
 * Returns the statements that declare the tables of a generation to an engine, over its pinned folder. Run those of the
 * next generation after each pull.
 *
 * Trino reads milliseconds from Parquet timestamps unless they are declared as `BIGINT`: then they are exact
 * microseconds since 1970. Spark needs the type of `site_id`, and rejects times before 1900 unless the calendar is
 * declared as the current one.
 */
export function declareTables(manifest: Manifest, engine: DeclaringEngine, options: DeclareOptions): readonly string[] {
  const declared = tableFiles(manifest).map(({ schema, name, files }): DeclaredTable => {
    const columns = name === GONE_FEATURES ? [...schema.columns, GONE_AT] : schema.columns;
    return { schema: { ...schema, name, columns }, isEmpty: files.length === 0 };
  });
  const write = engine === "trino" ? declareToTrino : declareToSpark;
  return write(declared, { ...options, location: options.location.replace(/\/+$/, "") });
}

/** Time at which a feature was found to be gone. */
const GONE_AT: TableColumn = { name: "gone_at", field: "timestamp", type: "TIMESTAMPTZ" };

interface DeclaredTable {
  readonly schema: TableSchema;
  /** Whether the table has no files, so that the folder, which engines require, may be missing. */
  readonly isEmpty: boolean;
}

const trinoTypes: Readonly<Record<SqlType, string>> = {
  BIGINT: "bigint",
  DOUBLE: "double",
  VARCHAR: "varchar",
  BOOLEAN: "boolean",
  TIMESTAMPTZ: "bigint",
  "MAP(VARCHAR, VARCHAR)": "map(varchar, varchar)",
  BLOB: "varbinary",
  [BOX]: "row(xmin double, ymin double, xmax double, ymax double)",
};

function declareToTrino(tables: readonly DeclaredTable[], options: DeclareOptions): string[] {
  const { identifier, text } = trinoDialect;
  const schema = `${identifier(options.catalog)}.${identifier(options.schema)}`;
  return [
    `CREATE SCHEMA IF NOT EXISTS ${schema}`,
    ...tables.flatMap(({ schema: { name, columns, bySite }, isEmpty }) => {
      const typed = fileColumns(columns, bySite).map(
        (column) => `${identifier(column.name)} ${trinoTypes[column.type]}`,
      );
      const all = [...typed, "record varchar", ...(bySite ? ["site_id bigint"] : [])];
      const properties = [
        "format = 'PARQUET'",
        ...(isEmpty ? [] : [`external_location = ${text(`${options.location}/${name}`)}`]),
        ...(bySite ? ["partitioned_by = ARRAY['site_id']"] : []),
      ];
      const table = `${schema}.${identifier(name)}`;
      const sync = `CALL ${identifier(options.catalog)}.system.sync_partition_metadata(${text(options.schema)}, ${text(name)}, 'FULL')`;
      return [
        `DROP TABLE IF EXISTS ${table}`,
        `CREATE TABLE ${table} (\n  ${all.join(",\n  ")}\n) WITH (${properties.join(", ")})`,
        ...(bySite && !isEmpty ? [sync] : []),
      ];
    }),
  ];
}

const sparkTypes: Readonly<Record<SqlType, string>> = {
  BIGINT: "BIGINT",
  DOUBLE: "DOUBLE",
  VARCHAR: "STRING",
  BOOLEAN: "BOOLEAN",
  TIMESTAMPTZ: "TIMESTAMP",
  "MAP(VARCHAR, VARCHAR)": "MAP<STRING, STRING>",
  BLOB: "BINARY",
  [BOX]: "STRUCT<xmin: DOUBLE, ymin: DOUBLE, xmax: DOUBLE, ymax: DOUBLE>",
};

function declareToSpark(tables: readonly DeclaredTable[], options: DeclareOptions): string[] {
  const { identifier, text } = sparkDialect;
  const schema = identifier(options.schema);
  return [
    `CREATE SCHEMA IF NOT EXISTS ${schema}`,
    ...tables.flatMap(({ schema: { name, columns, bySite }, isEmpty }) => {
      const typed = fileColumns(columns, bySite).map(
        (column) => `${identifier(column.name)} ${sparkTypes[column.type]}`,
      );
      const all = [...typed, "record STRING", ...(bySite ? ["site_id BIGINT"] : [])];
      const location = isEmpty ? "" : `\nLOCATION ${text(`${options.location}/${name}`)}`;
      const table = `${schema}.${identifier(name)}`;
      return [
        `DROP TABLE IF EXISTS ${table}`,
        `CREATE TABLE ${table} (\n  ${all.join(",\n  ")}\n) USING parquet\nOPTIONS (datetimeRebaseMode 'CORRECTED')${bySite ? "\nPARTITIONED BY (site_id)" : ""}${location}`,
        ...(bySite && !isEmpty ? [`ALTER TABLE ${table} RECOVER PARTITIONS`] : []),
      ];
    }),
  ];
}

/** Columns in the files: the site of tables that are stored by site is in the folder name. */
function fileColumns(columns: TableSchema["columns"], bySite: boolean): TableSchema["columns"] {
  return columns.filter(({ name }) => !bySite || name !== "site_id");
}
