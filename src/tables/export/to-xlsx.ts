import { writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { Cell, Row, SheetData } from "write-excel-file/node";
import { ArgumentError } from "../../core/errors.js";
import { loadPackage } from "../../core/load-package.js";
import { anything, type OptionRules, text } from "../../core/option-rules.js";
import { showValue } from "../../core/show-value.js";
import { type ExportColumn, type ExportOptions, type ExportTable, exportRules, frameName } from "./export-table.js";
import { replaceFile } from "./replace-file.js";
import { MOST_LETTERS, sheetCells } from "./sheet-cells.js";

/** Options of `toXLSX()`. */
export interface XlsxOptions extends ExportOptions {
  /** Of the file to write; one that exists is replaced. */
  readonly path: string;
  /** Of the sheet. Default: the semantic type of the features if they have one, else the file's name without `.xlsx`. */
  readonly name?: string | undefined;
}

/** What `toXLSX()` takes. */
export const xlsxRules: OptionRules<XlsxOptions> = { path: anything, name: text, ...exportRules };

/** Of a sheet, by the specifications and limits of Excel; one row is the header's. */
const MOST_ROWS = 1_048_575;
const MOST_COLUMNS = 16_384;

/** Widths of columns, in letters. */
const NARROWEST = 8;
const WIDEST = 60;
/** The width of a column is that of its first rows. */
const MEASURED_ROWS = 1000;

/**
 * Writes a frame as a workbook of one sheet: typed cells, a frozen header, columns as wide as their values.
 *
 * @throws ArgumentError for more rows, columns or letters in a cell than a workbook holds: nothing is cut; and if
 * write-excel-file is not installed
 */
export async function toXlsx(frame: ExportTable, { path, name }: XlsxOptions): Promise<void> {
  checkSize(frame);
  const { default: writeWorkbook } = await loadPackage("toXLSX()", "write-excel-file", "4", () => {
    return import("write-excel-file/node");
  });
  const columns = frame.columns.map((column) => ({ name: column.name, at: sheetCells(column) }));
  const header = columns.map(({ name }): Cell => {
    return { value: sheetCells({ name, kind: "text", values: [name] })(0) as string, fontWeight: "bold" };
  });
  const rows = Array.from({ length: frame.rowCount }, (_, row): Row => columns.map(({ at }) => at(row)));
  const data: SheetData = [header, ...rows];
  const workbook = writeWorkbook(data, {
    sheet: sheetName(name ?? frameName(frame) ?? basename(path, extname(path))),
    stickyRowsCount: 1,
    dateFormat: "yyyy-mm-dd hh:mm:ss",
    columns: frame.columns.map((column) => ({ width: width(column) })),
  });
  const bytes = await workbook.toBuffer();
  await replaceFile(path, (unfinished) => writeFile(unfinished, bytes));
}

/** What Excel takes for the name of a sheet: 31 letters, none of `[]:*?/\\`, no apostrophe at its ends, and not its own. */
function sheetName(name: string): string {
  const letters = name
    .replace(/[[\]:*?/\\\p{Cc}]/gu, "_")
    .slice(0, 31)
    .replace(/[\ud800-\udbff]$/, "");
  const free = letters.trim().replace(/^'+|'+$/g, "");
  return free === "" || /^history$/i.test(free) ? `Table ${free}`.trim() : free;
}

function checkSize({ rowCount, columns }: ExportTable): void {
  const tooMany = (count: number, what: string, most: number) =>
    new ArgumentError(`toXLSX(): the table has ${count} ${what}, and a sheet holds ${most}.`, {
      hint: "Leave some out before, or write Parquet or CSV.",
      facts: { count, most },
    });
  if (rowCount > MOST_ROWS) throw tooMany(rowCount, "rows", MOST_ROWS);
  if (columns.length > MOST_COLUMNS) throw tooMany(columns.length, "columns", MOST_COLUMNS);
  for (const { name } of columns) {
    if (name.length <= MOST_LETTERS) continue;
    throw new ArgumentError(
      `toXLSX(): the name of a column has ${name.length} letters, and a cell holds ${MOST_LETTERS}: ${showValue(name, 40)}.`,
    );
  }
}

function width({ name, kind, values }: ExportColumn): number {
  if (kind === "instant") return Math.max(20, Math.min(WIDEST, name.length + 2));
  let letters = Math.max(NARROWEST, name.length + 2);
  for (let row = 0; row < Math.min(values.length, MEASURED_ROWS); row += 1) {
    const value = values.at(row);
    if (typeof value === "object" && value !== null) letters = Math.max(letters, 20);
    else if (value !== null && value !== undefined) letters = Math.max(letters, String(value).length + 1);
  }
  return Math.min(WIDEST, letters);
}
