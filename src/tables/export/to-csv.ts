import { anything, type OptionRules, oneOf } from "../../core/options.js";
import { escapeFormulas, quoteCsv } from "./csv-text.js";
import { type ExportOptions, type ExportTable, exportRules } from "./export-table.js";
import { jsonText, plainValues } from "./export-values.js";

/** Options of `toCSV()`. */
export interface CsvOptions extends ExportOptions {
  /** Path of a file to write; an existing file is replaced. Default: none. */
  readonly path?: string;
  /**
   * Treatment of strings that a spreadsheet would run as a formula: `"escape"` puts an apostrophe before the sign,
   * `"keep"` changes nothing, so that the file can be read back. Default: `"escape"`.
   *
   * A formula begins with `=`, `+`, `-`, `@` (also in full width), a tab, a line feed or a carriage return, at the
   * start of the string or after a semicolon, a tab or a line end, at which some spreadsheets split.
   */
  readonly formulas?: "escape" | "keep";
}

/** Rules for the options of `toCSV()`. */
export const csvRules: OptionRules<CsvOptions> = {
  path: anything,
  formulas: oneOf("escape", "keep"),
  ...exportRules,
};

/**
 * A frame as CSV (RFC 4180): a header, CRLF, quotes if needed. null is empty, an empty string is `""`; instants are ISO
 * 8601, arrays, objects and geometries JSON.
 */
export function toCsv(frame: ExportTable, { formulas = "escape" }: CsvOptions): string {
  const text = (value: string) => quoteCsv(formulas === "escape" ? escapeFormulas(value) : value);
  const cell = (value: unknown) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "string") return text(value);
    return typeof value === "object" ? text(jsonText(value)) : String(value);
  };
  const columns = frame.columns.map(plainValues);
  const lines = [frame.columns.map(({ name }) => text(name)).join()];
  for (let row = 0; row < frame.rowCount; row += 1) lines.push(columns.map((at) => cell(at(row))).join());
  return `${lines.join("\r\n")}\r\n`;
}
