import type { ColumnTable } from "arquero";
import Flatbush from "flatbush";
import type { Position } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { freeName } from "../../core/free-name.js";
import { anything, checkOptions } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { soundGeometry } from "../../tables/export/sound-geometry.js";
import type { Extent } from "../../tables/export/wkb.js";
import { Areas, closedRing } from "./areas.js";
import { centerOf, ellipsoidMeters, metersPerDegree, POLAR_RADIUS, type Point, partsOf } from "./geometry-measures.js";
import type { GeometryTable } from "./geometry-table.js";
import { NearestPoints } from "./nearest-points.js";

/**
 * Joins the rows of two tables by location. A row without a match has one row with nulls.
 *
 * @returns the columns of `left`, those of `right` as `other.<name>`, and `distance_m`; an underscore is appended to a
 * name that `left` already has
 */
export function joinByLocation(left: GeometryTable, right: GeometryTable, options: SpatialJoinOptions): ColumnTable {
  const { maxMeters } = resolveJoin(options);
  const matches: readonly Match[] =
    maxMeters === undefined
      ? matchWithin(Array.from(left.geometries, centerOf), right.geometries)
      : nearestGeometries(left.geometries, right.geometries, maxMeters);
  const rows = withUnmatched(matches, left.table.numRows());
  const side = ({ table }: GeometryTable, name: string, rowOf: (match: Partial<Match>) => number | undefined) => {
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
  return byRow.flatMap((matchesOfRow, left): readonly Partial<Match>[] =>
    matchesOfRow.length > 0 ? matchesOfRow : [{ left }],
  );
}

function columnOf(table: ColumnTable, name: string): Column {
  return table.column(name) ?? [];
}

/** Pairs of rows: a point, and each polygon that contains or touches it, in order of rows. */
function matchWithin(points: readonly (Point | null)[], geometries: Column): readonly Match[] {
  const areas = new Areas(geometries);
  return points.flatMap((point, left) => {
    if (!point) return [];
    return areas.rowsAt(point).map((right) => ({ left, right, meters: 0 }));
  });
}

/** Matching rows of two layers. */
interface Match {
  readonly left: number;
  readonly right: number;
  /** Distance from edge to edge. */
  readonly meters: number;
}

/** How features of two layers are matched by place. */
export type SpatialJoinOptions =
  /** The center of a feature is in a polygon of the other layer. */
  | {
      /** Condition of a match. */
      readonly predicate: "within";
    }
  /** The nearest feature at most `maxMeters` away, from edge to edge. The lowest id wins a tie. */
  | {
      /** Condition of a match. */
      readonly predicate: "nearest";
      /** Maximum distance, in meters. */
      readonly maxMeters: number;
    };

const joinRules = { predicate: anything, maxMeters: anything };

/** Complete options: the maximum distance, or undefined for `within`. */
function resolveJoin(options: SpatialJoinOptions): { readonly maxMeters: number | undefined } {
  const { predicate, maxMeters }: Partial<Record<string, unknown>> = { ...options };
  if (predicate !== "within" && predicate !== "nearest") {
    throw new ArgumentError(
      `spatialJoin(): invalid options ${showValue(options)}. Pass { predicate: "within" } or { predicate: "nearest", maxMeters: 5 }.`,
    );
  }
  checkOptions<object>("spatialJoin()", options, joinRules);
  if (predicate === "within" && maxMeters === undefined) return { maxMeters };
  if (predicate === "within") {
    throw new ArgumentError(
      `spatialJoin(): predicate "within" does not accept maxMeters, got ${showValue(maxMeters)}.`,
      {
        hint: 'Omit maxMeters, or set { predicate: "nearest", maxMeters: 5 }.',
      },
    );
  }
  if (typeof maxMeters === "number" && maxMeters > 0 && Number.isFinite(maxMeters)) return { maxMeters };
  throw new ArgumentError(`spatialJoin(): maxMeters must be a number above 0, got ${showValue(maxMeters)}.`, {
    hint: 'Set the maximum distance in meters: { predicate: "nearest", maxMeters: 5 }.',
  });
}

/** A pair of rows whose geometries are near each other. */
interface NearPair {
  readonly left: number;
  readonly right: number;
  /** Distance from edge to edge. 0 if they touch or one contains the other. */
  readonly meters: number;
}

/** Distances below this are rounding errors of coordinates that touch. */
const TOUCHING_METERS = 1e-6;

/**
 * The nearest geometry within `maxMeters` for each geometry of a column, from edge to edge. The first row wins a tie.
 *
 * Edges are straight in longitude and latitude (RFC 7946, 3.1.1), and distances are measured on the WGS 84 ellipsoid.
 */
export function nearestGeometries(left: Column, right: Column, maxMeters: number): readonly NearPair[] {
  const others = outlinesOf(right);
  if (others.every((outline) => outline === null)) return [];
  const index = new EdgeIndex(others);
  const containing = new Areas(right);
  const contained = firstContained(new Areas(left), others);
  return outlinesOf(left).flatMap((outline, row) => {
    if (outline === null) return [];
    const inner = contained.get(row) ?? Number.POSITIVE_INFINITY;
    const first = Math.min(inner, ...outline.starts.map((point) => containing.rowsAt(point)[0] ?? inner));
    const nearest = index.nearest(
      outline,
      Number.isFinite(first) ? { row: first, meters: 0 } : { row: -1, meters: maxMeters },
    );
    return nearest.row < 0 ? [] : [{ left: row, right: nearest.row, meters: nearest.meters }];
  });
}

/** The first row of the others that has a part inside each polygon, by the polygon's row. */
function firstContained(polygons: Areas, others: readonly (Outline | null)[]): ReadonlyMap<number, number> {
  const nearest = new Map<number, number>();
  for (const [row, outline] of others.entries()) {
    for (const point of outline?.starts ?? []) {
      for (const polygon of polygons.rowsAt(point)) if (!nearest.has(polygon)) nearest.set(polygon, row);
    }
  }
  return nearest;
}

/** A straight line between two points, or one point twice. */
type Edge = readonly [start: Point, end: Point];

/** The points and edges of a geometry. */
interface Outline {
  /** One point of each connected part. */
  readonly starts: readonly Point[];
  readonly edges: readonly Edge[];
}

function outlinesOf(geometries: Column): readonly (Outline | null)[] {
  return Array.from(geometries, (value) => {
    const geometry = soundGeometry(value);
    const parts = geometry ? partsOf(geometry) : [];
    if (parts.length === 0) return null;
    const lines = parts.map(({ kind, lines }) =>
      lines.map((line) => normalized(kind === "area" ? closedRing(line) : line)),
    );
    return { starts: lines.map(([line]) => line?.[0] as Point), edges: lines.flat().flatMap(edgesOf) };
  });
}

/** A line that starts between -180° and 180°. */
function normalized(line: readonly Position[]): readonly Point[] {
  const [first] = line;
  if (first === undefined) return [];
  const [longitude = Number.NaN] = first;
  const turn = Math.abs(longitude) > 180 ? 360 * Math.round(longitude / 360) : 0;
  return line.map(([x = Number.NaN, y = Number.NaN]) => [x - turn, y] as const);
}

function edgesOf(line: readonly Point[]): readonly Edge[] {
  const [first] = line;
  if (first !== undefined && line.length === 1) return [[first, first]];
  return line.slice(1).map((end, index) => [line[index] as Point, end]);
}

interface Nearest {
  /** -1 if nothing was found. */
  readonly row: number;
  /** Distance of the row, or the maximum distance if nothing was found. */
  readonly meters: number;
}

/** Edges of geometries in an R-tree of degrees, with the vertices in a k-d tree for a first upper bound. */
class EdgeIndex {
  readonly #edges: Edge[] = [];
  /** By edge. */
  readonly #rows: number[] = [];
  readonly #tree: Flatbush;
  readonly #vertices: NearestPoints;

  /** @param outlines at least one is not null */
  constructor(outlines: readonly (Outline | null)[]) {
    const seen = new Set<string>();
    for (const [row, outline] of outlines.entries()) {
      for (const edge of outline?.edges ?? []) {
        // The first row wins a tie. Without later copies, thousands of features at one place are as fast as others.
        const key = edge.join();
        if (seen.has(key)) continue;
        seen.add(key);
        this.#edges.push(edge);
        this.#rows.push(row);
      }
    }
    this.#tree = new Flatbush(this.#edges.length);
    for (const edge of this.#edges) this.#tree.add(...extentOfEdge(edge));
    this.#tree.finish();
    // Each vertex starts an edge, except the ends of lines: enough for an upper bound.
    this.#vertices = new NearestPoints(this.#edges.map(([start]) => start));
  }

  /** The row with the nearest edge, or `known` if no row is nearer, or equally near and earlier. */
  nearest({ edges }: Outline, bound: Nearest): Nearest {
    let best = this.#upperBound(edges[0]?.[0] as Point, bound);
    for (const edge of edges) {
      for (const [index, turn] of this.#edgesWithin(edge, best.meters)) {
        const row = this.#rows[index] as number;
        const meters = metersBetweenEdges(edge, shifted(this.#edges[index] as Edge, turn));
        const isEarlier = meters === best.meters && (best.row < 0 || row < best.row);
        if (meters < best.meters || isEarlier) best = { row, meters };
      }
    }
    return best;
  }

  #upperBound(point: Point, best: Nearest): Nearest {
    if (best.meters === 0) return best;
    const vertex = this.#vertices.nearest(point, Number.POSITIVE_INFINITY);
    if (vertex < 0) return best;
    const [other] = this.#edges[vertex] as Edge;
    const meters = metersBetweenEdges([point, point], [other, other]);
    return meters <= best.meters ? { row: this.#rows[vertex] as number, meters } : best;
  }

  /** The edges that may be within a distance of another, and the degrees by which they must be moved to be beside it. */
  *#edgesWithin(edge: Edge, meters: number): Generator<readonly [edge: number, turn: number]> {
    const [west, south, east, north] = expanded(extentOfEdge(edge), meters);
    for (const turn of [0, 360, -360]) {
      const { minX, maxX } = this.#tree;
      if (east - turn < minX || west - turn > maxX) continue;
      for (const index of this.#tree.search(west - turn, south, east - turn, north)) yield [index, turn];
    }
  }
}

function extentOfEdge([[x0, y0], [x1, y1]]: Edge): Extent {
  return [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
}

/** An extent with everything that is within a distance of it. */
function expanded([west, south, east, north]: Extent, meters: number): Extent {
  const toDegrees = 180 / Math.PI;
  // No distance on the ellipsoid is shorter than on a sphere of the polar radius by more than a hundredth.
  const angle = Math.min(Math.PI, (1.01 * meters) / POLAR_RADIUS + 1e-12);
  const up = angle * toDegrees;
  const farthest = Math.max(Math.abs(south), Math.abs(north));
  const across =
    farthest + up >= 90 ? 180 : Math.asin(Math.min(1, Math.sin(angle) / Math.cos(farthest / toDegrees))) * toDegrees;
  return [west - across, south - up, east + across, north + up];
}

function shifted([[x0, y0], [x1, y1]]: Edge, turn: number): Edge {
  return [
    [x0 + turn, y0],
    [x1 + turn, y1],
  ];
}

/**
 * Meters between two edges. The nearest points of both are found in a plane at their latitude, and measured on the ellipsoid.
 */
function metersBetweenEdges(one: Edge, other: Edge): number {
  const [origin] = one;
  const scale = metersPerDegree((one[0][1] + one[1][1] + other[0][1] + other[1][1]) / 4);
  const inPlane = ([x, y]: Point): Point => [(x - origin[0]) * scale.longitude, (y - origin[1]) * scale.latitude];
  const [a, b, c, d] = [inPlane(one[0]), inPlane(one[1]), inPlane(other[0]), inPlane(other[1])];
  if (cross(a, b, c) * cross(a, b, d) < 0 && cross(c, d, a) * cross(c, d, b) < 0) return 0;
  const ways = [
    nearestWay(one[0], a, other, c, d),
    nearestWay(one[1], b, other, c, d),
    nearestWay(other[0], c, one, a, b),
    nearestWay(other[1], d, one, a, b),
  ];
  const { from, to } = ways.reduce((nearest, way) => (way.squared < nearest.squared ? way : nearest));
  const meters = ellipsoidMeters(from, to);
  return meters < TOUCHING_METERS ? 0 : meters;
}

/** Twice the area of a triangle, positive if it runs counterclockwise. */
function cross(a: Point, b: Point, c: Point): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** The line from a point to the nearest point of an edge, whose positions in the plane are also given. */
function nearestWay(from: Point, [x, y]: Point, [first, last]: Edge, start: Point, end: Point) {
  const [across, up] = [end[0] - start[0], end[1] - start[1]];
  const length = across * across + up * up;
  const along = length === 0 ? 0 : ((x - start[0]) * across + (y - start[1]) * up) / length;
  const share = Math.max(0, Math.min(1, along));
  const squared = (start[0] + share * across - x) ** 2 + (start[1] + share * up - y) ** 2;
  const to: Point =
    share === 1 ? last : [first[0] + share * (last[0] - first[0]), first[1] + share * (last[1] - first[1])];
  return { squared, from, to };
}
