import { appendFile, writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { Geometry } from "geojson";
import type { Database } from "node-sqlite3-wasm";
import { columnKinds } from "../../api/property-types.js";
import { FileError, SiteframeError } from "../../core/errors.js";
import { freeName } from "../../core/free-name.js";
import { dateOf } from "../../core/instant.js";
import { loadPackage } from "../../core/load-package.js";
import { anything, type OptionRules, text } from "../../core/options.js";
import { reasonOf } from "../../core/show-value.js";
import { foldCase, quotedName, sqlNames, writableName } from "../sql/sql-names.js";
import {
  type ExportColumn,
  type ExportOptions,
  type ExportTable,
  exportRules,
  frameName,
  noColumns,
} from "./export-table.js";
import { instantUs, int64Of, jsonText, presentValues } from "./export-values.js";
import { replaceFile } from "./replace-file.js";
import { storableGeometry } from "./sound-geometry.js";
import { extentOf, summarizeGeometries, toWkb } from "./wkb.js";

/** "GPKG", which identifies the file format. */
const APPLICATION_ID = 0x47504b47;
/** Version 1.3 of the standard. */
const USER_VERSION = 10_300;

const WGS84 = `GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]`;

/**
 * The required tables of a GeoPackage. Specification: GeoPackage Encoding Standard 1.3, clauses 1.1.2, 1.1.3 and 2.1.5.
 */
const GEOPACKAGE_TABLES = `
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${USER_VERSION};
CREATE TABLE gpkg_spatial_ref_sys (
  srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT
);
INSERT INTO gpkg_spatial_ref_sys VALUES
  ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', 'undefined Cartesian coordinate reference system'),
  ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'undefined geographic coordinate reference system'),
  ('WGS 84 geodetic', 4326, 'EPSG', 4326, '${WGS84}', 'longitude and latitude in degrees');
CREATE TABLE gpkg_contents (
  table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE, description TEXT DEFAULT '',
  last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
  min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
  CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id)
);
CREATE TABLE gpkg_geometry_columns (
  table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL,
  z TINYINT NOT NULL, m TINYINT NOT NULL,
  CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
  CONSTRAINT uk_gc_table_name UNIQUE (table_name),
  CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
  CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id)
);`;

/** WGS 84, as in GeoJSON; the axes in a GeoPackage are longitude and latitude. */
const SRS_ID = 4326;

/** Options of `toGeoPackage()`. */
export interface GeoPackageOptions extends ExportOptions {
  /** Path of the file to write; an existing file is replaced. */
  readonly path: string;
  /**
   * Name of the table. Default: the file name without `.gpkg`. Its identifier is the semantic type of the features, if
   * they have one.
   */
  readonly name?: string | undefined;
}

/** Rules for the options of `toGeoPackage()`. */
export const geoPackageRules: OptionRules<GeoPackageOptions> = { path: anything, name: text, ...exportRules };

type SqliteValue = number | bigint | boolean | string | Uint8Array | null;

/** A column of the file's table. */
interface StoredColumn {
  readonly name: string;
  /** Type in the standard, or a geometry type. */
  readonly type: string;
  readonly at: (row: number) => SqliteValue;
}

/**
 * Writes a frame as a GeoPackage 1.3 with one table: features in WGS 84, or attributes if it has no geometries.
 *
 * @throws FileError if the path cannot be written, ArgumentError for an invalid geometry, DependencyError if
 * node-sqlite3-wasm is missing; an existing file then stays
 */
export async function toGeoPackage(frame: ExportTable, { path, name }: GeoPackageOptions): Promise<void> {
  const { default: sqlite } = await loadPackage("toGeoPackage()", "node-sqlite3-wasm", "0.8", () => {
    return import("node-sqlite3-wasm");
  });
  const table = tableName(name ?? basename(path, extname(path)));
  await replaceFile(path, async (unfinished) => {
    if (frame.columns.length === 0) throw noColumns("toGeoPackage()");
    try {
      // With the default file mode, and not the mode that SQLite would set.
      await writeFile(unfinished, "");
      const database = new sqlite.Database(unfinished);
      try {
        fill(database, table, frameName(frame) ?? table, frame);
      } finally {
        database.close();
      }
    } catch (cause) {
      if (cause instanceof SiteframeError) throw cause;
      await tryWriting(unfinished);
      throw new FileError(`${path} cannot be written: ${reasonOf(cause)}.`, {
        cause,
        hint: "Use a path that can be written and has enough disk space. An existing file is unchanged.",
        facts: { path },
      });
    }
  });
}

const PROBE_BYTES = 1 << 20;

/** SQLite reports a full disk as "disk I/O error". Another write to the file fails with the reason of the system. */
async function tryWriting(path: string): Promise<void> {
  await appendFile(path, Buffer.alloc(PROBE_BYTES));
}

/** The statement that creates a table. Its key, which software shows as the feature's number, is a separate column. */
function createTable(table: string, key: string, columns: readonly StoredColumn[]): string {
  const definitions = columns.map(({ name, type }) => `${quotedName(name)} ${type}`);
  const primaryKey = `${quotedName(key)} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`;
  return `CREATE TABLE ${quotedName(table)} (${[primaryKey, ...definitions].join()})`;
}

/**
 * A geometry in the format of GeoPackage: a header with its bounding box, then well-known binary. Specification:
 * GeoPackage Encoding Standard 1.3, clause 2.1.3.
 */
function geopackageGeometry(geometry: Geometry): Uint8Array {
  const extent = extentOf([geometry]);
  const header = Buffer.alloc(extent ? 40 : 8);
  header.write("GP", "ascii");
  // Little-endian, with a two-dimensional box, or marked as empty.
  header.writeUInt8(extent ? 0b0000_0011 : 0b0001_0001, 3);
  header.writeInt32LE(SRS_ID, 4);
  if (extent) {
    const [west, south, east, north] = extent;
    for (const [index, number] of [west, east, south, north].entries()) header.writeDoubleLE(number, 8 + 8 * index);
  }
  return Buffer.concat([header, toWkb(geometry)]);
}

/** Description of a geometry column: `GEOMETRY` for mixed types; z is 0 without heights, 1 with, 2 if some have one. */
function geometryProfile(types: readonly string[]): { readonly typeName: string; readonly z: 0 | 1 | 2 } {
  const names = new Set(types.map((type) => type.replace(" Z", "").toUpperCase()));
  const [only = "GEOMETRY"] = names;
  const withHeight = types.filter((type) => type.endsWith(" Z")).length;
  const z = withHeight === 0 ? 0 : withHeight === types.length ? 1 : 2;
  return { typeName: names.size > 1 ? "GEOMETRY" : only, z };
}

function fill(database: Database, table: string, title: string, frame: ExportTable): void {
  // The database is a temporary file, which is deleted on failure, so it needs no journal.
  database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
  database.exec(`BEGIN;${GEOPACKAGE_TABLES}`);
  const { names } = sqlNames(frame.columns);
  const geometryIndex = frame.columns.findIndex(({ kind }) => kind === "geometry");
  const geometries = frame.columns[geometryIndex];
  const geometryAt = geometries ? storableGeometry("toGeoPackage()", frame, geometries) : () => null;
  const { types, extent } = summarizeGeometries(frame.rowCount, geometryAt);
  const { typeName, z } = geometryProfile(types);
  const columns = frame.columns.map((column, index) =>
    index === geometryIndex
      ? geometryColumn(names[index] as string, typeName, geometryAt)
      : storedColumn(column, names[index] as string),
  );
  database.exec(createTable(table, freeName("fid", new Set(names.map(foldCase))), columns));
  const add = "INSERT INTO gpkg_contents (table_name, data_type, identifier, min_x, min_y, max_x, max_y, srs_id)";
  if (geometries) {
    const box = extent ?? [null, null, null, null];
    database.run(`${add} VALUES (?, 'features', ?, ?, ?, ?, ?, ${SRS_ID})`, [table, title, ...box]);
    const described = [table, names[geometryIndex] as string, typeName, z];
    database.run(`INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ${SRS_ID}, ?, 0)`, described);
  } else {
    database.run(`${add} VALUES (?, 'attributes', ?, NULL, NULL, NULL, NULL, NULL)`, [table, title]);
  }
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

function geometryColumn(name: string, type: string, geometryAt: (row: number) => Geometry | null): StoredColumn {
  const at = (row: number) => {
    const geometry = geometryAt(row);
    return geometry && geopackageGeometry(geometry);
  };
  return { name, type, at };
}

function storedColumn(column: ExportColumn, name: string): StoredColumn {
  const { kind, values } = column;
  const present = (convert: (value: unknown, row: number) => SqliteValue) => presentValues(values, convert);
  const usOf = instantUs(values);
  const instantText = (value: unknown, row: number) => {
    // Times in the standard have milliseconds.
    if (!Number.isNaN(usOf(row))) return dateOf(usOf(row)).toISOString();
    return value instanceof Date ? null : String(value);
  };
  // A lone surrogate is invalid in UTF-8 and would make the whole table unreadable; SQLite's strings end at a NUL.
  const wellFormed = (value: unknown) => writableName(String(value));
  const type = columnKinds[kind].geoPackage;
  switch (type) {
    case "INTEGER":
      return { name, type, at: present(int64Of) };
    case "DOUBLE":
      return { name, type, at: present(Number) };
    case "BOOLEAN":
      return { name, type, at: present(Boolean) };
    case "TEXT":
      // The standard has no arrays.
      return { name, type, at: present(kind === "text" ? wellFormed : jsonText) };
    case "DATE":
      return { name, type, at: present(wellFormed) };
    case "DATETIME":
      return { name, type, at: present(instantText) };
  }
}

/** Names that the standard and SQLite reserve get a prefix. */
function tableName(name: string): string {
  return /^(gpkg|rtree|sqlite)_/i.test(name) || name === "" ? `table_${name}` : writableName(name);
}
