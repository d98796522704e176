import {
  DuckDBDateValue,
  DuckDBInstance,
  type DuckDBResultReader,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from "@duckdb/node-api";
import { dateOf } from "../../src/core/instant.js";

/** A result: names of columns, and rows, with instants as `Date`s. */
export interface DuckDBRows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Runs a statement in a new database. */
export async function duckdbRows(sql: string): Promise<DuckDBRows> {
  return readAll(sql, toRows);
}

export function toRows(reader: DuckDBResultReader): DuckDBRows {
  return { names: reader.columnNames(), rows: reader.getRows().map((row) => row.map(plainValue)) };
}

/** Rows of a statement as JSON values, run in a new database. */
export function duckdbJson(sql: string): Promise<readonly (readonly unknown[])[]> {
  return readAll(sql, (reader) => reader.getRowsJson());
}

async function readAll<T>(sql: string, read: (reader: DuckDBResultReader) => T): Promise<T> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return read(await connection.runAndReadAll(sql));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Dates of the library are rounded towards 1970. */
function plainValue(value: DuckDBValue): unknown {
  if (value instanceof DuckDBDateValue) return value.toString();
  const isTime = value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue;
  return isTime ? dateOf(Number(value.micros)) : value;
}
