import type { DuckDBAppender, DuckDBConnection, DuckDBTimestampTZValue } from "@duckdb/node-api";
import type { BadRecord } from "./bad-record.js";
import { dropDuplicates } from "./drop-duplicates.js";
import { type ColumnValue, encodeRecord } from "./encode-record.js";
import { type StagedRecord, Unreadable } from "./staged-record.js";
import type { SqlType, TableSchema } from "./table-schema.js";

const FLUSH_ROWS = 16_384;

/**
 * Reads the records of a resource into a table of the staging database, where they can be checked as a whole and
 * sorted with bounded memory.
 *
 * @param onBad is told each record that is left out; it may throw
 * @param onRow is told how many records were read
 */
export async function stageRecords(
  connection: DuckDBConnection,
  schema: TableSchema,
  place: string,
  records: AsyncIterable<StagedRecord> | Iterable<StagedRecord>,
  onBad: (bad: BadRecord) => void,
  onRow: (rows: number) => void = () => {},
): Promise<void> {
  const { DuckDBTimestampTZValue } = await import("@duckdb/node-api");
  const columns = schema.columns.map(({ name, type }) => `"${name}" ${type}`);
  await connection.run(`CREATE TABLE ${schema.name} (${columns.join()}, record VARCHAR, line BIGINT)`);
  const appender = await connection.createAppender(schema.name);
  let rows = 0;
  for await (const { line, record } of records) {
    const row = record instanceof Unreadable ? { problem: record.reason } : encodeRecord(schema, record);
    if ("problem" in row) {
      onBad({ resource: schema.resource, place, line, reason: row.problem });
    } else {
      for (const [index, { type }] of schema.columns.entries()) {
        append(appender, type, row.values[index] ?? null, DuckDBTimestampTZValue);
      }
      appender.appendVarchar(row.text);
      appender.appendBigInt(BigInt(line));
      appender.endRow();
    }
    if (++rows % FLUSH_ROWS === 0) {
      appender.flushSync();
      onRow(rows);
    }
  }
  appender.closeSync();
  onRow(rows);
  await dropDuplicates(connection, schema, place, onBad);
}

function append(
  appender: DuckDBAppender,
  type: SqlType,
  value: ColumnValue,
  Instant: new (micros: bigint) => DuckDBTimestampTZValue,
): void {
  if (typeof value === "bigint") {
    if (type === "TIMESTAMPTZ") appender.appendTimestampTZ(new Instant(value));
    else appender.appendBigInt(value);
  } else if (typeof value === "string") appender.appendVarchar(value);
  else if (typeof value === "number") appender.appendDouble(value);
  else if (typeof value === "boolean") appender.appendBoolean(value);
  else appender.appendNull();
}
