// The selection of linked frames, as ids and values of a table's rows. Only loaded for linked tables.
import type { CellMatch } from "../../tables/display/live/chart-payload.js";
import type { ColumnValues, IsApart, Selection } from "../../tables/display/live/frame-link.js";
import { makeButton, many } from "../page/elements.js";
import type { TableColumn } from "../table/table-columns.js";

type Rows = ReadonlySet<number>;

/** Columns with more distinct strings do not form groups. */
const MOST_TEXTS = 200;
/** With more distinct selected numbers, most bars and dots would match one of them. */
const MOST_SIZES = 5000;

/** @param count number of rows in the output */
export function pickedRows(columns: readonly TableColumn[], count: number) {
  const id = columns.find(({ name }) => name === "id");
  const rowsThat = (has: (row: number) => boolean): Rows =>
    new Set(Array.from({ length: count }, (_, row) => row).filter(has));
  const idsOf = (rows: Rows): readonly string[] => (id ? Array.from(rows, (row) => id.full(row)) : []);
  const picks = {
    idsOf,
    /** Filters that leave only these rows. */
    filtersOf: (rows: Rows) => (id ? [{ column: id.index, values: idsOf(rows) }] : []),
    /** The values of some rows, for columns that have few distinct strings or hold numbers or dates. */
    valuesOf: (rows: Rows): Readonly<Record<string, ColumnValues>> => {
      if (rows.size === 0) return {};
      const different = <Value>(read: (row: number) => Value) => [...new Set(Array.from(rows, read))];
      const values = columns.flatMap((column): readonly (readonly [string, ColumnValues])[] => {
        const { name, kind, coded } = column;
        const texts = coded && coded.texts.length <= MOST_TEXTS ? { texts: different(column.full) } : undefined;
        const sizes = kind === "text" ? [] : different(column.sizeOf);
        const isTold = kind !== "text" && sizes.length <= MOST_SIZES;
        const both = { ...texts, ...(isTold ? { sizes: sizes.filter(Number.isFinite) } : {}) };
        return texts || isTold ? [[name, both]] : [];
      });
      return Object.fromEntries(values);
    },
    buttons: (
      picked: number,
      isOnly: boolean,
      onNone: () => void,
      onOnly: () => void,
    ): readonly HTMLButtonElement[] => {
      const button = (label: string, more: object) => makeButton({ className: "link", ...more }, label);
      const none = button(`${many(picked)} selected ✕`, { title: "Select nothing", onclick: onNone });
      const only = button("Only these", { ariaPressed: String(isOnly), onclick: onOnly });
      return picked > 0 ? [none, only] : [];
    },
    /** The rows that another frame selected, or the reason for none; undefined if the message is not about rows. */
    heard: ({ ids, where }: Selection): Rows | string | undefined => {
      const wanted = new Set(ids);
      if (!where) return ids && rowsThat((row) => id !== undefined && wanted.has(id.full(row)));
      const tests = where.flatMap(([name, cell]) => {
        const column = columns.find((each) => each.name === name);
        return column ? [(row: number) => isCell(column, row, cell)] : [];
      });
      if (tests.length === 0) return where.length === 0 ? new Set() : undefined;
      const rows = rowsThat((row) => tests.every((has) => has(row)));
      return rows.size > 0 ? rows : "No row here has the selected values";
    },
  };
  return {
    ...picks,
    share: (table: PickedTable, view: PickedView, link: Link) => shareRows(picks, table, view, link),
  };
}

/** A table with a view, whose rows are selected. */
interface PickedTable {
  readonly rows: { readonly length: number; at(index: number): PickedRow | undefined };
  readonly columns: readonly TableColumn[];
  picked: Rows;
  isOnlyPicked: boolean;
  pick(rows: Rows): void;
  tell(text: string): void;
  say(text: string, isBrief?: boolean): void;
}

interface PickedRow {
  readonly part: readonly TableColumn[];
  readonly row: number;
}

interface PickedView {
  refresh(): void;
  showFilters(): void;
  paint(isAll?: boolean): void;
  reveal(index: number): void;
}

/** Messages to the linked frames and the kernel. */
interface Link {
  tell(selection: Selection): void;
  tellKernel(ids: readonly string[]): void;
}

/** Shares the selected rows of a table with the linked frames. Returns a function that takes their selection. */
function shareRows(
  { idsOf, valuesOf, heard }: Pick<ReturnType<typeof pickedRows>, "idsOf" | "valuesOf" | "heard">,
  table: PickedTable,
  { refresh, showFilters, paint, reveal }: PickedView,
  link: Link,
) {
  const show = (rows: ReadonlySet<number>) => {
    table.picked = rows;
    const wereOnly = table.isOnlyPicked;
    table.isOnlyPicked &&= rows.size > 0;
    if (wereOnly) refresh();
    else showFilters();
    paint(true);
    table.tell(`${many(rows.size)} selected`);
  };
  table.pick = (rows) => {
    show(rows);
    const ids = idsOf(rows);
    link.tell({ ids, values: valuesOf(rows) });
    link.tellKernel(ids);
  };
  return (selection: Selection) => {
    const rows = heard(selection);
    if (typeof rows === "string") return table.say(rows, true);
    if (!rows) return;
    if (selection.where) table.pick(rows);
    else {
      show(rows);
      link.tell({ values: valuesOf(rows) });
    }
    const { length } = table.rows;
    const first = Array.from({ length }, (_, index) => index).find((index) => {
      const found = table.rows.at(index);
      return found?.part === table.columns && rows.has(found.row);
    });
    if (first !== undefined) reveal(first);
    paint();
  };
}

function isCell(column: TableColumn, row: number, cell: CellMatch): boolean {
  if (cell === null) return column.isNull(row);
  if (typeof cell === "string") return column.full(row) === cell;
  const size = column.sizeOf(row);
  return typeof cell === "number" ? asDrawn(size).includes(cell) : isBetween(size, cell);
}

/** A number as in a chart, without rounding errors of sums of binary fractions. */
function asDrawn(size: number): readonly number[] {
  return [size, Number(size.toPrecision(12))];
}

function isBetween(size: number, [from, to]: readonly [from: number, to: number]): boolean {
  return size === from || (size > from && size < to);
}

/** @param values values of the selected features */
export function apartFrom(values: Readonly<Record<string, ColumnValues>>): IsApart {
  const known = new Map(
    Object.entries(values).map(([name, { texts, sizes }]) => [
      name,
      { texts: texts && new Set(texts), sizes, drawn: new Set(sizes?.flatMap(asDrawn)) },
    ]),
  );
  return (column, cell) => {
    const { texts, sizes, drawn } = known.get(column) ?? {};
    if (cell === null || typeof cell === "string") return texts !== undefined && !texts.has(String(cell));
    if (!sizes) return false;
    return typeof cell === "number" ? !drawn?.has(cell) : !sizes.some((size) => isBetween(size, cell));
  };
}
