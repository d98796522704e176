/** DuckDB takes the 26 letters of either case for the same, and no others. */
export function foldCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** A name as an identifier of SQL. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name that SQL can write: without NUL and half pairs of surrogates. */
export function writableName(name: string): string {
  return Buffer.from(name.replaceAll("\0", "␀")).toString();
}
