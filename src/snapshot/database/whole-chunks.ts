import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";

/** Thrown for an incomplete result without an error of DuckDB. */
export class ResultCut extends Error {}

/** Options of a result. */
export interface WholeChunksOptions {
  /** Values of the statement's parameters. */
  readonly values?: DuckDBValue[];
  /** Count of first rows that were yielded before the statement was repeated. They are skipped. */
  readonly given?: number;
}

/**
 * Yields the complete result of a statement in chunks, or throws at its end. Each chunk has one more column, which is
 * null.
 *
 * DuckDB ends a failed stream early without an error, so a marker row follows the last row. If it is missing, the
 * statement is repeated to get the error.
 *
 * @param sql a `SELECT` with unique column names
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
      if (rowCount > 1) throw new TypeError("DuckDB mixed the end marker with the rows of a result");
      isWhole = true;
    } else if (left === 0) yield chunk;
    else if (rowCount <= left) left -= rowCount;
    else throw new TypeError("DuckDB returned a different incomplete result on the second read");
  }
  if (isWhole) return;
  // Discards the rows; throws DuckDB's error.
  await connection.run(`EXPLAIN ANALYZE ${ended}`, values);
  throw new ResultCut("IO Error: a result ended before its last row");
}

/**
 * Yields the chunks of a result. If the caller stops early, the statement is interrupted and its last chunks are
 * dropped: an unfinished result keeps the database and its files open until garbage collection, and Windows does not
 * remove or rename open files.
 */
export async function* streamChunks(
  connection: DuckDBConnection,
  sql: string,
  values: DuckDBValue[] = [],
): AsyncGenerator<DuckDBDataChunk, void, undefined> {
  const result = await connection.stream(sql, values);
  let isOpen = true;
  const next = async () => {
    // DuckDB closes a result at its end and on failure.
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
