import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";

/** A result that did not come whole, for a reason that DuckDB does not give. */
export class ResultCut extends Error {}

/**
 * The result of a statement without its first rows, which were handed over before it had to be run again. Each chunk has
 * one column more, which is null.
 *
 * DuckDB ends a stream in which it fails early and says nothing, so one row stands behind the last.
 */
export async function* chunksBehind(
  rows: number,
  connection: DuckDBConnection,
  sql: string,
  values: DuckDBValue[],
): AsyncGenerator<DuckDBDataChunk, void, undefined> {
  const ended = `FROM (${sql}) UNION ALL BY NAME SELECT true AS siteframe_ended`;
  const result = await connection.stream(ended, values);
  let left = rows;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const { rowCount, columnCount } = chunk;
    if (chunk.getColumnVector(columnCount - 1).getItem(rowCount - 1) === true) {
      if (rowCount > 1) throw new TypeError("DuckDB put the end of a result to its rows");
      return;
    }
    if (left === 0) yield chunk;
    else if (rowCount <= left) left -= rowCount;
    else throw new TypeError("DuckDB cut a result otherwise when it was read again");
  }
  throw new ResultCut("IO Error: a result ended before its last row");
}
