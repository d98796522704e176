import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";

/** A result that did not come whole, for a reason that DuckDB does not give. */
export class ResultCut extends Error {}

/** Options of a result. */
export interface WholeChunksOptions {
  /** What the parameters of the statement are. */
  readonly values?: DuckDBValue[];
  /** How many of its first rows were handed over before it had to be run again. They are left out. */
  readonly given?: number;
}

/**
 * The result of a statement as it comes, whole or with an error at its end. Each chunk has one column more, which is null.
 *
 * DuckDB ends a stream in which it fails early and says nothing, so one row stands behind the last. Without it the
 * statement is run once more, as far as it fails, to hear why.
 *
 * @param sql a `SELECT` whose columns have names of their own
 * @throws ResultCut if the statement does not fail again
 */
export async function* wholeChunks(
  connection: DuckDBConnection,
  sql: string,
  { values = [], given = 0 }: WholeChunksOptions = {},
): AsyncGenerator<DuckDBDataChunk, void, undefined> {
  const ended = `FROM (${sql}) UNION ALL BY NAME SELECT true AS siteframe_ended`;
  let left = given;
  let isWhole = false;
  for await (const chunk of streamChunks(connection, ended, values)) {
    const { rowCount, columnCount } = chunk;
    if (chunk.getColumnVector(columnCount - 1).getItem(rowCount - 1) === true) {
      if (rowCount > 1) throw new TypeError("DuckDB put the end of a result to its rows");
      isWhole = true;
    } else if (left === 0) yield chunk;
    else if (rowCount <= left) left -= rowCount;
    else throw new TypeError("DuckDB cut a result otherwise when it was read again");
  }
  if (isWhole) return;
  // Its rows are thrown away. It throws what DuckDB had to say.
  await connection.run(`EXPLAIN ANALYZE ${ended}`, values);
  throw new ResultCut("IO Error: a result ended before its last row");
}

/**
 * The chunks of a result as they come. If the caller stops early, the statement is interrupted and its last chunks are
 * dropped: a result that was not read to its end keeps the database and the files that it reads open until it is garbage
 * collected, and Windows does not remove or rename open files.
 */
export async function* streamChunks(
  connection: DuckDBConnection,
  sql: string,
  values: DuckDBValue[] = [],
): AsyncGenerator<DuckDBDataChunk, void, undefined> {
  const result = await connection.stream(sql, values);
  let isOpen = true;
  const next = async () => {
    // DuckDB closes a result at its end and when it fails.
    isOpen = false;
    const chunk = await result.fetchChunk();
    isOpen = chunk !== null && chunk.rowCount > 0;
    return isOpen ? chunk : null;
  };
  try {
    for (let chunk = await next(); chunk; chunk = await next()) yield chunk;
  } finally {
    if (isOpen) {
      connection.interrupt();
      while (isOpen) await next().catch(() => null);
    }
  }
}
