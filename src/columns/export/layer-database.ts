import type { DuckDBConnection, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { Geometry } from "geojson";
import type { Frame, FrameColumn } from "./frame.js";
import { instantUs } from "./instant-us.js";
import { toWkt } from "./to-wkt.js";

type DuckDB = typeof import("@duckdb/node-api");

/** DuckDB's vectors have this many rows. */
const CHUNK = 2048;

/** How geometries stand in a database: GeoJSON, or well-known text, which casts to DuckDB's GEOMETRY. */
export type GeometryText = "geojson" | "wkt";

/**
 * Runs `use` with an empty database in memory that holds a frame as table `layer`.
 *
 * Integers are BIGINT, numbers DOUBLE, instants TIMESTAMPTZ, texts VARCHAR, other JSON is JSON.
 */
export async function withLayerDatabase<T>(
  frame: Frame,
  geometryText: GeometryText,
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const duckdb = await import("@duckdb/node-api");
  const instance = await duckdb.DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    await fill(duckdb, connection, frame, geometryText);
    return await use(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** A name as SQL quotes it. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

async function fill(
  duckdb: DuckDB,
  connection: DuckDBConnection,
  frame: Frame,
  geometryText: GeometryText,
): Promise<void> {
  const columns = frame.columns.map((column) => sqlColumn(duckdb, column, geometryText));
  const definitions = frame.columns.map(({ name }, index) => `${sqlName(name)} ${columns[index]?.type}`);
  await connection.run(`CREATE TABLE staged (${definitions.join()})`);
  const appender = await connection.createAppender("staged");
  for (let start = 0; start < frame.rowCount; start += CHUNK) {
    const length = Math.min(CHUNK, frame.rowCount - start);
    const chunk = duckdb.DuckDBDataChunk.create(columns.map(({ type }) => type));
    chunk.setColumns(columns.map(({ at }) => Array.from({ length }, (_, row) => at(start + row))));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  const isJson = ({ kind }: FrameColumn) => kind === "json" || (kind === "geometry" && geometryText === "geojson");
  const selected = frame.columns.map((column) => {
    const name = sqlName(column.name);
    return isJson(column) ? `${name}::JSON AS ${name}` : name;
  });
  await connection.run(`CREATE VIEW layer AS SELECT ${selected.join()} FROM staged`);
}

interface SqlColumn {
  readonly type: DuckDBType;
  readonly at: (row: number) => DuckDBValue;
}

function sqlColumn(duckdb: DuckDB, { kind, values }: FrameColumn, geometryText: GeometryText): SqlColumn {
  const present =
    <T>(convert: (value: unknown) => T) =>
    (row: number) => {
      const value = values.at(row);
      return value === null || value === undefined ? null : convert(value);
    };
  switch (kind) {
    case "integer":
      return { type: duckdb.BIGINT, at: present((value) => BigInt(Number(value))) };
    case "number":
      return { type: duckdb.DOUBLE, at: present(Number) };
    case "boolean":
      return { type: duckdb.BOOLEAN, at: present(Boolean) };
    case "text":
      return { type: duckdb.VARCHAR, at: present(String) };
    case "instant":
      return { type: duckdb.TIMESTAMPTZ, at: instantAt(duckdb, instantUs(values)) };
    case "geometry": {
      const toText = (value: unknown) => (geometryText === "wkt" ? toWkt(value as Geometry) : JSON.stringify(value));
      return { type: duckdb.VARCHAR, at: present(toText) };
    }
    case "json":
      return { type: duckdb.VARCHAR, at: present((value) => JSON.stringify(value)) };
  }
}

function instantAt({ DuckDBTimestampTZValue }: DuckDB, usOf: (row: number) => number): (row: number) => DuckDBValue {
  return (row) => {
    const us = usOf(row);
    return Number.isNaN(us) ? null : new DuckDBTimestampTZValue(BigInt(us));
  };
}
