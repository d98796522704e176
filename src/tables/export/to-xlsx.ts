import { writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { Cell, Row, SheetData } from "write-excel-file/node";
import { ArgumentError } from "../../core/errors.js";
import { dateOf, formatInstant } from "../../core/instant.js";
import { loadPackage } from "../../core/load-package.js";
import { anything, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { type ExportColumn, type ExportOptions, type ExportTable, exportRules, frameName } from "./export-table.js";
import { instantUs, jsonText, plainInteger } from "./export-values.js";
import { replaceFile } from "./replace-file.js";

/** What a cell of a sheet holds, in UTF-16 code units as Excel counts them. */
const MOST_LETTERS = 32_767;

/** Sheets count days from 1900, with a 29 February in it that there was not: dates from here on are right. */
const FIRST_MS = Date.UTC(1900, 2, 1);
const END_MS = Date.UTC(10_000, 0, 1);

/** Control characters, what XML readers make line feeds of, halves of pairs, and two signs that are none. */
const LETTERS = String.raw`[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`;
const UNWRITABLE = new RegExp(LETTERS, "g");
const NEEDS_ESCAPE = new RegExp(`${LETTERS}|_x[0-9a-f]{4}_`, "i");

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
  const writeWorkbook = await loadWriter("toXLSX()");
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

/**
 * Loads what writes workbooks before a file is asked for.
 *
 * @param call as users write it
 * @throws ArgumentError if write-excel-file is not installed
 */
export async function requireWorkbooks(call: string): Promise<void> {
  await loadWriter(call);
}

async function loadWriter(call: string) {
  const { default: writer } = await loadPackage(call, "write-excel-file", "4", () => import("write-excel-file/node"));
  return writer;
}

/**
 * The cells of a column: numbers, booleans, dates and times (UTC) as such, all else as text, which never is a formula. Dates
 * that sheets do not have are texts. Arrays, objects and geometries are JSON.
 *
 * @throws ArgumentError, when a row is read, for a text that no cell holds
 */
function sheetCells({ name, kind, values }: ExportColumn): (row: number) => Cell {
  const text = (value: string, row: number) => sheetText(name, row, value);
  if (kind === "instant") return instantCells(name, values);
  return (row) => {
    const value = values.at(row);
    if (isNothing(value)) return null;
    if (kind === "date" && typeof value === "string") return dateCell(value);
    if (typeof value === "boolean") return value;
    const plain = typeof value === "bigint" ? plainInteger(value) : value;
    if (typeof plain === "number" && Number.isFinite(plain)) return plain;
    return text(typeof plain === "object" ? jsonText(plain) : String(plain), row);
  };
}

function instantCells(name: string, values: ExportColumn["values"]): (row: number) => Cell {
  const usOf = instantUs(values);
  return (row) => {
    const us = usOf(row);
    const value = values.at(row);
    if (Number.isNaN(us)) return isNothing(value) ? null : sheetText(name, row, String(value));
    const date = dateOf(us);
    return date.getTime() >= FIRST_MS && date.getTime() < END_MS ? date : formatInstant(us);
  };
}

/** No value, or a `Date` that is none. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (value instanceof Date && Number.isNaN(value.getTime()));
}

function dateCell(date: string): Cell {
  const value = new Date(`${date}T00:00:00Z`);
  return value.getTime() >= FIRST_MS ? { value, type: Date, format: "yyyy-mm-dd" } : date;
}

/** Workbooks are XML, which lacks some letters; they write those as `_x0007_`, and a text that looks so with an escape. */
function sheetText(column: string, row: number, value: string): string {
  if (value.length > MOST_LETTERS) {
    throw new ArgumentError(
      `toXLSX(): row ${row + 1} of ${showValue(column)} has a text of ${value.length} letters, and a cell holds ${MOST_LETTERS}.`,
      {
        hint: "Leave the column out with table.select(), or write Parquet or CSV. Nothing was written.",
        facts: { column, row: row + 1, letters: value.length },
      },
    );
  }
  if (!NEEDS_ESCAPE.test(value)) return value;
  return value.replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_").replace(UNWRITABLE, (letter) => {
    return `_x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
  });
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
