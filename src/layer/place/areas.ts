import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon";
import Flatbush from "flatbush";
import type { Geometry, MultiPolygon, Position } from "geojson";
import type { Column } from "../../tables/column/column.js";
import { soundGeometry } from "../../tables/export/sound-geometry.js";
import { type Extent, extentOf } from "../../tables/export/wkb.js";
import type { Point } from "./geometry-measures.js";

interface Area {
  readonly row: number;
  readonly polygons: MultiPolygon;
  readonly extent: Extent;
}

/** Polygons in an R-tree of degrees, to find the polygons that contain a point without a full scan. */
export class Areas {
  readonly #areas: readonly Area[];
  /** Null without polygons. */
  readonly #tree: Flatbush | null;

  /** @param geometries by row; geometries other than polygons are ignored */
  constructor(geometries: Column) {
    this.#areas = polygonAreas(geometries);
    this.#tree = this.#areas.length > 0 ? new Flatbush(this.#areas.length) : null;
    for (const { extent } of this.#areas) this.#tree?.add(...extent);
    this.#tree?.finish();
  }

  /** How many rows have a polygon. */
  get count(): number {
    return this.#areas.length;
  }

  /** The rows of the polygons that contain or touch a point, in order. */
  rowsAt(point: Point): readonly number[] {
    const tree = this.#tree;
    if (!tree) return [];
    const hits = new Set<number>();
    for (const [x, y] of bothSides(point)) {
      for (const index of tree.search(x, y, x, y)) {
        const { row, polygons } = this.#areas[index] as Area;
        if (booleanPointInPolygon([x, y], polygons)) hits.add(row);
      }
    }
    return [...hits].sort((a, b) => a - b);
  }
}

function polygonAreas(geometries: Column): readonly Area[] {
  return Array.from(geometries, (value, row) => {
    const geometry = soundGeometry(value);
    const polygons: MultiPolygon = { type: "MultiPolygon", coordinates: geometry ? polygonsOf(geometry) : [] };
    const extent = extentOf([polygons]);
    return extent ? [{ row, polygons, extent }] : [];
  }).flat();
}

/** Points at 180° are also at -180°. */
function bothSides([x, y]: Point): readonly Point[] {
  return Math.abs(x) === 180
    ? [
        [180, y],
        [-180, y],
      ]
    : [[x, y]];
}

/** The polygons of a geometry, including those in collections, without empty rings, and with all rings closed. */
function polygonsOf(geometry: Geometry): Position[][][] {
  if (geometry.type === "GeometryCollection") return geometry.geometries.flatMap(polygonsOf);
  const polygons =
    geometry.type === "Polygon" ? [geometry.coordinates] : geometry.type === "MultiPolygon" ? geometry.coordinates : [];
  return polygons
    .map((rings) => rings.filter((ring) => ring.length > 0).map(closedRing))
    .filter((rings) => rings.length > 0);
}

/** A ring whose last position is its first. */
export function closedRing(ring: Position[]): Position[] {
  const [first, last] = [ring.at(0), ring.at(-1)];
  if (!first || !last || (first[0] === last[0] && first[1] === last[1])) return ring;
  return [...ring, first];
}
