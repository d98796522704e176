import type { Cell } from "write-excel-file/node";
import { ArgumentError } from "../../core/errors.js";
import { dateOf, formatInstant } from "../../core/instant.js";
import { showValue } from "../../core/show-value.js";
import type { ExportColumn } from "./export-table.js";
import { instantUs } from "./instant-us.js";
import { jsonText, plainInteger } from "./json-text.js";

/** What a cell of a sheet holds, in UTF-16 code units as Excel counts them. */
export const MOST_LETTERS = 32_767;

/** Sheets count days from 1900, with a 29 February in it that there was not: dates from here on are right. */
const FIRST_MS = Date.UTC(1900, 2, 1);
const END_MS = Date.UTC(10_000, 0, 1);

/**
 * The cells of a column: numbers, booleans, dates and times (UTC) as such, all else as text, which never is a formula. Dates
 * that sheets do not have are texts. Arrays, objects and geometries are JSON.
 *
 * @throws ArgumentError, when a row is read, for a text that no cell holds
 */
export function sheetCells({ name, kind, values }: ExportColumn): (row: number) => Cell {
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

/** Control characters, what XML readers make line feeds of, halves of pairs, and two signs that are none. */
const LETTERS = String.raw`[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`;
const UNWRITABLE = new RegExp(LETTERS, "g");
const NEEDS_ESCAPE = new RegExp(`${LETTERS}|_x[0-9a-f]{4}_`, "i");
