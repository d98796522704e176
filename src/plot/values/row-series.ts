import type { ColumnTable } from "arquero";
import { counted } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { MS_PER_DAY } from "../../core/instant.js";
import { showTimeOrNumber } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { chartDate } from "../../history/order/chart-date.js";
import { valueLabel } from "../../history/order/value-label.js";
import type { Layer } from "../../layer/layer.js";
import { momentText } from "../tips/value-text.js";
import { type Getter, tableRows } from "./table-rows.js";

/** The columns that rows are read by. */
interface SeriesColumns {
  readonly x: string;
  readonly y: string;
  /** Their values name the series; one series of all rows without any. */
  readonly by: readonly string[];
}

/** A row with a place on the axis. */
export interface SeriesPoint {
  readonly x: number;
  /** null where the row has no number. */
  readonly y: number | null;
}

/** The rows of a name, or of several. */
export interface RowSeries {
  readonly names: readonly string[];
  /** By `x` ascending. */
  readonly points: readonly SeriesPoint[];
}

/** The rows of a table as series. */
export interface RowSeriesList {
  /** In the order in which they are found. */
  readonly series: readonly RowSeries[];
  /** Whether `x` is milliseconds since 1970, and no number. */
  readonly isTime: boolean;
  /** What to know of rows that are not drawn, or stand above each other; a sentence each. */
  readonly notes: readonly string[];
  /** The unit of the numbers, where the layer says one. */
  readonly unit: string | undefined;
  /** A place on the axis as texts say it. */
  readonly told: (x: number) => string;
}

/**
 * Reads the rows of a layer or table as series of numbers along dates or numbers.
 *
 * @param call as users write it: `lines()`
 * @throws ArgumentError for columns that there are not, and values that are no dates or numbers
 */
export function rowSeries(call: string, data: Layer | ColumnTable, { x, y, by }: SeriesColumns): RowSeriesList {
  const rows = tableRows(data, `Give a layer or an Arquero table, and name its columns: { x: "date", y: "count" }.`);
  const [xAt, yAt] = [rows.column(x), rows.column(y)];
  const stateAt: Getter = rows.has("state") ? rows.column("state") : () => undefined;
  // The state of an answer of a history is that of its value.
  const namesAt = by.map((name) => ({ at: rows.column(name), state: name === "value" ? stateAt : () => undefined }));
  const found = new Map<string, { readonly names: readonly string[]; readonly points: SeriesPoint[] }>();
  let [isTime, noPlace, noNumber]: [boolean | undefined, number, number] = [undefined, 0, 0];
  for (let row = 0; row < rows.count; row += 1) {
    const place = placeOf(call, xAt(row), x, row);
    if (!place) {
      noPlace += 1;
      continue;
    }
    isTime ??= place.isTime;
    if (isTime !== place.isTime) throw notPlaced(call, xAt(row), x, row, isTime ? "not a date" : "not a number");
    const names = namesAt.map(({ at, state }) => valueLabel(at(row), state(row)));
    const key = JSON.stringify(names);
    const own = found.get(key) ?? { names, points: [] };
    found.set(key, own);
    const amount = numberOf(call, yAt(row), y, row);
    if (amount === null) noNumber += 1;
    own.points.push({ x: place.x, y: amount });
  }
  const series = [...found.values()].map(({ names, points }) => ({ names, points: points.sort((a, b) => a.x - b.x) }));
  const all = series.map(({ points }) => points);
  const twice = all
    .map((points) => points.filter((point, at) => point.x === points[at - 1]?.x).length)
    .reduce((sum, count) => sum + count, 0);
  const areDays = all.every((points) => points.every((point) => point.x % MS_PER_DAY === 0));
  return {
    series,
    isTime: isTime === true,
    notes: [
      ...(noPlace > 0 ? [`${counted(noPlace, "row")} without ${showValue(x)}.`] : []),
      ...(noNumber > 0 ? [`${counted(noNumber, "row")} without ${showValue(y)}.`] : []),
      ...(twice > 0 ? [`${counted(twice, "row")} at the same ${x} as another of the same line.`] : []),
    ],
    unit: rows.unit(y),
    told: (at) =>
      isTime ? momentText(new Date(at), areDays) : at.toLocaleString("en-US", { maximumFractionDigits: 6 }),
  };
}

/** @returns undefined if there is none */
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
    hint: "All rows have dates (`2026-06-30`, an instant or a Date), or all have numbers.",
    facts: { column, row },
  });
}

/** @returns null if there is none */
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
