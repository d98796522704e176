import type { DuckDBConnection, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { Geometry } from "geojson";
import { type ColumnKind, columnKinds } from "../../api/property-types.js";
import { cellSignal } from "../../core/abort-signal.js";
import type { ExactUs } from "../../core/instant.js";
import type { ExportColumn, ExportTable } from "../export/export-table.js";
import { daysOf, instantUs, int64Of, jsonText, presentValues } from "../export/export-values.js";
import { toWkb } from "../export/wkb.js";
import { interruptOn, loadDuckDB, VECTOR_ROWS } from "./load-duckdb.js";
import { quotedName, sqlNames } from "./sql-names.js";

type DuckDB = typeof import("@duckdb/node-api");

/**
 * Type of geometries in a database: GeoJSON, or well-known binary. In a frame from another process, they and other JSON
 * are strings.
 */
export type GeometryForm = "JSON" | "TEXT" | "WKB";

/**
 * Runs `use` with an empty in-memory database that contains a frame as table `layer`.
 *
 * `columnKinds` determines the types of columns, and `sqlNames` their names.
 */
export async function withLayerDatabase<T>(
  frame: ExportTable,
  geometryForm: GeometryForm,
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const signal = cellSignal();
  const duckdb = await loadDuckDB();
  const instance = await duckdb.DuckDBInstance.create(":memory:", {
    // A query must not load code from the network by naming a function.
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  using _ = interruptOn(connection, signal);
  try {
    signal?.throwIfAborted();
    await connection.run("SET TimeZone = 'UTC'");
    await fill(duckdb, connection, frame, geometryForm);
    return await use(connection);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function fill(
  duckdb: DuckDB,
  connection: DuckDBConnection,
  frame: ExportTable,
  geometryForm: GeometryForm,
): Promise<void> {
  const columns = frame.columns.map((column) => sqlColumn(duckdb, column, geometryForm));
  const definitions = columns.map(({ type }, index) => `c${index} ${type}`);
  await connection.run(`CREATE TABLE staged (${definitions.join()})`);
  const appender = await connection.createAppender("staged");
  for (let start = 0; start < frame.rowCount; start += VECTOR_ROWS) {
    const length = Math.min(VECTOR_ROWS, frame.rowCount - start);
    const chunk = duckdb.DuckDBDataChunk.create(columns.map(({ type }) => type));
    chunk.setColumns(columns.map(({ at }) => Array.from({ length }, (_, row) => at(start + row))));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  const { names } = sqlNames(frame.columns);
  const selected = frame.columns.map(({ kind }, index) => {
    return `${selectedValue(`c${index}`, kind, geometryForm)} AS ${quotedName(names[index] as string)}`;
  });
  await connection.run(`CREATE VIEW layer AS SELECT ${selected.join()} FROM staged`);
}

function selectedValue(column: string, kind: ColumnKind, geometryForm: GeometryForm): string {
  if (kind === "geometry" && geometryForm === "WKB") return column;
  return columnKinds[kind].sql === "JSON" ? `${column}::JSON` : column;
}

interface SqlColumn {
  readonly type: DuckDBType;
  readonly at: (row: number) => DuckDBValue;
}

function sqlColumn(duckdb: DuckDB, { kind, values }: ExportColumn, geometryForm: GeometryForm): SqlColumn {
  const present = <T>(convert: (value: unknown) => T) => presentValues(values, convert);
  const { sql } = columnKinds[kind];
  switch (sql) {
    case "BIGINT":
      return { type: duckdb.BIGINT, at: present(int64Of) };
    case "DOUBLE":
      return { type: duckdb.DOUBLE, at: present(Number) };
    case "BOOLEAN":
      return { type: duckdb.BOOLEAN, at: present(Boolean) };
    case "VARCHAR":
      return { type: duckdb.VARCHAR, at: present(String) };
    case "DATE":
      return { type: duckdb.DATE, at: present((value) => new duckdb.DuckDBDateValue(daysOf(value))) };
    case "BIGINT[]": {
      const toList = (value: unknown) => duckdb.listValue(items(value).map(int64Of));
      return { type: duckdb.LIST(duckdb.BIGINT), at: present(toList) };
    }
    case "VARCHAR[]":
      return { type: duckdb.LIST(duckdb.VARCHAR), at: present((value) => duckdb.listValue(items(value).map(String))) };
    case "TIMESTAMPTZ":
      return { type: duckdb.TIMESTAMPTZ, at: instantAt(duckdb, instantUs(values)) };
    case "JSON": {
      if (geometryForm === "TEXT") return { type: duckdb.VARCHAR, at: present(String) };
      if (kind === "json") return { type: duckdb.VARCHAR, at: present(jsonText) };
      if (geometryForm === "JSON") return { type: duckdb.VARCHAR, at: present((value) => JSON.stringify(value)) };
      return { type: duckdb.BLOB, at: present((value) => new duckdb.DuckDBBlobValue(toWkb(value as Geometry))) };
    }
  }
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function instantAt({ DuckDBTimestampTZValue }: DuckDB, usOf: (row: number) => ExactUs): (row: number) => DuckDBValue {
  return (row) => {
    const us = usOf(row);
    return Number.isNaN(us) ? null : new DuckDBTimestampTZValue(BigInt(us));
  };
}
