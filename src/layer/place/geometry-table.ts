import type { ColumnTable } from "arquero";
import type { Feature, FeatureCollection, GeoJsonProperties, Geometry } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { valueKind } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import type { Column } from "../../tables/column/column.js";
import { isTable } from "../../tables/column/is-table.js";
import { toTable } from "../../tables/column/table.js";
import { isGeometry } from "../../tables/display/pictures/picture.js";
import { soundGeometry } from "../../tables/export/sound-geometry.js";
import { extentOf } from "../../tables/export/wkb.js";
import { areaOf, centroidOf, lengthOf } from "./geometry-measures.js";

/**
 * Returns the location and size of features, one row per feature: `id`, `visible_id`, `longitude` and `latitude` of the
 * center, `west`, `south`, `east`, `north` in degrees, `area_m2`, `length_m`. Values are null if the geometry is missing or
 * malformed.
 */
export function centroids(ids: Column, visibleIds: Column, geometries: Column): ColumnTable {
  const rows = Array.from(geometries, pointOf);
  const column = (name: keyof NonNullable<ReturnType<typeof pointOf>>) =>
    [name, rows.map((row) => row?.[name] ?? null)] as const;
  return toTable([
    ["id", ids],
    ["visible_id", visibleIds],
    column("longitude"),
    column("latitude"),
    column("west"),
    column("south"),
    column("east"),
    column("north"),
    column("area_m2"),
    column("length_m"),
  ]);
}

function pointOf(value: unknown) {
  const geometry = soundGeometry(value);
  if (!geometry) return null;
  const [longitude, latitude] = centroidOf(geometry) ?? [];
  const [west, south, east, north] = extentOf([geometry]) ?? [];
  return { longitude, latitude, west, south, east, north, area_m2: areaOf(geometry), length_m: lengthOf(geometry) };
}

/** A table and its column of geometries. */
export interface GeometryTable {
  readonly table: ColumnTable;
  readonly geometries: Column;
}

/**
 * Data for a spatial join: a table with one column of geometries (`source.blocks()`, `history.asOf(date)`), or GeoJSON
 * features.
 */
export type GeometrySource = ColumnTable | FeatureCollection<Geometry | null> | Feature<Geometry | null>;

const HINT =
  "Pass a layer, a table with a column of GeoJSON geometries such as source.blocks(), or a GeoJSON FeatureCollection.";

/**
 * Returns the table and geometries of a value.
 *
 * @param call name of the call, for messages: `spatialJoin()`
 * @throws ArgumentError for missing geometries or several columns of them
 */
export function geometryTable(
  given: GeometrySource | { readonly table: ColumnTable },
  call = "spatialJoin()",
): GeometryTable {
  const layerTable: unknown = Reflect.get(Object(given), "table");
  if (!isTable(given) && isTable(layerTable)) {
    return { table: layerTable, geometries: layerTable.column("geometry") ?? [] };
  }
  const visible = tableOf(given, call);
  // The columns of a filtered or sorted table include hidden rows.
  const table = visible.isFiltered() || visible.isOrdered() ? visible.reify() : visible;
  // An empty table, as of an operation without blocks, has no values to detect the column by, and no matches.
  if (table.numRows() === 0) return { table, geometries: [] };
  const name = geometryName(table);
  const geometries = Array.from(table.column(name) ?? [], (given: unknown, row) => {
    const value = readGeometry(given);
    if (value === null || isGeometry(value)) return value;
    throw new ArgumentError(
      `Row ${row} of the column ${showValue(name)} contains ${valueKind(value)}, not a GeoJSON geometry.`,
      {
        hint: HINT,
        facts: { column: name, row },
      },
    );
  });
  return { table, geometries };
}

/** Parses JSON strings, which CSV files, frames and SQL contain. */
function readGeometry(value: unknown): unknown {
  if (typeof value !== "string" || !value.startsWith("{")) return value ?? null;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function tableOf(given: unknown, call: string): ColumnTable {
  if (isTable(given)) return given;
  if (typeof given === "object" && given !== null) {
    const { type, features } = given as Readonly<Record<string, unknown>>;
    if (type === "Feature") return featureTable([given as Feature<Geometry | null>]);
    if (type === "FeatureCollection" && Array.isArray(features)) {
      const odd = features.findIndex((feature) => Reflect.get(Object(feature), "type") !== "Feature");
      if (odd < 0) return featureTable(features as readonly Feature<Geometry | null>[]);
      throw new ArgumentError(`features[${odd}] is not a GeoJSON Feature.`, { hint: HINT });
    }
  }
  throw new ArgumentError(`${call} needs geometries, got ${showValue(given)}.`, { hint: HINT });
}

/** `id`, the properties, then `geometry`; a property of one of these names is `properties.<name>`, as in a layer. */
function featureTable(features: readonly Feature<Geometry | null>[]): ColumnTable {
  const hasIds = features.some(({ id }) => id !== undefined);
  const taken = new Set(["geometry", ...(hasIds ? ["id"] : [])]);
  const names = new Set(features.flatMap(({ properties }) => Object.keys(properties ?? {})));
  const propertyOf = (properties: GeoJsonProperties, name: string): unknown =>
    properties && Object.hasOwn(properties, name) ? properties[name] : null;
  return toTable([
    ...(hasIds ? [["id", features.map(({ id }) => id ?? null)] as const] : []),
    ...[...names].map((name) => {
      const column = taken.has(name) || name === "__proto__" ? `properties.${name}` : name;
      return [column, features.map(({ properties }) => propertyOf(properties, name))] as const;
    }),
    ["geometry", features.map(({ geometry }) => geometry ?? null)],
  ]);
}

/** `geometry`, or the one column whose first value is a geometry. */
function geometryName(table: ColumnTable): string {
  const names = table.columnNames();
  if (names.includes("geometry")) return "geometry";
  const columns = names.filter((name) => isGeometry(readGeometry(firstValue(table.column(name) ?? []))));
  const [only] = columns;
  if (only !== undefined && columns.length === 1) return only;
  if (columns.length === 0) {
    throw new ArgumentError(`The table has no column of geometries. Columns: ${names.join(", ")}.`, { hint: HINT });
  }
  throw new ArgumentError(`The table has several columns of geometries: ${columns.join(", ")}.`, {
    hint: 'Rename the column to use to "geometry".',
    facts: { columns },
  });
}

function firstValue(column: Column): unknown {
  for (const value of column) if (value !== null && value !== undefined) return value;
  return null;
}
