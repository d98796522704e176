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
