import type { DuckDBAppender, DuckDBConnection, DuckDBTimestampValue } from "@duckdb/node-api";
import { boxSides } from "../../tables/export/geoparquet.js";
import { loadDuckDB } from "../../tables/sql/load-duckdb.js";
import { BOX, PROPERTY_MAP, type SqlType, type TableColumn, type TableSchema } from "../format/table-schema.js";
import type { ColumnValue, RecordInput } from "./encode-record.js";

/** Appends rows to a table of DuckDB. */
export class RowAppender {
  readonly #appender: DuckDBAppender;
  readonly #types: readonly SqlType[];
  readonly #Instant: new (
    micros: bigint,
  ) => DuckDBTimestampValue;

  private constructor(appender: DuckDBAppender, types: readonly SqlType[], Instant: typeof DuckDBTimestampValue) {
    this.#appender = appender;
    this.#types = types;
    this.#Instant = Instant;
  }

  /** @param types of all columns of the table, in order */
  static async open(connection: DuckDBConnection, table: string, types: readonly SqlType[]): Promise<RowAppender> {
    const { DuckDBTimestampValue } = await loadDuckDB();
    return new RowAppender(await connection.createAppender(table), types, DuckDBTimestampValue);
  }

  /** Appends a row: one value for each column. Integers are bigints, instants microseconds since 1970. */
  append(values: readonly ColumnValue[]): void {
    for (let index = 0; index < this.#types.length; index++) {
      const value = values[index] ?? null;
      if (typeof value === "bigint") {
        // The same microseconds with or without a zone; this type is several times faster.
        if (this.#types[index] === "TIMESTAMPTZ") this.#appender.appendTimestamp(new this.#Instant(value));
        else this.#appender.appendBigInt(value);
      } else if (typeof value === "string") this.#appender.appendVarchar(value);
      else if (typeof value === "number") this.#appender.appendDouble(value);
      else if (typeof value === "boolean") this.#appender.appendBoolean(value);
      else if (value) this.#appender.appendBlob(value);
      else this.#appender.appendNull();
    }
    this.#appender.endRow();
  }

  flush(): void {
    this.#appender.flushSync();
  }

  close(): void {
    this.#appender.closeSync();
  }
}

/** The columns of a table for a resource's records during writing. */
export function stagingColumns(schema: TableSchema): { readonly sql: string; readonly types: readonly SqlType[] } {
  const columns = [...schema.columns.flatMap(stagedColumns), { name: "record", type: "VARCHAR" as const }];
  return { sql: columns.map(({ name, type }) => `"${name}" ${type}`).join(), types: columns.map(({ type }) => type) };
}

/**
 * A column during writing, as columns whose values can be appended directly: a map as JSON text, a box as its sides.
 */
function stagedColumns({ name, type }: TableColumn): readonly { readonly name: string; readonly type: SqlType }[] {
  if (type === BOX) return boxSides.map((side) => ({ name: `${name}_${side}`, type: "DOUBLE" }));
  return [{ name, type: type === PROPERTY_MAP ? "VARCHAR" : type }];
}

/** Converts a staged column to Parquet. */
export function fromStaged(column: TableColumn): string {
  const { name, type } = column;
  if (type === PROPERTY_MAP) return `from_json_strict("${name}", '"${PROPERTY_MAP}"') AS "${name}"`;
  if (type !== BOX) return `"${name}"`;
  const [first] = stagedColumns(column).map((side) => `"${side.name}"`);
  const sides = stagedColumns(column).map((side, index) => `${boxSides[index]} := "${side.name}"`);
  return `CASE WHEN ${first} IS NOT NULL THEN struct_pack(${sides.join()}) END AS "${name}"`;
}

/** Converts a Parquet column to staging columns. */
export function toStaged(column: TableColumn): string {
  const { name, type } = column;
  if (type === PROPERTY_MAP) return `to_json("${name}")::VARCHAR AS "${name}"`;
  if (type !== BOX) return `"${name}"`;
  return boxSides.map((side) => `"${name}".${side}`).join();
}

/** A record with its line in the file, or its index in the table, from 1. */
export interface StagedRecord {
  readonly line: number;
  readonly record: RecordInput | Unreadable;
}

/** A line that could not be read as text. */
export class Unreadable {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}
