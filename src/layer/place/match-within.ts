import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon";
import type { Geometry, MultiPolygon, Polygon } from "geojson";
import type { Column } from "../../columns/column/column.js";
import { firstIndex } from "../../core/first-index.js";
import { type Bounds, boundsOf } from "./geometry-place.js";
import type { Match } from "./match.js";

interface Area extends Bounds {
  readonly row: number;
  readonly shape: Polygon | MultiPolygon;
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
    const found = candidates(areas, point, tallest).filter(({ shape }) => booleanPointInPolygon([...point], shape));
    return found.map(({ row }) => ({ left, right: row, meters: 0 })).sort((a, b) => a.right - b.right);
  });
}

function polygonAreas(geometries: Column): Area[] {
  return Array.from(geometries, (value, row) => {
    const geometry = value as Geometry | null;
    const bounds = geometry && boundsOf(geometry);
    if (!bounds || (geometry.type !== "Polygon" && geometry.type !== "MultiPolygon")) return [];
    return [{ ...bounds, row, shape: geometry }];
  }).flat();
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
