/**
 * A text as an SQL literal, or as an expression where it holds NUL, which no literal can. For values that the caller
 * chose, not for a request's: those are bound as parameters.
 */
export function sqlText(text: string): string {
  const literals = text.split("\0").map((part) => `'${part.replaceAll("'", "''")}'`);
  return literals.length === 1 ? literals.join() : `(${literals.join(" || chr(0) || ")})`;
}

/** Options of COPY for Parquet that others get, results of queries and exports. */
export const TO_PARQUET = "FORMAT parquet, COMPRESSION zstd";

/** A list of texts as an SQL literal. */
export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join()}]`;
}
