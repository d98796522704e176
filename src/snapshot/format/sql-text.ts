/** A text as an SQL literal. For values that the caller chose, not for a request's: those are bound as parameters. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A list of texts as an SQL literal. */
export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join()}]`;
}
