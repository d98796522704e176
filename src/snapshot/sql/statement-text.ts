import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * The text of a query's only statement without the semicolon that closes it and what stands behind that, so that it can
 * stand in another statement, on lines of its own: it may end in a comment. A query of several statements stays as it is.
 */
export async function statementText(connection: DuckDBConnection, query: string): Promise<string> {
  let text = query;
  for (let end = text.lastIndexOf(";"); end >= 0; end = text.lastIndexOf(";", end - 1)) {
    const [before, behind] = [text.slice(0, end), text.slice(end + 1)];
    if (!/^\s*(;|--|\/\*|$)/.test(behind)) continue;
    if ((await isOneStatement(connection, before)) && (await isOneStatement(connection, `SELECT 1;${behind}`))) {
      text = before;
    }
    if (end === 0) break;
  }
  return text;
}

async function isOneStatement(connection: DuckDBConnection, text: string): Promise<boolean> {
  return connection.extractStatements(text).then(
    ({ count }) => count === 1,
    () => false,
  );
}
