import type { DuckDBAppender, DuckDBConnection, DuckDBTimestampValue } from "@duckdb/node-api";
import { loadDuckDB } from "../../tables/sql/load-duckdb.js";
import { PROPERTY_MAP, type SqlType, type TableColumn, type TableSchema } from "../format/table-schema.js";
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

  /** Appends one row: one value for each column. Integers are bigints, instants microseconds since 1970. */
  append(values: readonly ColumnValue[]): void {
    for (let index = 0; index < this.#types.length; index++) {
      const value = values[index] ?? null;
      if (typeof value === "bigint") {
        // The same microseconds with or without a zone; DuckDB takes these several times faster.
        if (this.#types[index] === "TIMESTAMPTZ") this.#appender.appendTimestamp(new this.#Instant(value));
        else this.#appender.appendBigInt(value);
      } else if (typeof value === "string") this.#appender.appendVarchar(value);
      else if (typeof value === "number") this.#appender.appendDouble(value);
      else if (typeof value === "boolean") this.#appender.appendBoolean(value);
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

/** The columns of a table that holds a resource's records while they are written. */
export function stagingColumns(schema: TableSchema): { readonly sql: string; readonly types: readonly SqlType[] } {
  const columns = schema.columns.map((column) => `"${column.name}" ${stagedType(column)}`);
  return { sql: [...columns, "record VARCHAR"].join(), types: [...schema.columns.map(stagedType), "VARCHAR"] };
}

/** Type of a column while records are put together: a map waits as JSON text, which is one value to append. */
function stagedType({ type }: TableColumn): SqlType {
  return type === PROPERTY_MAP ? "VARCHAR" : type;
}

/** A column of a staged table as Parquet gets it. */
export function fromStaged({ name, type }: TableColumn): string {
  return type === PROPERTY_MAP ? `from_json_strict("${name}", '"${PROPERTY_MAP}"') AS "${name}"` : `"${name}"`;
}

/** A column of Parquet as a staged table takes it. */
export function toStaged({ name, type }: TableColumn): string {
  return type === PROPERTY_MAP ? `to_json("${name}")::VARCHAR AS "${name}"` : `"${name}"`;
}

/** A record and its line in the file, or its position in the table, from 1. */
export interface StagedRecord {
  readonly line: number;
  readonly record: RecordInput | Unreadable;
}

/** A line that could not even be read as text. */
export class Unreadable {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}
