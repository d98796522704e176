// What is selected in linked frames, as ids and values of rows.
import type { CellMatch } from "../live/chart-facts.js";
import type { Selection } from "./selection-door.js";
import type { TableColumn } from "./table-columns.js";

/** Columns of more different texts tell no groups. */
const MOST_TEXTS = 200;

export function idColumn(columns: readonly TableColumn[]): TableColumn | undefined {
  return columns.find(({ name }) => name === "id");
}

export function pickedIds(columns: readonly TableColumn[], rows: ReadonlySet<number>): readonly string[] {
  const ids = idColumn(columns);
  return ids ? Array.from(rows, (row) => ids.full(row)) : [];
}

export function rowsOfIds(columns: readonly TableColumn[], ids: readonly string[], count: number): ReadonlySet<number> {
  const wanted = new Set(ids);
  const column = idColumn(columns);
  const rows = Array.from({ length: column ? count : 0 }, (_, row) => row);
  return new Set(rows.filter((row) => wanted.has(column?.full(row) as string)));
}

/** The texts that some rows have, of columns that have few different ones. */
export function pickedValues(
  columns: readonly TableColumn[],
  rows: ReadonlySet<number>,
): NonNullable<Selection["values"]> {
  const groups = columns.filter(({ coded }) => rows.size > 0 && coded && coded.texts.length <= MOST_TEXTS);
  return Object.fromEntries(
    groups.map((column) => [column.name, [...new Set(Array.from(rows, (row) => column.full(row)))]]),
  );
}

/** Rows with values; undefined where this table has none of their columns. */
export function rowsWhere(
  columns: readonly TableColumn[],
  where: NonNullable<Selection["where"]>,
  count: number,
): ReadonlySet<number> | undefined {
  const tests = where.flatMap(([name, cell]) => {
    const column = columns.find((each) => each.name === name);
    return column ? [(row: number) => isCell(column, row, cell)] : [];
  });
  if (tests.length === 0) return where.length === 0 ? new Set() : undefined;
  const rows = Array.from({ length: count }, (_, row) => row);
  return new Set(rows.filter((row) => tests.every((has) => has(row))));
}

function isCell(column: TableColumn, row: number, cell: CellMatch): boolean {
  if (cell === null) return column.isNull(row);
  if (typeof cell === "string") return column.full(row) === cell;
  const size = column.sizeOf(row);
  // Charts leave out what is left over of sums of binary fractions.
  if (typeof cell === "number") return size === cell || Number(size.toPrecision(12)) === cell;
  const [from, to] = cell;
  return size === from || (size > from && size < to);
}
