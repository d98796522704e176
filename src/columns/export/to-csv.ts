import { anything, type OptionRules, oneOf } from "../../core/option-rules.js";
import { type ExportOptions, type ExportTable, exportRules } from "./export-table.js";
import { jsonText } from "./json-text.js";
import { plainValues } from "./plain-value.js";

/** Options of `toCSV()`. */
export interface CsvOptions extends ExportOptions {
  /** Of a file to write; one that exists is replaced. Without it nothing is written. */
  readonly path?: string;
  /**
   * What happens to texts that a spreadsheet would run as a formula (those that begin with `=`, `+`, `-`, `@`, these in
   * full width, a tab, a line feed or a carriage return): `"escape"` puts an apostrophe before them (default), `"keep"`
   * leaves them.
   */
  readonly formulas?: "escape" | "keep";
}

/** What `toCSV()` takes. */
export const csvRules: OptionRules<CsvOptions> = {
  path: anything,
  formulas: oneOf("escape", "keep"),
  ...exportRules,
};

/** Also in full width, as a Japanese or Chinese keyboard types them: spreadsheets take them for the same. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * A frame as CSV (RFC 4180): a header, CRLF, quotes where they are needed. null is empty, an empty text is `""`;
 * instants are ISO 8601, arrays, objects and geometries JSON.
 */
export function toCsv(frame: ExportTable, { formulas = "escape" }: CsvOptions): string {
  const text = (value: string) => quoted(formulas === "escape" && FORMULA.test(value) ? `'${value}` : value);
  const cell = (value: unknown) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "string") return text(value);
    return typeof value === "object" ? quoted(jsonText(value)) : String(value);
  };
  const columns = frame.columns.map(plainValues);
  const lines = [frame.columns.map(({ name }) => text(name)).join()];
  for (let row = 0; row < frame.rowCount; row += 1) lines.push(columns.map((at) => cell(at(row))).join());
  return `${lines.join("\r\n")}\r\n`;
}

function quoted(value: string): string {
  return value === "" || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
