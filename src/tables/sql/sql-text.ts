/**
 * A string as an SQL literal, or as an expression if it contains NUL, which literals cannot. For values chosen by the
 * caller; values of a request are bound as parameters.
 */
export function sqlText(text: string): string {
  const literals = text.split("\0").map((part) => `'${part.replaceAll("'", "''")}'`);
  return literals.length === 1 ? literals.join() : `(${literals.join(" || chr(0) || ")})`;
}

/** COPY options for Parquet files that users receive: results of queries and exports. */
export const TO_PARQUET = "FORMAT parquet, COMPRESSION zstd";

/** A list of strings as an SQL literal. */
export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join()}]`;
}

/**
 * A path for a table function of DuckDB (`read_parquet()`, `read_csv()`, `parquet_metadata()`, …), which expands `*`,
 * `?` and `[` as a pattern. A character class escapes them; a backslash does not, because DuckDB also reads it as a
 * separator. Not for `COPY … TO`, `ATTACH` and `allowed_paths`, which expect a plain path.
 *
 * @returns plain text, not quoted for SQL
 */
export function literalPath(path: string): string {
  return path.replace(/[*?[]/g, "[$&]");
}
