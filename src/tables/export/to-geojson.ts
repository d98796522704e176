import type { Feature, FeatureCollection, Geometry } from "geojson";
import type { ExportColumn, ExportTable } from "./export-table.js";
import { plainValues } from "./plain-value.js";
import { windRings } from "./wind-rings.js";

/**
 * A frame as GeoJSON (RFC 7946): column `id` becomes the features' ids, the first column of geometries their geometry,
 * the others their properties.
 */
export function toGeoJson(frame: ExportTable): FeatureCollection<Geometry | null> {
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
