// The selection of linked frames, as ids and values of a table's rows. Only loaded for linked tables.
import type { CellMatch } from "../../tables/display/live/chart-payload.js";
import type { ColumnValues, IsApart, Selection } from "../../tables/display/live/frame-link.js";
import { make, many } from "../page/elements.js";
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
  return {
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
      const button = (label: string, more: object) =>
        make("button", { type: "button", className: "link", ...more }, label);
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
