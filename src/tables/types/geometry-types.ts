/** The types of GeoJSON geometries, except collections. */
export type GeometryType = "Point" | "MultiPoint" | "LineString" | "MultiLineString" | "Polygon" | "MultiPolygon";

/** Nesting depth of the positions of each type. The readers in WebAssembly use the types in this order, too. */
export const geometryDepths: Readonly<Record<GeometryType, number>> = {
  Polygon: 2,
  Point: 0,
  LineString: 1,
  MultiPolygon: 3,
  MultiPoint: 1,
  MultiLineString: 2,
};

/** Whether a value is a geometry type other than a collection. */
export function isGeometryType(type: unknown): type is GeometryType {
  return typeof type === "string" && Object.hasOwn(geometryDepths, type);
}
