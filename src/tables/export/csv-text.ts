// Strings in CSV (RFC 4180): for exported files, and for copying and saving from an interactive table.

/**
 * Start of a formula in a string. Full-width signs from Japanese or Chinese keyboards are included, because
 * spreadsheets treat them the same. If lists are separated by semicolons (Excel in German, Spanish or French), or by
 * any of several characters (LibreOffice), a cell begins after each of them; quotes count only at the beginning of a
 * cell. No cell begins after a comma, because the string is then quoted, and these quotes count. Spaces, no-break
 * spaces and byte order marks are skipped, as in spreadsheets.
 */
const FORMULA = /^(?=\s*[=+\-@＝＋－＠]|[\t\r\n])|(?<=[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/g;

/** Escapes a string so that no spreadsheet runs it as a formula. */
export function escapeFormulas(text: string): string {
  return text.replace(FORMULA, "'");
}

/** Quotes a string if necessary. */
export function quoteCsv(text: string): string {
  return text === "" || /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
