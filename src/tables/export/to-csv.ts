import { anything, type OptionRules, oneOf } from "../../core/options.js";
import { escapeFormulas, quoteCsv } from "./csv-text.js";
import { type ExportOptions, type ExportTable, exportRules } from "./export-table.js";
import { jsonText, plainValues } from "./export-values.js";

/** Options of `toCSV()`. */
export interface CsvOptions extends ExportOptions {
  /** Of a file to write; one that exists is replaced. Without it nothing is written. */
  readonly path?: string;
  /**
   * What happens to texts that a spreadsheet would run as a formula (those that begin with `=`, `+`, `-`, `@`, these in
   * full width, a tab, a line feed or a carriage return, and those that have one of the signs behind a semicolon, a tab
   * or the end of a line, at which some spreadsheets split): `"escape"` puts an apostrophe before it (default), `"keep"`
   * leaves all as it is, so that it can be read back.
   */
  readonly formulas?: "escape" | "keep";
}

/** What `toCSV()` takes. */
export const csvRules: OptionRules<CsvOptions> = {
  path: anything,
  formulas: oneOf("escape", "keep"),
  ...exportRules,
};

/**
 * A frame as CSV (RFC 4180): a header, CRLF, quotes where they are needed. null is empty, an empty text is `""`;
 * instants are ISO 8601, arrays, objects and geometries JSON.
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
