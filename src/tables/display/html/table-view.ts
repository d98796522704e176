import type { ColumnTable } from "arquero";
import { type DateFormat, shownDates } from "../../../core/format/format-date.js";
import { ISO_DAY } from "../../../core/format/format-local.js";
import type { NumberForm } from "../../../core/format/format-number.js";
import { provenanceText } from "../../../core/format/format-provenance.js";
import { provenanceOf, reportLocale } from "../../../core/provenance.js";
import { type CountedColumn, countedColumn } from "../../column/column.js";
import { type ColumnFormat, columnFormat, numberForm, shownUnit } from "../../column/column-format.js";
import { formatValue } from "../format-value.js";
import { cellKind } from "../live/embedded-column.js";

/** One column of a displayed table. */
export interface ColumnView {
  readonly name: string;
  /** Type under the name. Default: inferred from the values shown. */
  readonly type?: string;
  readonly at: (row: number) => unknown;
  /** The same rows, if their values can be counted without decoding each one. */
  readonly counted?: CountedColumn;
  /** Unit, decimals and time zone. */
  readonly format?: ColumnFormat;
  /** True for row labels, which are shown but are not part of the data. */
  readonly isIndex?: boolean;
}

/** A table cell as text. `dim` marks placeholders such as `null`. */
export interface FormattedCell {
  readonly text: string;
  readonly dim: boolean;
  /** Whether the value is missing: null, or undefined, which joins produce. */
  readonly isMissing?: true;
  /** The number itself, which may be shown with fewer digits. */
  readonly number?: number | bigint;
  /** Milliseconds since 1970 of a date, which may be shown with less precision. */
  readonly time?: number;
}

/** The parts of a table that `renderTable` needs, from any source. */
export interface TableView {
  readonly rowCount: number;
  readonly columns: readonly ColumnView[];
  /** Shown above the table. */
  readonly caption?: string;
  /** Origin and age of the values. Shown below the table, after the counts. */
  readonly age?: string;
  /** File name for its rows, without extension. */
  readonly file?: string;
  /** Code for an Arquero table of these rows and columns: a variable name to replace, and its definition. */
  readonly code?: string;
  /** The value that the rows are read from. While it lives, a kernel can return more of them. */
  readonly owner?: object;
}

/** The shown part of a table, read once and formatted. */
export interface ShownTable {
  readonly caption: string;
  readonly columns: readonly ShownColumn[];
  readonly shownRows: number;
  readonly rowCount: number;
  /** Number of columns that are not shown. */
  readonly left: number;
  /** Origin and age of the values; may be empty. */
  readonly age: string;
}

/** One shown column; numeric columns are aligned right. */
export interface ShownColumn {
  readonly name: string;
  readonly unit: string;
  readonly type: string;
  readonly isIndex: boolean;
  readonly numeric: boolean;
  /** Form of its numbers. */
  readonly numbers: NumberForm;
  /** Time zone and precision of its dates. */
  readonly dates: DateFormat;
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
  const { unit, timeZone = "UTC" } = column.format ?? {};
  const kind = cellKind(values, column.type);
  const times = cells.map(({ time = null }) => time);
  return {
    name: column.name,
    unit: unit ?? "",
    isIndex: column.isIndex === true,
    type: column.type ?? columnType(values),
    numeric: kind === "number" || kind === "bigint",
    numbers: numberForm(column, values),
    dates: { ...shownDates(timeZone), unit: shownUnit(times, column.format ?? {}) },
    cells,
  };
}

/** Formats one value for one line of a table. */
function formatCell(value: unknown): FormattedCell {
  const text = formatValue(value);
  if (value === null || value === undefined) return { text, dim: true, isMissing: true };
  if (typeof value === "number") return { text, dim: Number.isNaN(value), number: value };
  if (typeof value === "bigint") return { text, dim: false, number: value };
  // Reports write the dates of properties out, too.
  const isDay = typeof value === "string" && reportLocale() !== undefined && ISO_DAY.test(value);
  const time = value instanceof Date ? value.getTime() : isDay ? Date.parse(value) : Number.NaN;
  return { text, dim: false, ...(Number.isNaN(time) ? {} : { time }) };
}

interface ArqueroLike {
  numRows(): number;
  columnNames(): string[];
  /** Rows are numbered as shown: after the table's filter, in its order. */
  getter(name: string): (row: number) => unknown;
  /** The stored column, if the table has the method. */
  column?(name: string): unknown;
  isFiltered?(): boolean;
  isOrdered?(): boolean;
}

/** Readers of an Arquero table's column; also counts if the rows of the table are those of the column. */
export function columnReaders(table: ArqueroLike, name: string): Pick<ColumnView, "at" | "counted"> {
  const isWhole = table.isFiltered?.() === false && table.isOrdered?.() === false;
  const counted = isWhole ? countedColumn(Object(table.column?.(name))) : undefined;
  return { at: table.getter(name), ...(counted ? { counted } : {}) };
}

/** An Arquero table as a `TableView`, recognized by its methods so that Arquero need not be loaded. */
export function arqueroView(value: ColumnTable): TableView;
export function arqueroView(value: unknown): TableView | undefined;
export function arqueroView(value: unknown): TableView | undefined {
  if (!isArqueroLike(value)) return undefined;
  const columns = value.columnNames().map((name) => {
    return { name, ...columnReaders(value, name), format: columnFormat(value.column?.(name)) };
  });
  const provenance = provenanceOf(value);
  // Values just read from the service are as old as the output that shows them.
  const age = provenance?.origin.kind === "snapshot" ? { age: provenanceText(provenance, "caption") } : {};
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

/** A frame or series of any of Danfo's packages, by its types. */
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

/** A Danfo frame or series as a `TableView`, recognized by its fields so that Danfo need not be loaded. */
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

/** A short name for the contents of a column: `number`, `date`, `list`, …; `mixed` for values of several types. */
export function columnType(values: Iterable<unknown>): string {
  let kind = "null";
  for (const value of values) {
    const type = valueType(value);
    if (type === "null" || type === kind) continue;
    if (kind !== "null") return "mixed";
    kind = type;
  }
  return kind;
}

function valueType(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (value instanceof Date) return "date";
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return "list";
  return typeof value;
}

/** Key of the method that returns the table view of one of Siteframe's objects. */
export const tableSymbol: unique symbol = Symbol("siteframe.table");
