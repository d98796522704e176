// What is selected in linked frames, as ids and values of a table's rows. Other tables have no use for it.
import type { CellMatch } from "../live/chart-facts.js";
import { make, many } from "./elements.js";
import type { TableColumn } from "./table-columns.js";

type Rows = ReadonlySet<number>;

/** Columns of more different texts tell no groups. */
const MOST_TEXTS = 200;

/** @param count rows that are here */
export function pickedRows(columns: readonly TableColumn[], count: number) {
  const id = columns.find(({ name }) => name === "id");
  const rowsThat = (has: (row: number) => boolean): Rows =>
    new Set(Array.from({ length: count }, (_, row) => row).filter(has));
  const idsOf = (rows: Rows): readonly string[] => (id ? Array.from(rows, (row) => id.full(row)) : []);
  return {
    idsOf,
    /** What leaves these rows alone. */
    filtersOf: (rows: Rows) => (id ? [{ column: id.index, values: idsOf(rows) }] : []),
    /** The texts that some rows have, of columns that have few different ones. */
    valuesOf: (rows: Rows): Readonly<Record<string, readonly string[]>> => {
      const groups = columns.filter(({ coded }) => rows.size > 0 && coded && coded.texts.length <= MOST_TEXTS);
      return Object.fromEntries(
        groups.map((column) => [column.name, [...new Set(Array.from(rows, (row) => column.full(row)))]]),
      );
    },
    buttons: (
      picked: number,
      isOnly: boolean,
      onNone: () => void,
      onOnly: () => void,
    ): readonly HTMLButtonElement[] => {
      const button = (label: string, more: object) =>
        make("button", { type: "button", className: "link", ...more }, label);
      const none = button(`${many(picked)} selected ✕`, { title: "Select nothing", onclick: onNone });
      const only = button("Only these", { ariaPressed: String(isOnly), onclick: onOnly });
      return picked > 0 ? [none, only] : [];
    },
    /** The rows that others say, or why these are none; undefined where nothing is said of rows. */
    heard: ({ ids, where }: Selection): Rows | string | undefined => {
      const wanted = new Set(ids);
      if (!where) return ids && rowsThat((row) => id !== undefined && wanted.has(id.full(row)));
      const tests = where.flatMap(([name, cell]) => {
        const column = columns.find((each) => each.name === name);
        return column ? [(row: number) => isCell(column, row, cell)] : [];
      });
      if (tests.length === 0) return where.length === 0 ? new Set() : undefined;
      const rows = rowsThat((row) => tests.every((has) => has(row)));
      return rows.size > 0 ? rows : "No row here has what was clicked";
    },
  };
}

/** What frames say of what is selected, as a table hears it. */
interface Selection {
  readonly ids?: readonly string[];
  /** Values of the features, by column. */
  readonly where?: readonly (readonly [column: string, is: CellMatch])[];
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
