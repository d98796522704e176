import type { ColumnTable } from "arquero";
import { provenanceOf } from "../../../core/provenance.js";
import { type CountedColumn, countedColumn } from "../../column/column.js";
import { unitOf } from "../../column/column-units.js";
import { originText } from "../text.js";
import { dateUnit, type FormattedCell, formatCell, sensibleDecimals } from "./format-cell.js";

/** One column of a table to be shown. */
export interface ColumnView {
  readonly name: string;
  /** Shown under the name. When left out it is inferred from the values shown. */
  readonly type?: string;
  readonly at: (row: number) => unknown;
  /** The same rows, if their values can be counted without decoding each. */
  readonly counted?: CountedColumn;
  /** Unit of its numbers, which stands behind the name. */
  readonly unit?: string;
  /** True for labels of rows, which are shown but are no column of the data. */
  readonly isIndex?: boolean;
}

/** What `renderTable` needs to know of a table, wherever it comes from. */
export interface TableView {
  readonly rowCount: number;
  readonly columns: readonly ColumnView[];
  /** Shown above the table. */
  readonly caption?: string;
  /** Where the values come from and how old they are. Shown below the table, behind the counts. */
  readonly age?: string;
  /** What a file of its rows is called, without its ending. */
  readonly file?: string;
  /** The expression of an Arquero table of these rows and columns: a name that its reader replaces, and how it is got. */
  readonly code?: string;
  /** The value that the rows are read from. While it lives, a kernel can be asked for more of them. */
  readonly owner?: object;
}

/** The part of a table that is shown, read once and formatted. */
export interface ShownTable {
  readonly caption: string;
  readonly columns: readonly ShownColumn[];
  readonly shownRows: number;
  readonly rowCount: number;
  /** Columns that are not among those shown. */
  readonly left: number;
  /** Where the values come from and how old they are; may be empty. */
  readonly age: string;
}

/** One shown column; numeric columns are aligned right. */
export interface ShownColumn {
  readonly name: string;
  readonly unit: string;
  readonly type: string;
  readonly isIndex: boolean;
  readonly numeric: boolean;
  /** With which its numbers are shown where there is a way to see them in full. */
  readonly decimals: number;
  /** Milliseconds of which its dates are multiples: no more of them is shown there. */
  readonly unitMs: number;
  readonly cells: readonly FormattedCell[];
}

/** Reads the first rows and columns of a table. */
export function readTable(view: TableView, maxRows: number, maxColumns: number): ShownTable {
  const shownRows = Math.min(view.rowCount, maxRows);
  const columns = view.columns.slice(0, maxColumns).map((column) => readColumn(column, shownRows));
  return {
    caption: view.caption ?? "",
    columns,
    shownRows,
    rowCount: view.rowCount,
    left: Math.max(0, view.columns.length - maxColumns),
    age: view.age ?? "",
  };
}

function readColumn(column: ColumnView, rows: number): ShownColumn {
  const values = Array.from({ length: rows }, (_, row) => column.at(row));
  const cells = values.map(formatCell);
  const filled = cells.filter((_, row) => values[row] !== null && values[row] !== undefined);
  return {
    name: column.name,
    unit: column.unit ?? "",
    isIndex: column.isIndex === true,
    type: column.type ?? columnType(values),
    numeric: filled.length > 0 && filled.every((cell) => cell.numeric),
    decimals: sensibleDecimals(values),
    unitMs: dateUnit(cells.map(({ time = null }) => time)),
    cells,
  };
}

interface ArqueroLike {
  numRows(): number;
  columnNames(): string[];
  /** Rows are counted as the table shows them: after its filter, in its order. */
  getter(name: string): (row: number) => unknown;
  /** As it is stored, if the table has the method. */
  column?(name: string): unknown;
  isFiltered?(): boolean;
  isOrdered?(): boolean;
}

/** How a column of an Arquero table is read: also counted if the rows of the table are those of the column. */
export function columnReaders(table: ArqueroLike, name: string): Pick<ColumnView, "at" | "counted"> {
  const isWhole = table.isFiltered?.() === false && table.isOrdered?.() === false;
  const counted = isWhole ? countedColumn(Object(table.column?.(name))) : undefined;
  return { at: table.getter(name), ...(counted ? { counted } : {}) };
}

/** An Arquero table as a `TableView`, recognised by its methods so that Arquero need not be loaded. */
export function arqueroView(value: ColumnTable): TableView;
export function arqueroView(value: unknown): TableView | undefined;
export function arqueroView(value: unknown): TableView | undefined {
  if (!isArqueroLike(value)) return undefined;
  const columns = value.columnNames().map((name) => {
    const unit = unitOf(value.column?.(name));
    return { name, ...columnReaders(value, name), ...(unit === undefined ? {} : { unit }) };
  });
  const provenance = provenanceOf(value);
  // What was read from the service just now is as old as the output that shows it.
  const age = provenance?.origin.kind === "snapshot" ? { age: originText(provenance) } : {};
  return { rowCount: value.numRows(), columns, owner: value, code: "table", ...age };
}

function isArqueroLike(value: unknown): value is ArqueroLike {
  if (typeof value !== "object" || value === null) return false;
  const candidate = value as Partial<ArqueroLike>;
  return (
    typeof candidate.numRows === "function" &&
    typeof candidate.columnNames === "function" &&
    typeof candidate.getter === "function"
  );
}

/** A frame or series of whichever of Danfo's packages, as they type it. */
export interface DanfoLike {
  /** Names of the columns. */
  readonly columns: readonly string[];
  /** Labels of the rows. */
  readonly index: readonly unknown[];
  /** Danfo's type of each column. */
  readonly dtypes: readonly string[];
  /** Rows and columns. */
  readonly shape: readonly number[];
  /** Rows of a frame, plain values of a series. */
  readonly values: readonly unknown[];
}

/** A Danfo frame or series as a `TableView`, recognised by its fields so that Danfo need not be loaded. */
export function danfoView(value: unknown): TableView | undefined {
  if (!isDanfoLike(value)) return undefined;
  const { values, index } = value;
  const cell = (row: number, column: number) => {
    const entry = values[row];
    return Array.isArray(entry) ? entry[column] : entry;
  };
  const columns = value.columns.map((name, column) => ({
    name,
    type: value.dtypes[column] as string,
    at: (row: number) => cell(row, column),
  }));
  const labels = { name: "", type: "index", isIndex: true, at: (row: number) => index[row] };
  return { rowCount: values.length, columns: [labels, ...columns], owner: value };
}

function isDanfoLike(value: unknown): value is DanfoLike {
  if (typeof value !== "object" || value === null) return false;
  const candidate = value as Partial<DanfoLike>;
  return (
    Array.isArray(candidate.columns) &&
    Array.isArray(candidate.index) &&
    Array.isArray(candidate.dtypes) &&
    Array.isArray(candidate.shape) &&
    Array.isArray(candidate.values)
  );
}

/** A short name for what a column holds: `number`, `date`, `list`, …; `mixed` where the values disagree. */
export function columnType(values: Iterable<unknown>): string {
  let found = "null";
  for (const value of values) {
    const type = valueType(value);
    if (type === "null" || type === found) continue;
    if (found !== "null") return "mixed";
    found = type;
  }
  return found;
}

function valueType(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (value instanceof Date) return "date";
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return "list";
  return typeof value;
}

/** The key of the method by which an object of ours gives the table that it shows itself as. */
export const tableSymbol: unique symbol = Symbol("siteframe.table");
