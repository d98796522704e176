import type { DuckDBMaterializedResult, DuckDBValueConverter, JS } from "@duckdb/node-api";
import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { loadDuckDB } from "../../columns/sql/load-duckdb.js";
import { declareType } from "../../columns/types/declared-type.js";
import { dateOf } from "../../core/instant.js";

/**
 * The result of a query as a table: integers as numbers where they are exact, timestamps as `Date`. It is made chunk by
 * chunk, so that timers and other work run in between.
 *
 * @throws the signal's reason once it is aborted
 */
export async function resultTable(
  result: DuckDBMaterializedResult,
  signal: AbortSignal | undefined,
): Promise<ColumnTable> {
  const converter = await valueConverter();
  const names = result.deduplicatedColumnNames();
  const types = result.columnTypes().map(String);
  const values: unknown[][] = names.map(() => []);
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    signal?.throwIfAborted();
    for (const [index, column] of values.entries()) {
      for (const value of chunk.convertColumnValues(index, converter)) column.push(plainValue(value));
    }
  }
  signal?.throwIfAborted();
  return toTable(
    names.map((name, index) => {
      const column = values[index] ?? [];
      return [name, types[index] === "DATE" ? declareType(column, { of: "table", type: "date" }) : column] as const;
    }),
  );
}

/** DuckDB's own makes dates before 1970 a millisecond too late where they have microseconds. */
async function valueConverter(): Promise<DuckDBValueConverter<unknown>> {
  const { DuckDBBitValue, DuckDBDateValue, DuckDBTimestampTZValue, DuckDBTimestampValue, JSDuckDBValueConverter } =
    await loadDuckDB();
  return (value, type, convert) => {
    const isInstant = value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue;
    if (isInstant) return dateOf(value.micros);
    // A calendar date has no zone, as everywhere else here.
    if (value instanceof DuckDBDateValue || value instanceof DuckDBBitValue) return value.toString();
    return plainValue(JSDuckDBValueConverter(value, type, convert as DuckDBValueConverter<JS>));
  };
}

function plainValue(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}
