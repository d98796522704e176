import type { DuckDBConnection } from "@duckdb/node-api";
import type { TableSchema } from "../format/table-schema.js";
import type { BadRecord } from "./bad-record.js";
import { dropDuplicates } from "./drop-duplicates.js";
import { encodeRecord } from "./encode-record.js";
import { RowAppender, stagingColumns } from "./row-appender.js";
import { type StagedRecord, Unreadable } from "./staged-record.js";

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
  const { sql, types } = stagingColumns(schema);
  await connection.run(`CREATE TABLE ${schema.name} (${sql}, line BIGINT)`);
  const appender = await RowAppender.open(connection, schema.name, [...types, "BIGINT"]);
  let rows = 0;
  for await (const { line, record } of records) {
    const row = record instanceof Unreadable ? { problem: record.reason } : encodeRecord(schema, record);
    if ("problem" in row) onBad({ resource: schema.resource, place, line, reason: row.problem });
    else appender.append([...row.values, row.text, BigInt(line)]);
    if (++rows % FLUSH_ROWS === 0) {
      appender.flush();
      onRow(rows);
    }
  }
  appender.close();
  onRow(rows);
  await dropDuplicates(connection, schema, place, onBad);
}
