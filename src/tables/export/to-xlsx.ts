import { writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { Cell, Feature, Image, Row, Sheet } from "write-excel-file/node";
import { ArgumentError } from "../../core/errors.js";
import { dateOf, formatInstant } from "../../core/instant.js";
import { loadPackage } from "../../core/load-package.js";
import { nameHint } from "../../core/nearest-name.js";
import { anything, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { sensibleDecimals } from "../display/html/format-cell.js";
import { type ExportColumn, type ExportOptions, type ExportTable, exportRules, frameName } from "./export-table.js";
import { instantUs, jsonText, plainInteger } from "./export-values.js";
import { replaceFile } from "./replace-file.js";

/** What the writer accepts as the bytes of a picture. */
type SheetFile = Image["content"];

/** What a cell of a sheet holds, in UTF-16 code units as Excel counts them. */
const MOST_LETTERS = 32_767;

/** Sheets count days from 1900, with a 29 February in it that there was not: dates from here on are right. */
const FIRST_MS = Date.UTC(1900, 2, 1);
const END_MS = Date.UTC(10_000, 0, 1);

/** Control characters, what XML readers make line feeds of, halves of pairs, and two signs that are none. */
const LETTERS = String.raw`[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`;
const UNWRITABLE = new RegExp(LETTERS, "g");
/** Texts that write-excel-file would find in its list of texts, an object, before they are in it: `constructor`. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));
const NEEDS_ESCAPE = new RegExp(`${LETTERS}|_x[0-9a-f]{4}_`, "i");

/** Options of `toXLSX()`. */
export interface XlsxOptions extends ExportOptions {
  /** Of the file to write; one that exists is replaced. */
  readonly path: string;
  /** Of the sheet. Default: the semantic type of the features if they have one, else the file's name without `.xlsx`. */
  readonly name?: string | undefined;
  /**
   * Number formats of columns, as Excel has them: `{ share: "0.0 %" }`. Default: `0.0 %` for `share` and columns that end in `_share`;
   * the unit of a column behind its numbers; as many decimals as the values of a column have.
   */
  readonly formats?: Readonly<Record<string, string>> | undefined;
}

/** A picture of a sheet, such as a figure. */
export interface XlsxPicture {
  /** The picture as PNG, with two pixels for each pixel that is shown. */
  toPNG(): Promise<Uint8Array>;
}

/** What a sheet is made of. */
export interface XlsxSheet {
  readonly name: string | undefined;
  readonly content: ExportTable | XlsxPicture;
}

/** What `toXLSX()` takes. */
export const xlsxRules: OptionRules<XlsxOptions> = {
  path: anything,
  name: text,
  formats: {
    takes: 'an object of number formats by column, such as { share: "0.0 %" }',
    accepts: (value) =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((format) => typeof format === "string" && format !== ""),
  },
  ...exportRules,
};

/** Of a sheet, by the specifications and limits of Excel; one row is the header's. */
const MOST_ROWS = 1_048_575;
const MOST_COLUMNS = 16_384;

/** Widths of columns, in letters. */
const NARROWEST = 8;
const WIDEST = 60;
/** The width of a column is that of its first rows. */
const MEASURED_ROWS = 1000;

/** Letters that the button of a filter needs in a header. */
const FILTER = 3;

/**
 * Writes sheets as a workbook: typed cells with number formats, a frozen header with filters, columns as wide as their values;
 * pictures on separate sheets.
 *
 * @throws ArgumentError for more rows, columns or letters in a cell than a workbook holds: nothing is cut; for formats of columns
 * that no sheet has; and if write-excel-file is not installed
 */
export async function toXlsx(sheets: readonly XlsxSheet[], { path, formats = {} }: XlsxOptions): Promise<void> {
  const frames = sheets.flatMap(({ content }) => (isPicture(content) ? [] : [content]));
  for (const frame of frames) checkSize(frame);
  checkFormats(formats, frames);
  const names = sheets.map(({ name, content }) => {
    return sheetName(name ?? (isPicture(content) ? undefined : frameName(content)) ?? basename(path, extname(path)));
  });
  checkSheetNames(names);
  const writeWorkbook = await loadWriter("toXLSX()");
  const written = await Promise.all(
    sheets.map(async ({ content }, index) => ({
      sheet: names[index] as string,
      ...(isPicture(content) ? await pictureSheet(content) : tableSheet(content, formats)),
    })),
  );
  const filters = sheets.map(({ content }) => (isPicture(content) ? undefined : filteredRange(content)));
  const bytes = await writeWorkbook(written, { features: [filterFeature(filters)] }).toBuffer();
  await replaceFile(path, (unfinished) => writeFile(unfinished, bytes));
}

function isPicture(content: ExportTable | XlsxPicture): content is XlsxPicture {
  return "toPNG" in content;
}

function tableSheet(frame: ExportTable, formats: Readonly<Record<string, string>>): Sheet<SheetFile> {
  const columns = frame.columns.map((column) => {
    const format = formats[column.name] ?? numberFormat(column);
    return { column, format, at: sheetCells(column, format) };
  });
  const header = columns.map(({ column: { name } }): Cell => {
    return { value: sheetCells({ name, kind: "text", values: [name] })(0) as string, fontWeight: "bold" };
  });
  const rows = Array.from({ length: frame.rowCount }, (_, row): Row => columns.map(({ at }) => at(row)));
  return {
    data: [header, ...rows],
    stickyRowsCount: 1,
    dateFormat: "yyyy-mm-dd hh:mm:ss",
    columns: columns.map(({ column, format }) => ({ width: width(column, format) })),
  };
}

/** Offsets of width and height in a PNG, and its pixels per inch: twice those of the figure. */
const [PNG_WIDTH, PNG_HEIGHT, PNG_DPI] = [16, 20, 192];

async function pictureSheet(picture: XlsxPicture): Promise<Sheet<SheetFile>> {
  const content = Buffer.from(await picture.toPNG());
  const [width, height] = [content.readUInt32BE(PNG_WIDTH), content.readUInt32BE(PNG_HEIGHT)];
  const image = { content, contentType: "image/png", width, height, dpi: PNG_DPI, anchor: { row: 1, column: 1 } };
  return { data: [[null]], showGridLines: false, images: [image] };
}

/** The cells of a table, with its header; undefined if it has no columns. */
function filteredRange({ rowCount, columns }: ExportTable): string | undefined {
  if (columns.length === 0) return undefined;
  let letters = "";
  for (let rest = columns.length; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `A1:${letters}${rowCount + 1}`;
}

/** Buttons of filters in the headers, which the writer does not know. */
function filterFeature(ranges: readonly (string | undefined)[]): Feature<SheetFile> {
  return {
    files: {
      transform: {
        "xl/worksheets/sheet{id}.xml": {
          transform: (content, _, { sheetIndex }) => {
            const range = ranges[sheetIndex];
            return range === undefined
              ? content
              : content.replace("</sheetData>", `</sheetData><autoFilter ref="${range}"/>`);
          },
        },
      },
    },
  };
}

/** Columns of shares, from 0 to 1. */
const SHARE = /^share$|_share$/;

/** How a column of numbers is shown; undefined for all others, and for whole numbers without a unit, such as ids and years. */
function numberFormat({ name, kind, unit, values }: ExportColumn): string | undefined {
  if (kind !== "integer" && kind !== "number") return undefined;
  if (kind === "number" && SHARE.test(name)) return "0.0 %";
  const decimals = kind === "integer" ? 0 : sensibleDecimals(firstValues(values));
  if (unit === undefined) return kind === "integer" ? undefined : fixed("0", decimals);
  return `${fixed("#,##0", decimals)}" ${unit.replaceAll('"', "").slice(0, MOST_UNIT)}"`;
}

/** A format has 255 characters. */
const MOST_UNIT = 100;

function fixed(whole: string, decimals: number): string {
  return decimals === 0 ? whole : `${whole}.${"0".repeat(decimals)}`;
}

function firstValues(values: ExportColumn["values"]): readonly unknown[] {
  return Array.from({ length: Math.min(values.length, MEASURED_ROWS) }, (_, row) => values.at(row));
}

/** @throws ArgumentError for a format of a column that there is not */
function checkFormats(formats: Readonly<Record<string, string>>, frames: readonly ExportTable[]): void {
  const known = [...new Set(frames.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  const unknown = Object.keys(formats).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ArgumentError(`toXLSX(): \`formats\` has ${showValue(unknown)}, which is not a column.`, {
    hint: nameHint(unknown, known),
    facts: { option: "formats", column: unknown },
  });
}

/** @throws ArgumentError for two sheets that Excel would call the same */
function checkSheetNames(names: readonly string[]): void {
  const twice = names.find((name, index) => names.some((other, at) => at < index && sameName(name, other)));
  if (twice === undefined) return;
  throw new ArgumentError(`toXLSX(): two sheets are called ${showValue(twice)}.`, {
    hint: "Give names that differ in their first 31 letters, in more than upper and lower case.",
    facts: { sheet: twice },
  });
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
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
function sheetCells({ name, kind, values }: ExportColumn, format?: string | undefined): (row: number) => Cell {
  const text = (value: string, row: number) => sheetText(name, row, value);
  if (kind === "instant") return instantCells(name, values, format);
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

function instantCells(name: string, values: ExportColumn["values"], format: string | undefined): (row: number) => Cell {
  const usOf = instantUs(values);
  return (row) => {
    const us = usOf(row);
    const value = values.at(row);
    if (Number.isNaN(us)) return isNothing(value) ? null : sheetText(name, row, String(value));
    const date = dateOf(us);
    if (date.getTime() < FIRST_MS || date.getTime() >= END_MS) return formatInstant(us);
    return format === undefined ? date : { value: date, type: Date, format };
  };
}

/** No value, or a `Date` that is none. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (value instanceof Date && Number.isNaN(value.getTime()));
}

function dateCell(date: string, format = "yyyy-mm-dd"): Cell {
  const value = new Date(`${date}T00:00:00Z`);
  return value.getTime() >= FIRST_MS ? { value, type: Date, format } : date;
}

/** Workbooks are XML, which lacks some letters; they write those as `_x0007_`, and a text that looks so with an escape. */
function sheetText(column: string, row: number, value: string): string {
  if (value.length > MOST_LETTERS) {
    throw new ArgumentError(
      `toXLSX(): row ${row + 1} of ${showValue(column)} has a string of ${value.length} characters, and a cell holds ${MOST_LETTERS}.`,
      {
        hint: "Leave the column out with table.select(), or write Parquet or CSV. Nothing was written.",
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

function width({ name, kind, values }: ExportColumn, format: string | undefined): number {
  const header = name.length + FILTER;
  if (kind === "instant") return Math.max(20, Math.min(WIDEST, header));
  let letters = Math.max(NARROWEST, header);
  for (const value of firstValues(values)) {
    if (typeof value === "object" && value !== null) letters = Math.max(letters, 20);
    else if (typeof value === "number" && format !== undefined) letters = Math.max(letters, numberWidth(value, format));
    else if (value !== null && value !== undefined) letters = Math.max(letters, String(value).length + 1);
  }
  return Math.min(WIDEST, letters);
}

/** About how wide a number is in a format. */
function numberWidth(value: number, format: string): number {
  const decimals = /\.(0+)/.exec(format)?.[1]?.length ?? 0;
  const digits = (format.includes("%") ? value * 100 : value).toFixed(decimals).length;
  const separators = format.includes(",") ? Math.floor(digits / 3) : 0;
  const around = format.replace(/[#0,.]/g, "").length;
  return digits + separators + around + 1;
}
