import { writeFile } from "node:fs/promises";
import type { Table } from "@uwdata/flechette";
import type { ColumnTable } from "arquero";
import type { FeatureCollection, Geometry } from "geojson";
import { checkOptions } from "../../core/check-options.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { type ParquetOptions, parquetRules, toParquet } from "../sql/to-parquet.js";
import { checkExportOptions } from "./check-export-options.js";
import type { DanfoFrame } from "./danfo-frame.js";
import { type ExportOptions, exportRules, exportTable } from "./export-table.js";
import { frameToDanfo } from "./frame-to-danfo.js";
import { loadDanfo } from "./load-danfo.js";
import { replaceFile } from "./replace-file.js";
import { toArrow } from "./to-arrow.js";
import { type CsvOptions, csvRules, toCsv } from "./to-csv.js";
import { toGeoJson } from "./to-geojson.js";
import { type GeoPackageOptions, geoPackageRules, toGeoPackage } from "./to-geopackage.js";
import { toXlsx, type XlsxOptions, xlsxRules } from "./to-xlsx.js";

/**
 * An Arquero table as a Danfo frame, by the optional package `danfojs-node` or `danfojs`: rows as the table shows
 * them, after its filter and in its order. Values become what they become in `layer.toDanfo()`.
 *
 * @typeParam Frame Danfo's own type of a frame, since either package may be the one: `toDanfo<DataFrame>(table)`
 * @param table an Arquero table
 * @throws ArgumentError if neither package is installed
 */
export async function tableToDanfo<Frame extends object = DanfoFrame>(
  table: ColumnTable,
  options: ExportOptions = {},
): Promise<Frame> {
  checkOptions("toDanfo()", options, exportRules);
  return frameToDanfo(exportTable(checkTable("toDanfo", table), options), await loadDanfo<Frame>());
}

/**
 * An Arquero table as an Arrow table: rows as the table shows them, after its filter and in its order. Columns of layers and
 * histories have the types of their definitions, others those of their values. Types are those of `layer.toArrow()`.
 *
 * @param table an Arquero table
 */
export async function tableToArrow(table: ColumnTable, options: ExportOptions = {}): Promise<Table> {
  checkOptions("toArrow()", options, exportRules);
  return toArrow(exportTable(checkTable("toArrow", table), options));
}

/**
 * An Arquero table that has geometries as GeoJSON (RFC 7946): `id` as the features' id, rings in the order that the standard
 * wants, rows as the table shows them.
 *
 * @param table an Arquero table with a column of geometries, such as that of a layer and of `history.asOf()`
 * @throws ArgumentError if it has no such column
 */
export function tableToGeoJSON(table: ColumnTable, options: ExportOptions = {}): FeatureCollection<Geometry | null> {
  checkOptions("toGeoJSON()", options, exportRules);
  const frame = exportTable(checkTable("toGeoJSON", table), options);
  if (frame.columns.some(({ kind }) => kind === "geometry")) return toGeoJson(frame);
  throw new ArgumentError("toGeoJSON(): the table has no column of geometries.", {
    hint: "Tables of layers and of history.asOf() have one, called geometry.",
  });
}

/**
 * An Arquero table as CSV (RFC 4180): rows as the table shows them, after its filter and in its order.
 *
 * @param table an Arquero table
 * @param options `path` of a file to write; `formulas: "keep"` leaves texts that a spreadsheet would run as they are
 * @returns the text
 * @throws ArgumentError for options that it does not have
 */
export function tableToCSV(table: ColumnTable, options?: CsvOptions): Promise<string>;
export function tableToCSV(table: ColumnTable, ...given: [CsvOptions | undefined, ...unknown[]]): Promise<string> {
  return csvOf(table, given);
}

/**
 * The CSV of a table, and the file if one is asked for.
 *
 * @param given all that an export was called with besides the table
 */
export async function csvOf(
  table: ColumnTable,
  [options = {}, ...former]: readonly [CsvOptions | undefined, ...unknown[]],
): Promise<string> {
  checkExportOptions({ call: "toCSV()", rules: csvRules, needsPath: false }, [options, ...former]);
  const text = toCsv(exportTable(checkTable("toCSV", table), options), options);
  if (options.path !== undefined) await replaceFile(options.path, (unfinished) => writeFile(unfinished, text));
  return text;
}

/**
 * Writes an Arquero table as Parquet, as GeoParquet if it has geometries: rows as the table shows them, after its filter and
 * in its order. Columns of layers and histories have the types of their definitions, others those of their values.
 *
 * @param table an Arquero table
 * @param options `path` of the file to write; one that exists is replaced
 * @throws ArgumentError for options that it does not have, and without a path
 */
export async function tableToParquet(table: ColumnTable, options: ParquetOptions): Promise<void> {
  checkExportOptions({ call: "toParquet()", rules: parquetRules, needsPath: true }, [options]);
  await toParquet(exportTable(checkTable("toParquet", table), options), options);
}

/**
 * Writes an Arquero table as a workbook for Excel and other spreadsheets, by the optional package write-excel-file: one
 * sheet with a frozen header, typed numbers, dates, times (UTC) and booleans. Texts are texts: nothing in it is a formula.
 *
 * @param table an Arquero table
 * @param options `path` of the file to write; one that exists is replaced
 * @throws ArgumentError if the package is not installed, and for more than a sheet holds (1,048,575 rows, 16,384 columns,
 * 32,767 letters in a cell): nothing is cut
 */
export async function tableToXLSX(table: ColumnTable, options: XlsxOptions): Promise<void> {
  checkExportOptions({ call: "toXLSX()", rules: xlsxRules, needsPath: true }, [options]);
  await toXlsx(exportTable(checkTable("toXLSX", table), options), options);
}

/**
 * Writes an Arquero table as a GeoPackage, by the optional package node-sqlite3-wasm: features in WGS 84 with typed columns
 * and their extent, or a table of attributes if it has no geometries.
 *
 * @param table an Arquero table
 * @param options `path` of the file to write; one that exists is replaced
 * @throws ArgumentError if the package is not installed, and for a geometry that is none
 */
export async function tableToGeoPackage(table: ColumnTable, options: GeoPackageOptions): Promise<void> {
  checkExportOptions({ call: "toGeoPackage()", rules: geoPackageRules, needsPath: true }, [options]);
  await toGeoPackage(exportTable(checkTable("toGeoPackage", table), options), options);
}

/** @throws ArgumentError for what is no table: a layer for example, which has exports of its own */
export function checkTable(call: string, table: ColumnTable): ColumnTable {
  const given: unknown = table;
  const isTable = typeof given === "object" && given !== null && "columnNames" in given && "column" in given;
  if (isTable) return table;
  const isLayer = typeof given === "object" && given !== null && call in given;
  throw new ArgumentError(`${call}() takes a table, got ${isLayer ? "a layer" : showValue(given)}.`, {
    hint: isLayer
      ? `Call layer.${call}(), or give layer.table.`
      : "Tables are what layer.table and the calls of histories give.",
  });
}
