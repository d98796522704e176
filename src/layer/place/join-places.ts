import type { ColumnTable } from "arquero";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { centreOf } from "./geometry-place.js";
import { type JoinOptions, resolveJoin } from "./join-options.js";
import type { Match } from "./match.js";
import { matchNearest } from "./match-nearest.js";
import { matchWithin } from "./match-within.js";
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
