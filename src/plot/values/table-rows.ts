import type { ColumnTable } from "arquero";
import { counted } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { requireAwaited } from "../../core/forgotten-await.js";
import { dayOrMinute, formatDate, inUtc, localMs } from "../../core/format/format-date.js";
import { formatNumber } from "../../core/format/format-number.js";
import { showTimeOrNumber } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { LazyHistory } from "../../history/lazy/lazy-history.js";
import { chartDate } from "../../history/order/chart-date.js";
import { valueLabel } from "../../history/order/value-label.js";
import { Layer } from "../../layer/layer.js";
import { type ColumnFormat, columnFormat } from "../../tables/column/column-format.js";
import { noColumn } from "../../tables/column/missing-column.js";

/** Reads one cell of a row. */
export type Getter = (row: number) => unknown;

/** The rows of a layer or a table, in their order. */
export interface TableRows {
  readonly count: number;
  readonly names: readonly string[];
  has(column: string): boolean;
  /**
   * Values to draw. Dates are local times in the zone of the column, as if UTC: axes and tooltips have no other zone.
   *
   * @throws ArgumentError for an unknown column, with the probable name
   */
  column(name: string): Getter;
  /** The format of a column: its unit, decimals and time zone, as far as its layer has them. */
  format(column: string): ColumnFormat;
}

/**
 * @param hint what to pass instead
 * @throws ArgumentError for a promise, and for a lazy history
 */
export function requireAnswered(data: unknown, hint: string): void {
  requireAwaited(data);
  if (!(data instanceof LazyHistory)) return;
  throw new ArgumentError("Figures need a history or a table, got a lazy history.", {
    hint: `${hint} Use \`await snapshot.history(…)\`, or await a table of the lazy history: \`await lazy.counts(…)\`.`,
  });
}

/** Reads a layer or any Arquero table. `hint` is the fix in the error. */
export function tableRows(data: Layer | ColumnTable, hint: string): TableRows {
  requireAnswered(data, hint);
  const table = data instanceof Layer ? data.table : data;
  if (typeof table?.columnNames !== "function") {
    throw new ArgumentError(`Not a layer, history or Arquero table: ${showValue(data)}.`, { hint });
  }
  const names = table.columnNames();
  return {
    count: table.numRows(),
    names,
    has: (column) => names.includes(column),
    column(name) {
      // A table of no records has no columns.
      if (names.length === 0 && table.numRows() === 0) return () => undefined;
      if (!names.includes(name)) throw noColumn(name, table, hint);
      const [at, { timeZone = "UTC" }] = [table.getter(name), columnFormat(table.column(name))];
      return timeZone === "UTC" ? at : (row) => localTime(at(row), timeZone);
    },
    format: (column) => columnFormat(table.column(column)),
  };
}

function localTime(value: unknown, timeZone: string): unknown {
  return value instanceof Date ? new Date(localMs(value.getTime(), timeZone)) : value;
}

/** Note about the times of a figure; an empty string for UTC. */
export function zoneNote(timeZone = "UTC"): string {
  return timeZone === "UTC" ? "" : `Times are in ${timeZone}.`;
}

/** Columns of the series. */
interface SeriesColumns {
  readonly x: string;
  readonly y: string;
  /** Columns whose values name the series; if empty, all rows are one series. */
  readonly by: readonly string[];
}

/** A row with a position on the axis. */
export interface SeriesPoint {
  readonly x: number;
  /** null if the row has no number. */
  readonly y: number | null;
}

/** The rows of one name, or of a combination of names. */
export interface RowSeries {
  readonly names: readonly string[];
  /** By `x`, ascending. */
  readonly points: readonly SeriesPoint[];
}

/** The rows of a table as series. */
export interface RowSeriesList {
  /** In order of occurrence. */
  readonly series: readonly RowSeries[];
  /** Whether `x` is milliseconds since 1970 instead of a number. */
  readonly isTime: boolean;
  /** Notes about rows that are not drawn, or overlap; one sentence each. */
  readonly notes: readonly string[];
  /** The unit of the numbers, if the layer has one. */
  readonly unit: string | undefined;
  /** Formats a position on the axis. */
  readonly textOf: (x: number) => string;
}

/**
 * Returns the rows of a layer or table as series of numbers along dates or numbers.
 *
 * @param call for messages: `lines()`
 * @throws ArgumentError for unknown columns, and values that are not dates or numbers
 */
export function rowSeries(call: string, data: Layer | ColumnTable, { x, y, by }: SeriesColumns): RowSeriesList {
  const rows = tableRows(data, `Pass a layer or an Arquero table, and its columns: { x: "date", y: "count" }.`);
  const [xAt, yAt] = [rows.column(x), rows.column(y)];
  const stateAt: Getter = rows.has("state") ? rows.column("state") : () => undefined;
  // The state column of a history's table belongs to its value.
  const namesAt = by.map((name) => ({ at: rows.column(name), state: name === "value" ? stateAt : () => undefined }));
  const byKey = new Map<string, { readonly names: readonly string[]; readonly points: SeriesPoint[] }>();
  let [isTime, noPlace, noNumber]: [boolean | undefined, number, number] = [undefined, 0, 0];
  for (let row = 0; row < rows.count; row += 1) {
    const position = placeOf(call, xAt(row), x, row);
    if (!position) {
      noPlace += 1;
      continue;
    }
    isTime ??= position.isTime;
    if (isTime !== position.isTime) throw notPlaced(call, xAt(row), x, row, isTime ? "not a date" : "not a number");
    const names = namesAt.map(({ at, state }) => valueLabel(at(row), state(row)));
    const key = JSON.stringify(names);
    const line = byKey.get(key) ?? { names, points: [] };
    byKey.set(key, line);
    const amount = numberOf(call, yAt(row), y, row);
    if (amount === null) noNumber += 1;
    line.points.push({ x: position.x, y: amount });
  }
  const series = [...byKey.values()].map(({ names, points }) => ({ names, points: points.sort((a, b) => a.x - b.x) }));
  const all = series.map(({ points }) => points);
  const twice = all
    .map((points) => points.filter((point, at) => point.x === points[at - 1]?.x).length)
    .reduce((sum, count) => sum + count, 0);
  const unit = isTime
    ? dayOrMinute(
        all.flatMap((points) => points.map(({ x }) => x)),
        inUtc,
      )
    : 1;
  return {
    series,
    isTime: isTime === true,
    notes: [
      ...(noPlace > 0 ? [`${counted(noPlace, "row")} without ${showValue(x)}.`] : []),
      ...(noNumber > 0 ? [`${counted(noNumber, "row")} without ${showValue(y)}.`] : []),
      ...(isTime ? [zoneNote(rows.format(x).timeZone)].filter((note) => note !== "") : []),
      ...(twice > 0 ? [`${counted(twice, "row")} at the same ${x} as another of the same line.`] : []),
    ],
    unit: rows.format(y).unit,
    textOf: (at) => (isTime ? formatDate(at, { ...inUtc, unit }) : formatNumber(at, { decimals: 6 })),
  };
}

/** @returns undefined if the cell is empty */
function placeOf(
  call: string,
  value: unknown,
  column: string,
  row: number,
): { readonly x: number; readonly isTime: boolean } | undefined {
  if (value === null || value === undefined || value === "" || Number.isNaN(value)) return undefined;
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) {
    return { x: Number(value), isTime: false };
  }
  try {
    return { x: chartDate(value).getTime(), isTime: true };
  } catch {
    throw notPlaced(call, value, column, row, "not a date or number");
  }
}

function notPlaced(call: string, value: unknown, column: string, row: number, what: string): ArgumentError {
  return new ArgumentError(`${call}: ${column} of row ${row} is ${showTimeOrNumber(value)}, ${what}.`, {
    hint: "Use dates in all rows (`2026-06-30`, an instant or a Date), or numbers in all rows.",
    facts: { column, row },
  });
}

/** @returns null if the cell is empty */
function numberOf(call: string, value: unknown, column: string, row: number): number | null {
  if (value === null || value === undefined || value === "") return null;
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  if (Number.isNaN(number)) return null;
  throw new ArgumentError(`${call}: ${column} of row ${row} is ${showTimeOrNumber(value)}, not a number.`, {
    hint: "Count values first, with history.counts() or layer.table.groupby(…).count().",
    facts: { column, row },
  });
}
