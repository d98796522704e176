import { writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { Cell, Row, Sheet } from "write-excel-file/node";
import { type ColumnKind, columnKinds } from "../../api/property-types.js";
import { ArgumentError } from "../../core/errors.js";
import { dateUnit, formatInstant, localMs } from "../../core/format/format-date.js";
import { sensibleDecimals } from "../../core/format/format-in-column.js";
import { LOCALE, percentSign } from "../../core/format/format-number.js";
import { dateOf, MS_PER_DAY } from "../../core/instant.js";
import { loadPackage } from "../../core/load-package.js";
import { nameHint } from "../../core/nearest-name.js";
import { anything, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { type ExportColumn, type ExportOptions, type ExportTable, exportRules, frameName } from "./export-table.js";
import { instantUs, jsonText, plainInteger } from "./export-values.js";
import { replaceFile } from "./replace-file.js";
import { headerStyle, INDENT, isSummary, summarySheet } from "./summary-sheet.js";
import type { PaperSize, SheetSummary, WorkbookProperties } from "./workbook-content.js";
import { type SheetFile, type SheetParts, workbookParts } from "./workbook-parts.js";

/** Maximum length of a cell in UTF-16 code units, as in Excel. */
const MOST_LETTERS = 32_767;

/** Sheets count days from 1900, with a 29 February that did not exist: dates from here on are correct. */
const FIRST_MS = Date.UTC(1900, 2, 1);
const END_MS = Date.UTC(10_000, 0, 1);

/** Control characters, characters that XML readers convert to line feeds, lone surrogates, and two noncharacters. */
const LETTERS = String.raw`[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`;
const UNWRITABLE = new RegExp(LETTERS, "g");
/** Strings that write-excel-file would find as inherited members of its string table, an object: `constructor`. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));
const NEEDS_ESCAPE = new RegExp(`${LETTERS}|_x[0-9a-f]{4}_`, "i");

/** Options of `toXLSX()`. */
export interface XlsxOptions extends ExportOptions {
  /** Path of the file to write; an existing file is replaced. */
  readonly path: string;
  /**
   * Name of the sheet. Default: the semantic type of the features if they have one, else the file name without `.xlsx`.
   */
  readonly name?: string | undefined;
  /**
   * Number formats of columns in Excel's syntax: `{ share: "0.0%" }`. Default: `0.0%` for `share` and columns that
   * end in `_share`; as many decimals as the values of a column have; dates as `2025-06-30`.
   */
  readonly formats?: Readonly<Record<string, string>> | undefined;
}

/** A picture for a sheet, such as a figure. */
export interface XlsxPicture {
  /** Returns the picture as PNG, with two pixels for each displayed pixel. */
  toPNG(): Promise<Uint8Array>;
}

/** The contents of a sheet. */
export interface XlsxSheet {
  readonly name: string | undefined;
  readonly content: ExportTable | XlsxPicture | SheetSummary;
}

/** Options of a workbook, in addition to those of `toXLSX()`. */
export interface WorkbookOptions extends Pick<XlsxOptions, "path" | "formats"> {
  readonly properties?: Omit<WorkbookProperties, "created"> | undefined;
  readonly paper?: PaperSize | undefined;
  /** Format of days. Default: `yyyy-mm-dd`. */
  readonly dayFormat?: string | undefined;
}

/** Rules for the options of `toXLSX()`. */
export const xlsxRules: OptionRules<XlsxOptions> = {
  path: anything,
  name: text,
  formats: {
    takes: 'an object of number formats by column, such as { share: "0.0%" }',
    accepts: (value) =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((format) => typeof format === "string" && format !== ""),
  },
  ...exportRules,
};

/** Maximum number of rows of a sheet, by Excel's limits, without the header. */
const MOST_ROWS = 1_048_575;
const MOST_COLUMNS = 16_384;

/** Widths of columns in characters. */
const NARROWEST = 8;
const WIDEST = 60;
/** Number of first rows that determine the width of a column. */
const MEASURED_ROWS = 1000;

/** Width of a string of capitals, in digits. */
const CAPITAL = 1.15;

/** Width of a filter button in a header, in characters. */
const FILTER = 3;

/** Width of a portrait page in characters. */
const PAGE = 95;

const DAY = "yyyy-mm-dd";
const CLOCK = " hh:mm:ss";
/** Of the same width as the free font Liberation Sans. */
const FONT = { fontFamily: "Arial", fontSize: 10 } as const;

/**
 * Writes sheets as a workbook: typed cells with number formats, units in a frozen header with filters, columns as wide
 * as their values, pages as wide as a table; pictures on separate sheets.
 *
 * @throws ArgumentError beyond the limits of rows, columns or characters in a cell: nothing is cut; for formats of
 * unknown columns; and if write-excel-file is not installed
 */
export async function toXlsx(
  sheets: readonly XlsxSheet[],
  { path, formats = {}, properties = {}, paper = "A4", dayFormat = DAY }: WorkbookOptions,
): Promise<void> {
  const frames = sheets.flatMap(({ content }) => (isPicture(content) || isSummary(content) ? [] : [content]));
  for (const frame of frames) checkSize(frame);
  checkFormats(formats, frames);
  const names = sheets.map(({ name, content }) => {
    const semantic = isPicture(content) || isSummary(content) ? undefined : frameName(content);
    return sheetName(name ?? semantic ?? basename(path, extname(path)));
  });
  checkSheetNames(names);
  const writeWorkbook = await loadWriter("toXLSX()");
  const written = await Promise.all(
    sheets.map(async ({ content }, index) => ({
      sheet: names[index] as string,
      ...(isPicture(content)
        ? await pictureSheet(content)
        : isSummary(content)
          ? summarySheet(content, (value, name) => sheetText(name, 0, value))
          : tableSheet(content, formats, dayFormat)),
    })),
  );
  const parts = written.map((sheet, index): SheetParts => {
    const { content } = sheets[index] as XlsxSheet;
    const isTableSheet = !isPicture(content) && !isSummary(content);
    const total = (sheet.columns ?? []).reduce((sum, { width = 0 }) => sum + width, 0);
    return {
      name: sheet.sheet,
      headerRows: sheet.stickyRowsCount ?? 0,
      filtered: isTableSheet ? filteredRange(content) : undefined,
      isLandscape: total > PAGE,
    };
  });
  const features = [workbookParts(parts, { ...properties, created: new Date() }, paper)];
  const bytes = await writeWorkbook(written, { ...FONT, features }).toBuffer();
  await replaceFile(path, (unfinished) => writeFile(unfinished, bytes));
}

function isPicture(content: XlsxSheet["content"]): content is XlsxPicture {
  return "toPNG" in content;
}

function tableSheet(
  frame: ExportTable,
  formats: Readonly<Record<string, string>>,
  dayFormat: string,
): Sheet<SheetFile> {
  const columns = frame.columns.map((column) => {
    const format = formats[column.name] ?? numberFormat(column) ?? dateFormat(column, dayFormat);
    return { column, format, at: sheetCells(column, format) };
  });
  const isRight = (column: ExportColumn | undefined) => column !== undefined && rightKinds.has(column.kind);
  const header = columns.map(({ column, format }, index): Cell => {
    const value = sheetText(column.name, 0, headerText(column, format));
    const indent = isRight(frame.columns[index - 1]) ? INDENT : {};
    return { value, ...headerStyle, ...(isRight(column) ? { align: "right" } : indent) };
  });
  const spaced = columns.map(({ column, at }, index) =>
    isRight(frame.columns[index - 1]) && !isRight(column) ? (row: number) => indented(at(row)) : at,
  );
  const rows = Array.from({ length: frame.rowCount }, (_, row): Row => spaced.map((at) => at(row)));
  return {
    data: [header, ...rows],
    stickyRowsCount: 1,
    columns: columns.map(({ column, format }) => ({ width: width(column, format) })),
  };
}

/** Kinds of values that are at the right end of their cells. */
const rightKinds: ReadonlySet<ColumnKind> = new Set(["integer", "number", "date", "instant"]);

/** A string after a number, with space between them. */
function indented(cell: Cell): Cell {
  return typeof cell === "string" ? { value: cell, ...INDENT } : cell;
}

/** Name of a column with the unit of its numbers, or the time zone of its clock, which cells cannot show. */
function headerText(column: ExportColumn, format: string | undefined): string {
  const { name, kind, format: { unit } = {} } = column;
  if (kind === "instant") return /h/i.test(format ?? CLOCK) ? `${name} (${zoneOf(column)})` : name;
  return unit === undefined || columnKinds[kind].json !== "number" ? name : `${name} (${unit})`;
}

function zoneOf({ format }: ExportColumn): string {
  return format?.timeZone ?? "UTC";
}

/** Offsets of width and height in a PNG, and its pixels per inch: twice those of the figure. */
const [PNG_WIDTH, PNG_HEIGHT, PNG_DPI] = [16, 20, 192];

async function pictureSheet(picture: XlsxPicture): Promise<Sheet<SheetFile>> {
  const content = Buffer.from(await picture.toPNG());
  const [width, height] = [content.readUInt32BE(PNG_WIDTH), content.readUInt32BE(PNG_HEIGHT)];
  const image = { content, contentType: "image/png", width, height, dpi: PNG_DPI, anchor: { row: 1, column: 1 } };
  return { data: [[null]], showGridLines: false, images: [image] };
}

/** The cell range of a table with its header; undefined without columns. */
function filteredRange({ rowCount, columns }: ExportTable): string | undefined {
  if (columns.length === 0) return undefined;
  let letters = "";
  for (let rest = columns.length; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `A1:${letters}${rowCount + 1}`;
}

/** Columns of shares, from 0 to 1. */
const SHARE = /^share$|_share$/;
/** `0.0%`, or `0.0 %` in languages with a space before the sign. */
const SHARE_FORMAT = `0.0${percentSign(LOCALE).replace(/\s/u, " ")}`;

/** Columns of ids, which have no separators. */
const ID = /(?:^|[ _])id$/i;

/** Integers without a unit have separators if one is at least this large: they may be years. */
const SEPARATED = 10_000;

/** Format of a column of numbers; undefined for other columns, and for ids and small integers without a unit. */
function numberFormat({
  name,
  kind,
  format: { unit, decimals: given } = {},
  values,
}: ExportColumn): string | undefined {
  if (columnKinds[kind].json !== "number") return undefined;
  if (kind === "number" && SHARE.test(name)) return SHARE_FORMAT;
  const decimals = given ?? (kind === "integer" ? 0 : sensibleDecimals(firstValues(values)));
  const isLarge = (value: unknown) => Math.abs(Number(value)) >= SEPARATED;
  if (unit === undefined && kind === "integer" && (ID.test(name) || !firstValues(values).some(isLarge)))
    return undefined;
  return fixed("#,##0", decimals);
}

/** Days without a clock, if no value needs one; undefined for other columns. */
function dateFormat(column: ExportColumn, dayFormat: string): string | undefined {
  if (column.kind === "date") return dayFormat;
  if (column.kind !== "instant") return undefined;
  const times = Array.from(column.values, (value) => (value instanceof Date ? value.getTime() : null));
  return dateUnit(times, { timeZone: zoneOf(column) }) === MS_PER_DAY ? dayFormat : `${dayFormat}${CLOCK}`;
}

function fixed(whole: string, decimals: number): string {
  return decimals === 0 ? whole : `${whole}.${"0".repeat(decimals)}`;
}

function firstValues(values: ExportColumn["values"]): readonly unknown[] {
  return Array.from({ length: Math.min(values.length, MEASURED_ROWS) }, (_, row) => values.at(row));
}

/** @throws ArgumentError for a format of a missing column */
function checkFormats(formats: Readonly<Record<string, string>>, frames: readonly ExportTable[]): void {
  const names = [...new Set(frames.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  const unknown = Object.keys(formats).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new ArgumentError(`toXLSX(): unknown column ${showValue(unknown)} in \`formats\`.`, {
    hint: nameHint(unknown, names),
    facts: { option: "formats", column: unknown },
  });
}

/** @throws ArgumentError for two sheets with the same name in Excel */
function checkSheetNames(names: readonly string[]): void {
  const twice = names.find((name, index) => names.some((other, at) => at < index && sameName(name, other)));
  if (twice === undefined) return;
  throw new ArgumentError(`toXLSX(): two sheets have the name ${showValue(twice)}.`, {
    hint: "Use names that differ in their first 31 characters, ignoring case.",
    facts: { sheet: twice },
  });
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * Loads the workbook writer before a file is requested.
 *
 * @param call the call as users write it
 * @throws DependencyError if write-excel-file is missing
 */
export async function requireWorkbooks(call: string): Promise<void> {
  await loadWriter(call);
}

async function loadWriter(call: string) {
  const { default: writer } = await loadPackage(call, "write-excel-file", "4", () => import("write-excel-file/node"));
  return writer;
}

/**
 * The cells of a column: numbers, booleans, dates and times (local, in the zone of the header) with their types, other
 * values as text, never as a formula. Dates outside the range of sheets are text. Arrays, objects and geometries are JSON.
 *
 * @throws ArgumentError, when a row is read, for a string that is too long for a cell
 */
function sheetCells(column: ExportColumn, format?: string | undefined): (row: number) => Cell {
  const { name, kind, values } = column;
  const text = (value: string, row: number) => sheetText(name, row, value);
  if (kind === "instant") return instantCells(column, format);
  return (row) => {
    const value = values.at(row);
    if (isNothing(value)) return null;
    if (kind === "date" && typeof value === "string") return dateCell(value, format);
    if (typeof value === "boolean") return value;
    const plain = typeof value === "bigint" ? plainInteger(value) : value;
    if (typeof plain === "number" && Number.isFinite(plain)) {
      return format === undefined ? plain : { value: plain, type: Number, format };
    }
    return text(typeof plain === "object" ? jsonText(plain) : String(plain), row);
  };
}

function instantCells(column: ExportColumn, format: string | undefined): (row: number) => Cell {
  const { name, values } = column;
  const timeZone = zoneOf(column);
  const usOf = instantUs(values);
  return (row) => {
    const us = usOf(row);
    const value = values.at(row);
    if (Number.isNaN(us)) return isNothing(value) ? null : sheetText(name, row, String(value));
    const date = new Date(localMs(dateOf(us).getTime(), timeZone));
    if (date.getTime() < FIRST_MS || date.getTime() >= END_MS) return formatInstant(us, { timeZone });
    return format === undefined ? date : { value: date, type: Date, format };
  };
}

/** A missing value, or an invalid `Date`. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (value instanceof Date && Number.isNaN(value.getTime()));
}

function dateCell(date: string, format = DAY): Cell {
  const value = new Date(`${date}T00:00:00Z`);
  return value.getTime() >= FIRST_MS ? { value, type: Date, format } : date;
}

/**
 * Workbooks are XML, which excludes some characters; these are written as `_x0007_`, and strings that look like this
 * are escaped.
 */
function sheetText(column: string, row: number, value: string): string {
  if (value.length > MOST_LETTERS) {
    throw new ArgumentError(
      `toXLSX(): row ${row + 1} of ${showValue(column)} has a string of ${value.length} characters. The limit of a cell is ${MOST_LETTERS}.`,
      {
        hint: "Remove the column: table.select(aq.not(…)), or write Parquet or CSV. Nothing was written.",
        facts: { column, row: row + 1, letters: value.length },
      },
    );
  }
  if (INHERITED.has(value)) return value.replace(/^./, escapedLetter);
  if (!NEEDS_ESCAPE.test(value)) return value;
  return value.replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_").replace(UNWRITABLE, escapedLetter);
}

function escapedLetter(letter: string): string {
  return `_x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
}

/**
 * Converts a string to a valid sheet name: 31 characters, none of `[]:*?/\\`, no apostrophe at its ends, and not
 * Excel's own name.
 */
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
    new ArgumentError(`toXLSX(): the table has ${count} ${what}. The limit of a sheet is ${most}.`, {
      hint: `Remove some ${what}, or write Parquet or CSV.`,
      facts: { count, most },
    });
  if (rowCount > MOST_ROWS) throw tooMany(rowCount, "rows", MOST_ROWS);
  if (columns.length > MOST_COLUMNS) throw tooMany(columns.length, "columns", MOST_COLUMNS);
  for (const { name } of columns) {
    if (name.length <= MOST_LETTERS) continue;
    throw new ArgumentError(
      `toXLSX(): the name of a column has ${name.length} characters. The limit of a cell is ${MOST_LETTERS}: ${showValue(name, 40)}.`,
      { hint: "Rename the column: table.rename({ … }), or write Parquet or CSV." },
    );
  }
}

function width(column: ExportColumn, format: string | undefined): number {
  const { kind, values } = column;
  const header = headerText(column, format).length + FILTER;
  if (kind === "instant") return Math.max((format ?? "").length + 1, Math.min(WIDEST, header));
  let letters = Math.max(NARROWEST, header);
  for (const value of firstValues(values)) {
    if (typeof value === "object" && value !== null) letters = Math.max(letters, 20);
    else if (typeof value === "number" && format !== undefined) letters = Math.max(letters, numberWidth(value, format));
    else if (value !== null && value !== undefined)
      letters = Math.max(letters, Math.ceil(String(value).length * CAPITAL) + 1);
  }
  return Math.min(WIDEST, letters);
}

/** Approximate width of a number in a format. */
function numberWidth(value: number, format: string): number {
  const decimals = /\.(0+)/.exec(format)?.[1]?.length ?? 0;
  const digits = (format.includes("%") ? value * 100 : value).toFixed(decimals).length;
  const separators = format.includes(",") ? Math.floor(digits / 3) : 0;
  const around = format.replace(/[#0,.]/g, "").length;
  return digits + separators + around + 1;
}
