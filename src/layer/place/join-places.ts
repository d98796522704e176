import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon";
import type { ColumnTable } from "arquero";
import type { Geometry, MultiPolygon, Position } from "geojson";
import { firstIndex } from "../../core/first-index.js";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { soundGeometry } from "../../tables/export/sound-geometry.js";
import { type Bounds, boundsOf, centreOf, type Point } from "./geometry-place.js";
import { type JoinOptions, resolveJoin } from "./join-options.js";
import { type Near, NearPoints } from "./near-points.js";
import type { PlacedTable } from "./placed-table.js";

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
  const free = freeNames(left.table.columnNames());
  return toTable([
    ...left.table.columnNames().map((name) => [name, side(left, name, (match) => match.left)] as const),
    ...right.table
      .columnNames()
      .map((name) => [free(`other.${name}`), side(right, name, (match) => match.right)] as const),
    [free("distance_m"), rows.map(({ meters }) => meters ?? null)],
  ]);
}

/** Makes names different from those that are taken, and from each other. */
function freeNames(taken: Iterable<string>): (name: string) => string {
  const used = new Set(taken);
  return (name) => {
    let free = name;
    while (used.has(free)) free = `${free}_`;
    used.add(free);
    return free;
  };
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

interface Area extends Bounds {
  readonly row: number;
  readonly shape: MultiPolygon;
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

/** Rows of two layers that belong together. */
interface Match {
  readonly left: number;
  readonly right: number;
  /** Distance of the centres; 0 where one lies in the other. */
  readonly meters: number;
}
