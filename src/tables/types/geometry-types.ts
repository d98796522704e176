/** The types of GeoJSON's geometries that are no collection. */
export type GeometryType = "Point" | "MultiPoint" | "LineString" | "MultiLineString" | "Polygon" | "MultiPolygon";

/** How many arrays lie around the positions of each type. The readers in WebAssembly have the types in this order, too. */
export const geometryDepths: Readonly<Record<GeometryType, number>> = {
  Polygon: 2,
  Point: 0,
  LineString: 1,
  MultiPolygon: 3,
  MultiPoint: 1,
  MultiLineString: 2,
};

/** Whether a value is the type of a geometry that is no collection. */
export function isGeometryType(type: unknown): type is GeometryType {
  return typeof type === "string" && Object.hasOwn(geometryDepths, type);
}
