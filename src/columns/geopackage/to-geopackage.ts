import { basename, extname } from "node:path";
import type { Geometry } from "geojson";
import type { Database } from "node-sqlite3-wasm";
import { ArgumentError } from "../../core/errors.js";
import { dateOf } from "../../core/instant.js";
import { loadPackage } from "../../core/load-package.js";
import { anything, type OptionRules } from "../../core/option-rules.js";
import { reasonOf } from "../../core/reason-of.js";
import { noColumns } from "../export/check-export-options.js";
import { type ExportColumn, type ExportOptions, type ExportTable, exportRules } from "../export/export-table.js";
import { instantUs } from "../export/instant-us.js";
import { int64Of, jsonText } from "../export/json-text.js";
import { replaceFile } from "../export/replace-file.js";
import { foldCase, quotedName } from "../sql/sql-identifier.js";
import { sqlNames } from "../sql/sql-names.js";
import type { ColumnKind } from "../types/column-kind.js";
import { extentOf, geometryProfile, geopackageGeometry, SRS_ID } from "./geopackage-geometry.js";
import { createTable, GEOPACKAGE_TABLES } from "./geopackage-schema.js";

/** Options of `toGeoPackage()`. */
export interface GeoPackageOptions extends ExportOptions {
  /** Of the file to write; one that exists is replaced. Its name without `.gpkg` is the table's. */
  readonly path: string;
}

/** What `toGeoPackage()` takes. */
export const geoPackageRules: OptionRules<GeoPackageOptions> = { path: anything, ...exportRules };

type SqliteValue = number | bigint | boolean | string | Uint8Array | null;

interface StoredColumn {
  readonly name: string;
  readonly type: string;
  readonly at: (row: number) => SqliteValue;
}

/**
 * Writes a frame as a GeoPackage 1.3 of one table: features in WGS 84, or attributes if it has no geometries.
 *
 * @throws ArgumentError if it cannot be written there, for a geometry that is none, and if node-sqlite3-wasm is not
 * installed; a file that stood there stays
 */
export async function toGeoPackage(frame: ExportTable, { path }: GeoPackageOptions): Promise<void> {
  const { default: sqlite } = await loadPackage("toGeoPackage()", "node-sqlite3-wasm", "0.8", () => {
    return import("node-sqlite3-wasm");
  });
  const table = tableName(path);
  await replaceFile(path, async (unfinished) => {
    if (frame.columns.length === 0) throw noColumns("toGeoPackage()");
    try {
      const database = new sqlite.Database(unfinished);
      try {
        fill(database, table, frame);
      } finally {
        database.close();
      }
    } catch (cause) {
      if (cause instanceof ArgumentError) throw cause;
      throw new ArgumentError(`The table cannot be written to ${path}: ${reasonOf(cause)}`, { cause, facts: { path } });
    }
  });
}

function fill(database: Database, table: string, frame: ExportTable): void {
  // The file is written beside its place, and thrown away if anything fails.
  database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
  database.exec(`BEGIN;${GEOPACKAGE_TABLES}`);
  const { names } = sqlNames(frame.columns);
  const geometries = frame.columns.findIndex(({ kind }) => kind === "geometry");
  const columns = frame.columns.map((column, index) => storedColumn(column, names[index] ?? "", index === geometries));
  database.exec(createTable(table, freeKey(names), columns));
  describe(database, table, frame.columns[geometries], columns[geometries]?.name);
  const marks = columns.map(() => "?").join();
  const listed = columns.map(({ name }) => quotedName(name)).join();
  const insert = database.prepare(`INSERT INTO ${quotedName(table)} (${listed}) VALUES (${marks})`);
  try {
    for (let row = 0; row < frame.rowCount; row += 1) insert.run(columns.map(({ at }) => at(row)));
  } finally {
    insert.finalize();
  }
  database.exec("COMMIT");
}

/** Says what the table holds. */
function describe(database: Database, table: string, column: ExportColumn | undefined, name: string | undefined): void {
  const add = "INSERT INTO gpkg_contents (table_name, data_type, identifier, min_x, min_y, max_x, max_y, srs_id)";
  if (!column || name === undefined) {
    database.run(`${add} VALUES (?, 'attributes', ?, NULL, NULL, NULL, NULL, NULL)`, [table, table]);
    return;
  }
  const shapes = [...column.values].filter((shape) => shape !== null && shape !== undefined) as Geometry[];
  const box = extentOf(shapes) ?? [null, null, null, null];
  database.run(`${add} VALUES (?, 'features', ?, ?, ?, ?, ?, ${SRS_ID})`, [table, table, ...box]);
  const { typeName, z } = geometryProfile(shapes);
  database.run(`INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ${SRS_ID}, ?, 0)`, [table, name, typeName, z]);
}

/** Lists and other JSON are JSON texts: the standard has no arrays. */
const types: Readonly<Record<ColumnKind, string>> = {
  integer: "INTEGER",
  number: "DOUBLE",
  boolean: "BOOLEAN",
  text: "TEXT",
  date: "DATE",
  instant: "DATETIME",
  integers: "TEXT",
  texts: "TEXT",
  geometry: "TEXT",
  json: "TEXT",
};

function storedColumn(column: ExportColumn, name: string, isShape: boolean): StoredColumn {
  const { kind, values } = column;
  const present = (convert: (value: unknown, row: number) => SqliteValue) => (row: number) => {
    const value = values.at(row);
    return value === null || value === undefined ? null : convert(value, row);
  };
  if (isShape) return { name, type: "GEOMETRY", at: present((value, row) => shapeOf(value as Geometry, column, row)) };
  const type = types[kind];
  if (kind === "instant") {
    const usOf = instantUs(values);
    // The standard's times have milliseconds.
    return {
      name,
      type,
      at: present((value, row) => {
        if (!Number.isNaN(usOf(row))) return dateOf(usOf(row)).toISOString();
        return value instanceof Date ? null : String(value);
      }),
    };
  }
  if (kind === "integer") return { name, type, at: present(int64Of) };
  if (kind === "number") return { name, type, at: present(Number) };
  if (kind === "boolean") return { name, type, at: present(Boolean) };
  if (kind === "text" || kind === "date") return { name, type, at: present(wellFormed) };
  return { name, type, at: present(jsonText) };
}

/** Half of a pair is no UTF-8, and one of it makes the whole table unreadable. */
function wellFormed(value: unknown): string {
  return Buffer.from(String(value)).toString();
}

function shapeOf(geometry: Geometry, { name }: ExportColumn, row: number): Uint8Array {
  try {
    return geopackageGeometry(geometry);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new ArgumentError(`toGeoPackage(): row ${row + 1} has no geometry that can be stored: ${cause.message}.`, {
      hint: "Filter the row out, or write GeoJSON, which keeps what came.",
      cause,
      facts: { column: name, row: row + 1 },
    });
  }
}

/** Names that the standard and SQLite keep for themselves get something before them. */
function tableName(path: string): string {
  const name = basename(path, extname(path));
  return /^(gpkg|rtree|sqlite)_/i.test(name) || name === "" ? `table_${name}` : name;
}

/** The key of the table, which software shows as the feature's number. */
function freeKey(names: readonly string[]): string {
  const used = new Set(names.map(foldCase));
  let key = "fid";
  while (used.has(key)) key = `${key}_`;
  return key;
}
