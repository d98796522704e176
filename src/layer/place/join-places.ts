import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { freeName } from "../../core/free-name.js";
import { anything, checkOptions } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { Areas } from "./areas.js";
import { centreOf, type Point } from "./geometry-place.js";
import { nearestGeometries } from "./nearest-geometries.js";
import type { PlacedTable } from "./places.js";

/**
 * Rows of a table beside those of another at the same place. A row without a match is there once, with nulls.
 *
 * @returns the columns of `left`, those of `right` as `other.<name>`, and `distance_m`; an underscore is put behind a
 * name of these that `left` has already
 */
export function joinPlaces(left: PlacedTable, right: PlacedTable, options: JoinOptions): ColumnTable {
  const { maxMeters } = resolveJoin(options);
  const matches: readonly Match[] =
    maxMeters === undefined
      ? matchWithin(Array.from(left.geometries, centreOf), right.geometries)
      : nearestGeometries(left.geometries, right.geometries, maxMeters);
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

/** Pairs of rows: a point, and each polygon that it lies in or on, in order of rows. */
function matchWithin(points: readonly (Point | null)[], geometries: Column): readonly Match[] {
  const areas = new Areas(geometries);
  return points.flatMap((point, left) => {
    if (!point) return [];
    return areas.rowsAt(point).map((right) => ({ left, right, meters: 0 }));
  });
}

/** Rows of two layers that belong together. */
interface Match {
  readonly left: number;
  readonly right: number;
  /** Distance from edge to edge. */
  readonly meters: number;
}

/** How features of two layers are matched by place. */
export type JoinOptions =
  /** The centre of a feature lies in a polygon of the other layer. */
  | {
      /** What counts as a match. */
      readonly by: "within";
    }
  /** The nearest feature at most `maxMeters` away, from edge to edge. The lowest id wins a tie. */
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
