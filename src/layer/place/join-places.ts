import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon";
import { distance } from "@turf/distance";
import type { ColumnTable } from "arquero";
import type { Geometry, MultiPolygon, Position } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { firstIndex } from "../../core/first-index.js";
import { freeName } from "../../core/free-name.js";
import { anything, checkOptions } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { soundGeometry } from "../../tables/export/sound-geometry.js";
import { extentOf } from "../../tables/export/to-wkb.js";
import { centreOf, type Point } from "./geometry-place.js";
import type { PlacedTable } from "./places.js";

/**
 * Rows of a table beside those of another at the same place. A row without a match is there once, with nulls.
 *
 * @returns the columns of `left`, those of `right` as `other.<name>`, and `distance_m`; an underscore is put behind a
 * name of these that `left` has already
 */
export function joinPlaces(left: PlacedTable, right: PlacedTable, options: JoinOptions): ColumnTable {
  const { maxMeters } = resolveJoin(options);
  const points = Array.from(left.geometries, centreOf);
  const matches =
    maxMeters === undefined
      ? matchWithin(points, right.geometries)
      : matchNearest(points, Array.from(right.geometries, centreOf), maxMeters);
  const rows = withUnmatched(matches, left.table.numRows());
  const side = ({ table }: PlacedTable, name: string, rowOf: (match: Partial<Match>) => number | undefined) => {
    const values = columnOf(table, name);
    return rows.map((match) => {
      const row = rowOf(match);
      return row === undefined ? null : (values.at(row) ?? null);
    });
  };
  const used = new Set(left.table.columnNames());
  const free = (name: string) => freeName(name, used);
  return toTable([
    ...left.table.columnNames().map((name) => [name, side(left, name, (match) => match.left)] as const),
    ...right.table
      .columnNames()
      .map((name) => [free(`other.${name}`), side(right, name, (match) => match.right)] as const),
    [free("distance_m"), rows.map(({ meters }) => meters ?? null)],
  ]);
}

/** The matches in order of the left rows, and the left rows that have none. */
function withUnmatched(matches: readonly Match[], rowCount: number): readonly Partial<Match>[] {
  const byRow = Array.from({ length: rowCount }, (): Match[] => []);
  for (const match of matches) byRow[match.left]?.push(match);
  return byRow.flatMap((found, left): readonly Partial<Match>[] => (found.length > 0 ? found : [{ left }]));
}

function columnOf(table: ColumnTable, name: string): Column {
  return table.column(name) ?? [];
}

/** For each point the nearest other one within `maxMeters`; of equally near ones the first. */
export function matchNearest(
  points: readonly (Point | null)[],
  others: readonly (Point | null)[],
  maxMeters: number,
): readonly Match[] {
  const placed = new NearPoints(others);
  return points.flatMap((point, left) => {
    let best: Near | undefined;
    for (const near of point ? placed.within(point, maxMeters) : []) {
      if (!best || near.meters < best.meters || (near.meters === best.meters && near.row < best.row)) best = near;
    }
    return best ? [{ left, right: best.row, meters: best.meters }] : [];
  });
}

interface Area {
  readonly row: number;
  readonly polygons: MultiPolygon;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Pairs of rows: a point, and each polygon that it lies in or on, in order of rows. */
function matchWithin(points: readonly (readonly [number, number] | null)[], geometries: Column): readonly Match[] {
  const areas = polygonAreas(geometries).sort((a, b) => a.south - b.south);
  const tallest = areas.reduce((height, { south, north }) => Math.max(height, north - south), 0);
  return points.flatMap((point, left) => {
    if (!point) return [];
    const found = new Set<Area>();
    for (const place of bothSides(point)) {
      for (const area of candidates(areas, place, tallest)) {
        if (booleanPointInPolygon([...place], area.polygons)) found.add(area);
      }
    }
    return [...found].map(({ row }) => ({ left, right: row, meters: 0 })).sort((a, b) => a.right - b.right);
  });
}

function polygonAreas(geometries: Column): Area[] {
  return Array.from(geometries, (value, row) => {
    const geometry = soundGeometry(value);
    const polygons: MultiPolygon = { type: "MultiPolygon", coordinates: geometry ? polygonsOf(geometry) : [] };
    const extent = extentOf([polygons]);
    if (!extent) return [];
    const [west, south, east, north] = extent;
    return [{ row, polygons, west, south, east, north }];
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
function polygonsOf(geometry: Geometry): Position[][][] {
  if (geometry.type === "GeometryCollection") return geometry.geometries.flatMap(polygonsOf);
  const polygons =
    geometry.type === "Polygon" ? [geometry.coordinates] : geometry.type === "MultiPolygon" ? geometry.coordinates : [];
  return polygons.map((rings) => rings.filter((ring) => ring.length > 0)).filter((rings) => rings.length > 0);
}

/** An area around a point begins at most the tallest area's height south of it. */
function candidates(areas: readonly Area[], [x, y]: readonly [number, number], tallest: number): readonly Area[] {
  const found: Area[] = [];
  const first = firstIndex(areas.length, (index) => (areas[index] as Area).south < y - tallest);
  for (let index = first; index < areas.length; index += 1) {
    const area = areas[index] as Area;
    if (area.south > y) break;
    if (area.north >= y && area.west <= x && area.east >= x) found.push(area);
  }
  return found;
}

/** Rows of two layers that belong together. */
interface Match {
  readonly left: number;
  readonly right: number;
  /** Distance of the centres; 0 where one lies in the other. */
  readonly meters: number;
}

/** How features of two layers are matched by place. */
export type JoinOptions =
  /** The centre of a feature lies in a polygon of the other layer. */
  | {
      /** What counts as a match. */
      readonly by: "within";
    }
  /** The centres of both are at most `maxMeters` apart; the nearest counts, of equally near ones the lowest id. */
  | {
      /** What counts as a match. */
      readonly by: "nearest";
      /** The greatest distance, in metres. */
      readonly maxMeters: number;
    };

const joinRules = { by: anything, maxMeters: anything };

/** Complete options: the greatest distance, or undefined for `within`. */
function resolveJoin(options: JoinOptions): { readonly maxMeters: number | undefined } {
  const { by, maxMeters }: Partial<Record<string, unknown>> = { ...options };
  if (by !== "within" && by !== "nearest") {
    throw new ArgumentError(
      `join() takes { by: "within" } or { by: "nearest", maxMeters }, got ${showValue(options)}.`,
    );
  }
  checkOptions<object>("join()", options, joinRules);
  if (by === "within" && maxMeters === undefined) return { maxMeters };
  if (by === "within") {
    throw new ArgumentError(`A join by "within" has no distance, got maxMeters ${showValue(maxMeters)}.`, {
      hint: 'Leave maxMeters out, or join by "nearest".',
    });
  }
  if (typeof maxMeters === "number" && maxMeters > 0 && Number.isFinite(maxMeters)) return { maxMeters };
  throw new ArgumentError(`maxMeters takes a number above 0, got ${showValue(maxMeters)}.`, {
    hint: "Say how far apart the same object may be in two captures.",
  });
}

/** A point that is near another: its row, and how far away it is. */
interface Near {
  readonly row: number;
  readonly meters: number;
}

interface Placed {
  readonly point: Point;
  readonly row: number;
}

/** A little below the length of a degree of latitude, so that a band is rather too wide than too narrow. */
const METERS_PER_DEGREE = 110_000;

/** Points in order of latitude, so that those near a place are found without looking at all. */
export class NearPoints {
  readonly #placed: readonly Placed[];

  /** @param points by row; null where there is none */
  constructor(points: readonly (Point | null)[]) {
    this.#placed = points
      .flatMap((point, row): Placed[] => (point ? [{ point, row }] : []))
      .sort((a, b) => a.point[1] - b.point[1]);
  }

  /** The points that are at most `maxMeters` away from one, in no order. */
  *within(point: Point, maxMeters: number): Generator<Near> {
    const band = maxMeters / METERS_PER_DEGREE;
    // Degrees of longitude shrink towards the poles; near them every longitude is near.
    const narrowest = Math.cos((Math.min(90, Math.abs(point[1]) + band) * Math.PI) / 180);
    const width = narrowest > band / 180 ? band / narrowest : 180;
    const south = point[1] - band;
    const first = firstIndex(this.#placed.length, (index) => (this.#placed[index] as Placed).point[1] < south);
    for (let index = first; index < this.#placed.length; index += 1) {
      const other = this.#placed[index] as Placed;
      if (other.point[1] > point[1] + band) break;
      const apart = Math.abs(other.point[0] - point[0]) % 360;
      if (Math.min(apart, 360 - apart) > width) continue;
      const meters = metersBetween(point, other.point);
      if (meters <= maxMeters) yield { row: other.row, meters };
    }
  }
}

/** Metres between two points, on a sphere. */
export function metersBetween(a: Point, b: Point): number {
  return distance([...a], [...b], { units: "meters" });
}
