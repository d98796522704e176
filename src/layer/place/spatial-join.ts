import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { freeName } from "../../core/free-name.js";
import { anything, checkOptions } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { Areas } from "./areas.js";
import { centerOf, type Point } from "./geometry-measures.js";
import type { GeometryTable } from "./geometry-table.js";
import { nearestGeometries } from "./nearest-geometries.js";

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
