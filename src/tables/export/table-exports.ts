import { writeFile } from "node:fs/promises";
import type { Table } from "@uwdata/flechette";
import type { ColumnTable } from "arquero";
import type { Feature, FeatureCollection, Geometry } from "geojson";
import { columnKinds } from "../../api/property-types.js";
import { ArgumentError, DependencyError } from "../../core/errors.js";
import { isMissingPackage } from "../../core/load-package.js";
import { checkOptions } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { isTable } from "../column/is-table.js";
import type { ParquetOptions } from "../sql/to-parquet.js";
import type { Danfo, DanfoFrame } from "./danfo-frame.js";
import {
  checkExportOptions,
  type ExportColumn,
  type ExportOptions,
  type ExportTable,
  exportRules,
  exportTable,
} from "./export-table.js";
import { jsonText, plainValues } from "./export-values.js";
import { windRings } from "./sound-geometry.js";
import type { ArrowOptions } from "./to-arrow.js";
import { type CsvOptions, csvRules, toCsv } from "./to-csv.js";
import type { GeoPackageOptions } from "./to-geopackage.js";
import type { XlsxOptions, XlsxPicture } from "./to-xlsx.js";

/**
 * Returns an Arquero table as a Danfo frame, with the optional package `danfojs-node` or `danfojs`. Rows are those the
 * table shows: after its filter and in its order. Values are converted as in `layer.toDanfo()`.
 *
 * @typeParam Frame Danfo's own type of a frame, for either package: `toDanfo<DataFrame>(table)`
 * @param table an Arquero table
 * @example
 * ```ts
 * const frame = await toDanfo(history.asOf("2025-06-30"));
 * frame.shape
 * ```
 * @throws DependencyError if neither package is installed
 */
export async function tableToDanfo<Frame extends object = DanfoFrame>(
  table: ColumnTable,
  options: ExportOptions = {},
): Promise<Frame> {
  checkOptions("toDanfo()", options, exportRules);
  return frameToDanfo(exportTable(checkTable("toDanfo", table), options), await loadDanfo<Frame>());
}

/**
 * A frame as a Danfo frame.
 *
 * Rows are passed as arrays with separate names and types, because Danfo infers types from the first rows only, mixes
 * up records whose keys are in another order, and has no other way to create a frame without rows. Missing numbers are
 * NaN, because `describe()` fails on null. Instants are ISO 8601 strings, which Danfo's `dt` reads; its own string of a
 * `Date` is in the machine's time zone. Arrays and objects are JSON strings. Columns with the name of a member of
 * Danfo's frames get an underscore, because they would replace the member.
 */
function frameToDanfo<Frame extends object>(frame: ExportTable, danfo: Danfo<Frame>): Frame {
  const columns = frame.columns.map((column) => ({ dtype: dtypeOf(column), at: danfoValues(column) }));
  const rows = Array.from({ length: frame.rowCount }, (_, row) => columns.map(({ at }) => at(row)));
  const names = frame.columns.map(({ name }) => name);
  return new danfo.DataFrame(rows, {
    columns: freeNames(names, new danfo.DataFrame([], { columns: [], dtypes: [] })),
    dtypes: columns.map(({ dtype }) => dtype),
  });
}

function danfoValues(column: ExportColumn): (row: number) => unknown {
  const at = plainValues(column);
  const { danfo } = columnKinds[column.kind];
  if (danfo === "number") return (row) => Number(at(row) ?? Number.NaN);
  if (danfo !== "json") return at;
  return (row) => {
    const value = at(row);
    return value === null ? null : jsonText(value);
  };
}

/**
 * int32 would wrap around, and `describe()` fails on booleans with nulls unless their type is string; the type does not
 * change the values.
 */
function dtypeOf({ kind, values }: ExportColumn): string {
  const all = (test: (value: unknown) => boolean) => {
    for (const value of values) if (!test(value)) return false;
    return true;
  };
  const { danfo } = columnKinds[kind];
  if (danfo === "boolean") return all((value) => typeof value === "boolean") ? "boolean" : "string";
  if (danfo !== "number") return "string";
  const isInt32 = kind === "integer" && all((value) => typeof value === "number" && (value | 0) === value);
  return isInt32 ? "int32" : "float32";
}

function freeNames(names: readonly string[], members: object): string[] {
  const used = new Set(names);
  return names.map((name) => {
    let free = name;
    while (free in members || (free !== name && used.has(free))) free = `${free}_`;
    used.add(free);
    return free;
  });
}

/**
 * Returns an Arquero table as an Arrow table. Rows are those the table shows: after its filter and in its order.
 * Columns of layers and histories have the types of their definitions, other columns those of their values. Types are
 * the same as in `layer.toArrow()`.
 *
 * @param table an Arquero table
 * @param options `asLogged: true` adds a column `geometry (as logged)` after geometries with invalid values
 * @example
 * ```ts
 * const arrow = await toArrow(history.asOf("2025-06-30"));
 * arrow.numRows
 * ```
 */
export async function tableToArrow(table: ColumnTable, options: ExportOptions = {}): Promise<Table> {
  checkOptions("toArrow()", options, exportRules);
  const frame = exportTable(checkTable("toArrow", table), options);
  const { toArrow } = await import("./to-arrow.js");
  return toArrow(frame, options);
}

/**
 * Returns an Arquero table as a stream in Arrow's IPC format, for programs that read Arrow: pyarrow, polars, DuckDB,
 * Lonboard. Rows are those the table shows: after its filter and in its order. Types are the same as in
 * `layer.toArrow()`.
 *
 * @param table an Arquero table
 * @param options `path` of a file to write
 * @returns the bytes of the stream
 * @example
 * ```ts
 * const bytes = await toArrowIPC(tickets.table, { path: "tickets.arrows" });
 * bytes.length
 * ```
 * @throws ArgumentError for unknown options
 */
export function tableToArrowIPC(table: ColumnTable, options?: ArrowOptions): Promise<Uint8Array>;
export function tableToArrowIPC(
  table: ColumnTable,
  ...given: [ArrowOptions | undefined, ...unknown[]]
): Promise<Uint8Array> {
  return arrowIpcOf(table, given);
}

/**
 * The Arrow stream of a table, also written to a file if requested.
 *
 * @param given the arguments of the export after the table
 */
export async function arrowIpcOf(
  table: ColumnTable,
  [options = {}, ...former]: readonly [ArrowOptions | undefined, ...unknown[]],
): Promise<Uint8Array> {
  const { arrowBytes, arrowRules, toArrow } = await import("./to-arrow.js");
  checkExportOptions({ call: "toArrowIPC()", rules: arrowRules, needsPath: false }, [options, ...former]);
  const bytes = await arrowBytes(await toArrow(exportTable(checkTable("toArrowIPC", table), options), options));
  if (options.path !== undefined) await writeWhole(options.path, bytes);
  return bytes;
}

/**
 * Returns an Arquero table with geometries as GeoJSON (RFC 7946): `id` becomes the features' ids, and rings have the
 * order of the standard. Rows are those the table shows.
 *
 * @param table an Arquero table with a column of geometries, such as that of a layer and of `history.asOf()`
 * @example
 * ```ts
 * toGeoJSON(history.asOf("2025-06-30")).features.length
 * ```
 * @throws ArgumentError without such a column
 */
export function tableToGeoJSON(table: ColumnTable, options: ExportOptions = {}): FeatureCollection<Geometry | null> {
  checkOptions("toGeoJSON()", options, exportRules);
  const frame = exportTable(checkTable("toGeoJSON", table), options);
  if (frame.columns.some(({ kind }) => kind === "geometry")) return toGeoJson(frame);
  throw new ArgumentError("toGeoJSON(): the table has no geometry column.", {
    hint: "Use a table with the column `geometry`: layer.table or history.asOf(…).",
  });
}

/**
 * Returns an Arquero table as CSV (RFC 4180). Rows are those the table shows: after its filter and in its order.
 *
 * @param table an Arquero table
 * @param options the path of a file to write, or `path`; `formulas: "keep"` does not escape strings that a spreadsheet would run
 * @returns the CSV text
 * @example
 * ```ts
 * const csv = await toCSV(history.changes(), "changes.csv");
 * csv.split(",").slice(0, 5)
 * ```
 * @throws ArgumentError for unknown options
 */
export function tableToCSV(table: ColumnTable, options?: CsvOptions | string): Promise<string>;
export function tableToCSV(table: ColumnTable, ...given: [(CsvOptions | string)?, ...unknown[]]): Promise<string> {
  return csvOf(table, given);
}

/**
 * The CSV of a table, also written to a file if requested.
 *
 * @param given the arguments of the export after the table
 */
export async function csvOf(
  table: ColumnTable,
  [given = {}, ...former]: readonly [(CsvOptions | string)?, ...unknown[]],
): Promise<string> {
  const options = typeof given === "string" ? { path: given } : given;
  checkExportOptions({ call: "toCSV()", rules: csvRules, needsPath: false }, [options, ...former]);
  const text = toCsv(exportTable(checkTable("toCSV", table), options), options);
  if (options.path !== undefined) await writeWhole(options.path, text);
  return text;
}

/**
 * Writes an Arquero table as Parquet, or as GeoParquet if it has geometries. Rows are those the table shows: after its
 * filter and in its order. Columns of layers and histories have the types of their definitions, other columns those of
 * their values.
 *
 * @param table an Arquero table
 * @param options `path` of the file to write; an existing file is replaced
 * @example
 * ```ts
 * await toParquet(history.asOf("2025-06-30"), { path: "tickets.parquet" });
 * ```
 * @throws ArgumentError for unknown options, and for a missing path
 */
export async function tableToParquet(table: ColumnTable, options: ParquetOptions): Promise<void> {
  const { parquetRules, toParquet } = await import("../sql/to-parquet.js");
  checkExportOptions({ call: "toParquet()", rules: parquetRules, needsPath: true }, [options]);
  await toParquet(exportTable(checkTable("toParquet", table), options), options);
}

/** An object with a table, such as a layer. */
export interface XlsxTable {
  /** Its rows and columns. */
  readonly table: ColumnTable;
}

/** The sheets of a workbook by name: tables, layers and figures. */
export type XlsxSheets = Readonly<Record<string, ColumnTable | XlsxTable | XlsxPicture>>;

/**
 * Writes an Arquero table, or several, as a workbook for Excel and other spreadsheets, with the optional package
 * write-excel-file. Sheets have a frozen header, filters, typed numbers with formats, dates, local times with their zone in
 * the header, and booleans. Strings are never formulas.
 *
 * @param sheets an Arquero table, or an object of tables, layers and figures by sheet name; figures become pictures
 * @param options `path` of the file to write; an existing file is replaced. `formats` of columns: `{ share: "0.0%" }`
 * @example
 * ```ts
 * await toXLSX({ Tickets: tickets, Changes: history.changes() }, { path: "report.xlsx" });
 * ```
 * @throws DependencyError if the package is missing, and ArgumentError beyond the limits of a sheet (1,048,575 rows, 16,384
 * columns, 32,767 characters in a cell): nothing is cut
 */
export async function tableToXLSX(sheets: ColumnTable | XlsxSheets, options: XlsxOptions): Promise<void> {
  const { toXlsx, xlsxRules } = await import("./to-xlsx.js");
  checkExportOptions({ call: "toXLSX()", rules: xlsxRules, needsPath: true }, [options]);
  const isOne = isTable(sheets) || Object.getPrototypeOf(Object(sheets)) !== Object.prototype;
  if (isOne) {
    const content = exportTable(checkTable("toXLSX", sheets as ColumnTable), options);
    return toXlsx([{ name: options.name, content }], options);
  }
  const entries = Object.entries(sheets);
  if (entries.length === 0) {
    throw new ArgumentError("toXLSX(): the object of sheets is empty.", {
      hint: "Pass a table, or sheets by name: { Late: table }.",
    });
  }
  if (options.name !== undefined) {
    throw new ArgumentError(`toXLSX(): \`name\` is ${showValue(options.name)}, but the sheets already have names.`, {
      hint: "Remove `name`, or pass a single table.",
      facts: { option: "name" },
    });
  }
  await toXlsx(
    entries.map(([name, sheet]) => ({ name, content: sheetContent(sheet, options) })),
    options,
  );
}

function sheetContent(sheet: XlsxSheets[string], options: ExportOptions): ExportTable | XlsxPicture {
  if ("toPNG" in Object(sheet)) return sheet as XlsxPicture;
  const { table } = Object(sheet) as { readonly table?: ColumnTable };
  return exportTable(checkTable("toXLSX", table ?? (sheet as ColumnTable)), options);
}

/**
 * Writes an Arquero table as a GeoPackage, with the optional package node-sqlite3-wasm: features in WGS 84 with typed
 * columns and their extent, or a table of attributes if it has no geometries.
 *
 * @param table an Arquero table
 * @param options `path` of the file to write; an existing file is replaced
 * @example
 * ```ts
 * await toGeoPackage(tickets.table, { path: "tickets.gpkg" });
 * ```
 * @throws DependencyError if the package is missing, and ArgumentError for an invalid geometry
 */
export async function tableToGeoPackage(table: ColumnTable, options: GeoPackageOptions): Promise<void> {
  const { geoPackageRules, toGeoPackage } = await import("./to-geopackage.js");
  checkExportOptions({ call: "toGeoPackage()", rules: geoPackageRules, needsPath: true }, [options]);
  await toGeoPackage(exportTable(checkTable("toGeoPackage", table), options), options);
}

/** @throws ArgumentError for other values, for example a layer, which has its own exports */
function checkTable(call: string, table: ColumnTable): ColumnTable {
  if (isTable(table)) return table;
  const given: unknown = table;
  const isLayer = typeof given === "object" && given !== null && call in given;
  throw new ArgumentError(
    `${call}(): ${isLayer ? "the argument is a layer, not a table" : `not a table: ${showValue(given)}`}.`,
    {
      hint: isLayer
        ? `Use layer.${call}(…), or pass layer.table.`
        : "Pass layer.table or the result of a history call: history.asOf(…).",
    },
  );
}

/** Loads a package by name. */
type Load = (name: string) => Promise<unknown>;

/**
 * Loads Danfo: `danfojs-node`, or `danfojs` if only that is installed.
 *
 * @throws DependencyError if neither is installed, with the packages to install
 */
export async function loadDanfo<Frame extends object = DanfoFrame>(
  load: Load = (name) => import(name),
): Promise<Danfo<Frame>> {
  for (const name of ["danfojs-node", "danfojs"]) {
    try {
      const loaded = (await load(name)) as Danfo<Frame> & { readonly default?: Danfo<Frame> };
      return loaded.default ?? loaded;
    } catch (error) {
      if (!isMissingPackage(error, name)) throw error;
    }
  }
  throw new DependencyError("toDanfo(): the package danfojs-node is not installed.", {
    hint:
      'Add "overrides": { "@tensorflow/tfjs-node": "npm:@tensorflow/tfjs@4.22.0", "xlsx": "0.18.5" } to the package.json ' +
      "of your project, then run `npm install danfojs-node` (or `danfojs`). Without the overrides, npm searches for " +
      "packages outside the registry for minutes.",
  });
}

/**
 * A frame as GeoJSON (RFC 7946): column `id` becomes the features' ids, the first column of geometries their geometry,
 * the others their properties.
 */
function toGeoJson(frame: ExportTable): FeatureCollection<Geometry | null> {
  const geometries = frame.columns.find(({ kind }) => kind === "geometry");
  const ids = frame.columns.find(({ name }) => name === "id");
  const others = frame.columns
    .filter((column) => column !== geometries && column !== ids)
    .map((column) => [column.name, plainValues(column)] as const);
  const featureAt = (row: number): Feature<Geometry | null> => ({
    type: "Feature",
    ...idAt(ids, row),
    geometry: geometryAt(geometries, row),
    properties: Object.fromEntries(others.map(([name, at]) => [name, at(row)])),
  });
  return { type: "FeatureCollection", features: Array.from({ length: frame.rowCount }, (_, row) => featureAt(row)) };
}

function idAt(ids: ExportColumn | undefined, row: number): { readonly id?: string | number } {
  const id = ids?.values.at(row);
  return typeof id === "string" || typeof id === "number" ? { id } : {};
}

function geometryAt(geometries: ExportColumn | undefined, row: number): Geometry | null {
  const geometry = geometries?.values.at(row) as Geometry | null | undefined;
  return geometry ? windRings(geometry, "counter-clockwise") : null;
}

async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const { replaceFile } = await import("./replace-file.js");
  await replaceFile(path, (unfinished) => writeFile(unfinished, content));
}
