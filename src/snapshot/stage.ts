import type { DuckDBAppender, DuckDBConnection, DuckDBTimestampTZValue } from "@duckdb/node-api";
import type { BadRecord } from "./bad-record.js";
import { type ColumnValue, encodeRecord, type RecordInput } from "./encode-record.js";
import type { SqlType, TableSchema } from "./table-schema.js";

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

/** Of records with the same id, the first stays. */
async function dropDuplicates(
  connection: DuckDBConnection,
  schema: TableSchema,
  place: string,
  onBad: (bad: BadRecord) => void,
): Promise<void> {
  const again = `
    SELECT t.line FROM ${schema.name} t
    JOIN (SELECT id, min(line) AS first FROM ${schema.name} GROUP BY id HAVING count(*) > 1) d ON d.id = t.id
    WHERE t.line <> d.first`;
  const result = await connection.run(`
    SELECT t.line::DOUBLE, d.first::DOUBLE, t.id::VARCHAR FROM ${schema.name} t
    JOIN (SELECT id, min(line) AS first FROM ${schema.name} GROUP BY id HAVING count(*) > 1) d ON d.id = t.id
    WHERE t.line <> d.first ORDER BY t.line`);
  const rows = await result.getRows();
  for (const [line, first, id] of rows) {
    const reason = `id ${String(id)} was given before, in line ${String(first)}`;
    onBad({ resource: schema.resource, place, line: Number(line), reason });
  }
  if (rows.length > 0) await connection.run(`DELETE FROM ${schema.name} WHERE line IN (${again})`);
}
