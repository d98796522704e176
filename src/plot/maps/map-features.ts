import type { ColumnTable } from "arquero";
import type { Geometry, Position } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { valueKind } from "../../core/show-record-value.js";
import { Layer } from "../../layer/layer.js";
import { isGeometry } from "../../tables/display/pictures/picture.js";
import { soundGeometry, windRings } from "../../tables/export/sound-geometry.js";
import { tableRows } from "../values/table-rows.js";

/** A feature as a map draws it. */
export interface MapFeature {
  readonly id: unknown;
  readonly name: string;
  /** Row in the layer or table. */
  readonly row: number;
  /** Rings clockwise. */
  readonly geometry: Geometry;
  readonly value: unknown;
}

/** Hint about the data of a map. */
export const featureHint = "Pass a layer, or a table with a column `geometry` of GeoJSON geometries.";

/**
 * The rows of a layer or table with a valid geometry.
 *
 * @throws ArgumentError for values that are not GeoJSON
 */
export function mapFeatures(data: Layer | ColumnTable, column: string | undefined): readonly MapFeature[] {
  const rows = tableRows(data, featureHint);
  const geometryAt = rows.column("geometry");
  const valueAt = column === undefined ? () => undefined : rows.column(column);
  const idAt = rows.has("id") ? rows.column("id") : (row: number) => row;
  const nameAt = rows.has("visible_id") ? rows.column("visible_id") : idAt;
  return Array.from({ length: rows.count }, (_, row) => row).flatMap((row) => {
    const geometry = drawable(geometryAt(row));
    if (!geometry) return [];
    return [{ id: idAt(row), name: String(nameAt(row) ?? idAt(row)), row, geometry, value: valueAt(row) }];
  });
}

/** `Class (kWh/a)`: a column with the unit in its definition. */
export function columnLabel(data: unknown, column: string): string {
  const schema = data instanceof Layer ? data.schema.find((entry) => entry.column === column) : undefined;
  const unit: unknown = schema?.definitions.map(({ config }) => Reflect.get(Object(config), "unit")).find(Boolean);
  return typeof unit === "string" ? `${column} (${unit})` : column;
}

/** The kind of shape for a geometry. */
export function kindOf({ type }: Geometry): "area" | "line" | "point" {
  if (type === "Polygon" || type === "MultiPolygon") return "area";
  return type === "LineString" || type === "MultiLineString" ? "line" : "point";
}

/** A geometry for maps, from GeoJSON or its string; undefined if it is missing or malformed. */
export function drawable(value: unknown): Geometry | undefined {
  const geometry = typeof value === "string" ? parsed(value) : value;
  if (geometry === null || geometry === undefined) return undefined;
  // d3 and Plot expect clockwise outer rings: GeoJSON's winding would fill the rest of the globe.
  if (isGeometry(geometry)) {
    // Malformed geometries have no location; the layer's diagnostics report them.
    const sound = soundGeometry(geometry);
    return sound && windRings(withoutEmpty(sound), "clockwise");
  }
  throw new ArgumentError(`Invalid GeoJSON geometry: ${valueKind(value)}.`, { hint: featureHint });
}

/** Removes empty parts: d3 fails on empty rings and points. */
function withoutEmpty(geometry: Geometry): Geometry {
  const full = (items: readonly Position[]) => items.length > 0;
  switch (geometry.type) {
    case "Point":
      return geometry.coordinates.length > 0 ? geometry : { type: "MultiPoint", coordinates: [] };
    case "MultiPoint":
      return { ...geometry, coordinates: geometry.coordinates.filter((position) => position.length > 0) };
    case "LineString":
      return geometry;
    case "MultiLineString":
      return { ...geometry, coordinates: geometry.coordinates.filter(full) };
    case "Polygon":
      return { ...geometry, coordinates: geometry.coordinates.filter(full) };
    case "MultiPolygon": {
      const polygons = geometry.coordinates.map((rings) => rings.filter(full));
      return { ...geometry, coordinates: polygons.filter((rings) => rings.length > 0) };
    }
    case "GeometryCollection":
      return { ...geometry, geometries: geometry.geometries.map(withoutEmpty) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ArgumentError(`Invalid GeoJSON geometry: ${valueKind(text)}.`, { hint: featureHint });
  }
}
