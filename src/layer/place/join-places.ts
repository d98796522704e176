import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon";
import type { ColumnTable } from "arquero";
import Flatbush from "flatbush";
import type { Geometry, MultiPolygon, Position } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { freeName } from "../../core/free-name.js";
import { anything, checkOptions } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { soundGeometry } from "../../tables/export/sound-geometry.js";
import { type Extent, extentOf } from "../../tables/export/to-wkb.js";
import { centreOf, metersBetween, type Point } from "./geometry-place.js";
import { NearestPoints } from "./nearest-points.js";
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
  const placed = new NearestPoints(others);
  return points.flatMap((point, left) => {
    const right = point ? placed.nearest(point, maxMeters) : -1;
    const other = others[right];
    return point && other ? [{ left, right, meters: metersBetween(point, other) }] : [];
  });
}

/** Pairs of rows: a point, and each polygon that it lies in or on, in order of rows. */
function matchWithin(points: readonly (Point | null)[], geometries: Column): readonly Match[] {
  const areas = new Areas(geometries);
  return points.flatMap((point, left) => {
    if (!point) return [];
    return areas.rowsAt(point).map((right) => ({ left, right, meters: 0 }));
  });
}

interface Area {
  readonly row: number;
  readonly polygons: MultiPolygon;
  readonly extent: Extent;
}

/** Polygons in an R-tree of degrees, so that those that a point lies in are found without looking at all. */
export class Areas {
  readonly #areas: readonly Area[];
  /** Null if there are no polygons. */
  readonly #tree: Flatbush | null;

  /** @param geometries by row; of those that are no polygons none is found */
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

  /** The rows of the polygons that a point lies in or on, in their order. */
  rowsAt(point: Point): readonly number[] {
    const tree = this.#tree;
    if (!tree) return [];
    const found = new Set<number>();
    for (const [x, y] of bothSides(point)) {
      for (const place of tree.search(x, y, x, y)) {
        const { row, polygons } = this.#areas[place] as Area;
        if (booleanPointInPolygon([x, y], polygons)) found.add(row);
      }
    }
    return [...found].sort((a, b) => a - b);
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
