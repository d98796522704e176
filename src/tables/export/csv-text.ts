// How texts stand in CSV (RFC 4180): in exported files, and in what a live table copies and saves.

/**
 * Where a text begins a formula. Signs are there in full width, too, as a Japanese or Chinese keyboard types them:
 * spreadsheets take them for the same. Where lists are parted by semicolons (Excel in German, Spanish or French), or by
 * any of several signs (LibreOffice), a cell begins behind each; quotes count at the beginning of a cell only. Behind a
 * comma none begins: then the text is in quotes, and those count. Spaces, no-break spaces and byte
 * order marks are skipped, as spreadsheets do.
 */
const FORMULA = /^(?=\s*[=+\-@＝＋－＠]|[\t\r\n])|(?<=[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/g;

/** A text that no spreadsheet runs as a formula. */
export function escapeFormulas(text: string): string {
  return text.replace(FORMULA, "'");
}

/** A text in quotes where it needs them. */
export function quoteCsv(text: string): string {
  return text === "" || /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
