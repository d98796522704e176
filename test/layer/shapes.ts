import type { Geometry, Polygon, Position } from "geojson";
import type { Layer } from "../../src/layer/layer.js";
import { fromRecords } from "../../src/source/from-records.js";
import { dataset, feature } from "../support/records.js";

export function point(...coordinates: Position): Geometry {
  return { type: "Point", coordinates };
}

export function line(...coordinates: Position[]): Geometry {
  return { type: "LineString", coordinates };
}

/** The ring of a rectangle, counter-clockwise. */
export function ring(x: number, y: number, width: number, height = width): Position[] {
  return [0, 1, 3, 2, 0].map((corner) => [x + width * (corner & 1), y + height * (corner >> 1)]);
}

export function polygon(...coordinates: Position[][]): Polygon {
  return { type: "Polygon", coordinates };
}

export function square(x: number, y: number, size: number): Polygon {
  return polygon(ring(x, y, size));
}

/** The MultiPoint, MultiLineString or MultiPolygon of geometries of one type. */
export function multi(...parts: readonly Geometry[]): Geometry {
  const coordinates = parts.map((part) => Reflect.get(part, "coordinates") as unknown);
  return { type: `Multi${parts[0]?.type}`, coordinates } as Geometry;
}

export function collection(...geometries: Geometry[]): Geometry {
  return { type: "GeometryCollection", geometries };
}

/** A layer of features with these geometries and the ids 1, 2, … */
export function layerOf(...geometries: readonly unknown[]): Promise<Layer> {
  const layerFeatures = geometries.map((geometry, n) => feature(n + 1, { geometry: geometry as Geometry }));
  return fromRecords({ layerFeatures, datasets: [dataset(1)] }).layer({ site_id: 12 });
}
