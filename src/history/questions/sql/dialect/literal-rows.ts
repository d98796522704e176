/** Rows of expressions as they stand behind `VALUES`. */
export function literalRows(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `(${row.join(", ")})`).join(", ");
}
