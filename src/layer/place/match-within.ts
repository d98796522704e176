import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon";
import type { Geometry, MultiPolygon, Position } from "geojson";
import { firstIndex } from "../../core/first-index.js";
import type { Column } from "../../tables/column/column.js";
import { soundGeometry } from "../../tables/export/sound-geometry.js";
import { type Bounds, boundsOf, type Point } from "./geometry-place.js";
import type { Match } from "./match.js";

interface Area extends Bounds {
  readonly row: number;
  readonly shape: MultiPolygon;
}

/** Pairs of rows: a point, and each polygon that it lies in or on, in order of rows. */
export function matchWithin(
  points: readonly (readonly [number, number] | null)[],
  geometries: Column,
): readonly Match[] {
  const areas = polygonAreas(geometries).sort((a, b) => a.south - b.south);
  const tallest = areas.reduce((height, { south, north }) => Math.max(height, north - south), 0);
  return points.flatMap((point, left) => {
    if (!point) return [];
    const found = new Set<Area>();
    for (const place of bothSides(point)) {
      for (const area of candidates(areas, place, tallest)) {
        if (booleanPointInPolygon([...place], area.shape)) found.add(area);
      }
    }
    return [...found].map(({ row }) => ({ left, right: row, meters: 0 })).sort((a, b) => a.right - b.right);
  });
}

function polygonAreas(geometries: Column): Area[] {
  return Array.from(geometries, (value, row) => {
    const geometry = soundGeometry(value);
    const coordinates = geometry ? polygonsOf(geometry) : [];
    const shape: MultiPolygon = { type: "MultiPolygon", coordinates: [...coordinates] };
    const bounds = boundsOf(shape);
    return bounds ? [{ ...bounds, row, shape }] : [];
  }).flat();
}

/** What lies on 180° lies on -180°, too. */
function bothSides([x, y]: Point): readonly Point[] {
  return Math.abs(x) === 180
    ? [
        [180, y],
        [-180, y],
      ]
    : [[x, y]];
}

/** The polygons of a geometry, also those in collections, without rings that are empty. */
function polygonsOf(geometry: Geometry): readonly Position[][][] {
  if (geometry.type === "GeometryCollection") return geometry.geometries.flatMap(polygonsOf);
  const polygons =
    geometry.type === "Polygon" ? [geometry.coordinates] : geometry.type === "MultiPolygon" ? geometry.coordinates : [];
  return polygons.map((rings) => rings.filter((ring) => ring.length > 0)).filter((rings) => rings.length > 0);
}

/** An area around a point begins at most the tallest area's height south of it. */
function candidates(areas: readonly Area[], [x, y]: readonly [number, number], tallest: number): readonly Area[] {
  const found: Area[] = [];
  const first = firstIndex(areas.length, (index) => (areas[index]?.south ?? 0) < y - tallest);
  for (let index = first; index < areas.length; index += 1) {
    const area = areas[index];
    if (!area || area.south > y) break;
    if (area.north >= y && area.west <= x && area.east >= x) found.push(area);
  }
  return found;
}
