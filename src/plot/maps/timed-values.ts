import type { ColumnTable } from "arquero";
import { binarySearch } from "../../core/binary-search.js";
import { ArgumentError } from "../../core/errors.js";
import { formatDay, formatDayOrIso, inUtc } from "../../core/format/format-date.js";
import { dateOf, US_PER_DAY } from "../../core/instant.js";
import { isHistory } from "../../history/is-history.js";
import { chartDate } from "../../history/order/chart-date.js";
import { isUnknown, valueLabel } from "../../history/order/value-label.js";
import { type Dates, resolveGrid } from "../../history/time/date-grid.js";
import { resolveTimePoint, type TimePoint } from "../../history/time/valid-time.js";
import type { History, Layer } from "../../layer/layer.js";
import { formatValue } from "../../tables/display/format-value.js";
import type { IntervalColumn } from "../../tables/display/live/map-payload.js";
import { packNumbers } from "../../tables/display/live/pack-numbers.js";
import { classifyValues } from "../values/classify-values.js";
import { requireDrawable } from "../values/require-drawable.js";
import { tableRows } from "../values/table-rows.js";
import { columnOrder } from "../values/value-order.js";
import { type FeatureHref, featureLinks } from "./feature-links.js";
import { type MapFeature, mapFeatures } from "./map-features.js";
import type { MapValues } from "./map-model.js";

/** Dates and labels of values. */
interface TimedOptions {
  /** Default: the days on which a history's column changed, and every date of a table. */
  readonly dates: Dates | undefined;
  /** Maximum number of a history's days by default: the first, the last, and days in between. */
  readonly maxDays: number;
  readonly order?: readonly unknown[] | undefined;
  readonly thresholds?: readonly number[] | undefined;
  /** Additional columns for tooltips. */
  readonly tip?: readonly string[] | undefined;
  readonly href?: FeatureHref | undefined;
}

/** Values of features at dates, a byte each. */
const MOST_VALUES = 100_000_000;

const hint = "Pass a history, or a table with the columns `date`, `id` and `geometry`.";

/** Values of features at dates, from a history, or from a table with one row per date and feature. */
export function timedValues(data: History | Layer | ColumnTable, column: string, options: TimedOptions): MapValues {
  return isHistory(data) ? fromHistory(data, column, options) : fromTable(data, column, options);
}

/** The days on which a column changed, thinned to a maximum. */
function changeDays(history: History, column: string, maxDays: number): readonly string[] {
  const intervals = history.intervals(column);
  const fromAt = intervals.getter("valid_from_us");
  // Null if the creation time of a feature is unknown.
  const times = Array.from({ length: intervals.numRows() }, (_, row) => fromAt(row) as number | null);
  const sorted = daysOf(
    times.filter((time) => time !== null),
    history.timeZone,
  );
  const step = Math.max(1, (sorted.length - 1) / (maxDays - 1));
  const count = Math.min(sorted.length, maxDays);
  return Array.from({ length: count }, (_, index) => sorted[Math.round(index * step)]).flatMap((day) => day ?? []);
}

/** The calendar dates of times. The calendar is called once per date, since times are many. */
function daysOf(us: readonly number[], timeZone: string): readonly string[] {
  const utc = new Set(us.map((time) => Math.floor(time / US_PER_DAY)));
  const around = new Set([...utc].flatMap((day) => [day - 1, day, day + 1]));
  const days = [...around].sort((a, b) => a - b).map((day) => formatDay(dateOf(day * US_PER_DAY), inUtc));
  const ends = days.map((day) => resolveTimePoint(day, timeZone));
  const dateIndices = new Set(us.map((time) => firstAtOrAfter(ends, time)));
  return days.filter((_, index) => dateIndices.has(index));
}

function fromHistory(history: History, column: string, options: TimedOptions): MapValues {
  const requested = options.dates ?? changeDays(history, column, options.maxDays);
  const { dates } = resolveGrid(requested, history.timeZone);
  const us = dates.map((date) => resolveTimePoint(date, history.timeZone));
  if (us.some((time, index) => time < (us[index - 1] ?? time))) {
    throw new ArgumentError("The dates of a map must be in ascending order.");
  }
  const everything = history.asOf(history.readAt, { columns: [column], absent: "keep" });
  const features = mapFeatures(everything, column);
  requireDrawable(dates.length * features.length, "features at dates", MOST_VALUES);
  const rowOf = new Map(features.map(({ id }, row) => [id, row]));
  const present = tableRows(everything, hint);
  const { count } = present;
  const links = featureLinks(options.href, present, features);
  const intervalsOf = (name: string): readonly ValueInterval[] => {
    if (!history.columns.includes(name) && present.has(name)) {
      return unchanging(everything, name, rowOf, { count, end: us.length });
    }
    return valueIntervals(history.intervals(name), rowOf, us);
  };
  const intervals = intervalsOf(column);
  const { labels, colours, labelOf } = classifyValues(intervals, {
    ...options,
    course: columnOrder(history, column),
  });
  const codeOf = new Map(labels.map((label, index) => [label, index]));
  const classOf = (value: unknown, state: unknown) => codeOf.get(labelOf(value, state)) ?? -1;
  const codes = new Uint8Array(dates.length * features.length);
  for (const { row, first, end, value, state } of intervals) {
    const code = classOf(value, state) + 1;
    for (let date = first; date < end; date += 1) codes[date * features.length + row] = code;
  }
  const tip = besides(options.tip, column);
  // An unknown column is an error now, not when the map is displayed.
  for (const name of tip) if (!history.columns.includes(name) && !present.has(name)) history.intervals(name);
  const tipColumns = () => [
    toldColumn(column, intervals, us.length, classOf),
    ...tip.map((name) => toldColumn(name, intervalsOf(name), us.length)),
  ];
  return { features, dates: dates.map(pointLabel), labels, colours, codes, tipColumns, links };
}

/** The values of a history's column between dates, for the drawn features. */
function valueIntervals(
  table: ColumnTable,
  rowOf: ReadonlyMap<unknown, number>,
  us: readonly number[],
): readonly ValueInterval[] {
  const intervals = tableRows(table, hint);
  const [idAt, valueAt, stateAt] = [intervals.column("id"), intervals.column("value"), intervals.column("state")];
  const [fromAt, toAt] = [intervals.column("valid_from_us"), intervals.column("valid_to_us")];
  return Array.from({ length: intervals.count }, (_, row) => row).flatMap((row) => {
    const index = rowOf.get(idAt(row));
    const first = firstAtOrAfter(us, Number(fromAt(row)));
    const end = toAt(row) === null ? us.length : firstAtOrAfter(us, Number(toAt(row)));
    if (index === undefined || first >= end) return [];
    return [{ row: index, first, end, value: valueAt(row), state: stateAt(row) }];
  });
}

/** Values of a column outside of the log: the same at all dates. */
function unchanging(
  table: ColumnTable,
  column: string,
  rowOf: ReadonlyMap<unknown, number>,
  { count, end }: { readonly count: number; readonly end: number },
): readonly ValueInterval[] {
  const rows = tableRows(table, hint);
  const [idAt, valueAt] = [rows.column("id"), rows.column(column)];
  return Array.from({ length: count }, (_, row) => row).flatMap((row) => {
    const index = rowOf.get(idAt(row));
    return index === undefined ? [] : [{ row: index, first: 0, end, value: valueAt(row) }];
  });
}

function fromTable(data: Layer | ColumnTable, column: string, options: TimedOptions): MapValues {
  const rows = tableRows(data, hint);
  const [dateAt, idAt] = [rows.column("date"), rows.column("id")];
  rows.column("geometry");
  const all = Array.from({ length: rows.count }, (_, row) => ({
    id: idAt(row),
    date: pointLabel(dateAt(row) as TimePoint),
  }));
  const dates = options.dates
    ? resolveGrid(options.dates, "UTC").dates.map(pointLabel)
    : [...new Set(all.map(({ date }) => date))].sort();
  const dayOf = new Map(dates.map((date, index) => [date, index]));
  const valueAt = rows.column(column);
  const features = new Map<unknown, MapFeature>();
  for (const feature of mapFeatures(data, column)) features.set(feature.id, features.get(feature.id) ?? feature);
  const rowOfId = new Map([...features.keys()].map((id, index) => [id, index]));
  const { labels, colours, labelOf } = classifyValues(
    all.map((_, row) => ({ value: valueAt(row) })),
    { ...options, course: columnOrder(data, column) },
  );
  const classOf = (value: unknown) => labels.indexOf(labelOf(value));
  const codes = new Uint8Array(dates.length * features.size);
  const drawn = all.flatMap(({ id, date }, from) => {
    const [row, first] = [rowOfId.get(id), dayOf.get(date)];
    return row === undefined || first === undefined ? [] : [{ row, first, end: first + 1, from }];
  });
  for (const { row, first, from } of drawn) codes[first * features.size + row] = classOf(valueAt(from)) + 1;
  const tip = besides(options.tip, column);
  for (const name of tip) rows.column(name);
  const tipColumn = (name: string, classes?: typeof classOf) => {
    const at = rows.column(name);
    const intervals = drawn.map(({ from, ...interval }) => ({ ...interval, value: at(from) }));
    return toldColumn(name, intervals, dates.length, classes);
  };
  const tipColumns = () => [tipColumn(column, classOf), ...tip.map((name) => tipColumn(name))];
  const drawnFeatures = [...features.values()];
  const links = featureLinks(options.href, rows, drawnFeatures);
  return { features: drawnFeatures, dates, labels, colours, codes, tipColumns, links };
}

/** The columns in tooltips besides the name and the drawn column. */
export function besides(tip: readonly string[] = [], column?: string): readonly string[] {
  return [...new Set(tip)].filter((name) => name !== column && name !== "visible_id");
}

function firstAtOrAfter(sorted: readonly number[], value: number): number {
  return binarySearch(sorted.length, (index) => (sorted[index] as number) < value);
}

function pointLabel(point: TimePoint): string {
  if (typeof point === "string") return point;
  return formatDayOrIso(chartDate(point), inUtc);
}

/** A value of a feature from the date index `first` up to `end`, exclusive. */
interface ValueInterval {
  readonly row: number;
  readonly first: number;
  readonly end: number;
  readonly value: unknown;
  /** How the value is known, if not plain. */
  readonly state?: unknown;
}

/** Significant digits of a non-integer number. */
const DIGITS = 6;

/**
 * A column with as few strings and changes as possible.
 *
 * @param dates number of dates
 * @param classOf index of a value's label in the legend
 */
export function toldColumn(
  label: string,
  intervals: Iterable<ValueInterval>,
  dates: number,
  classOf?: (value: unknown, state: unknown) => number,
): IntervalColumn {
  const rowOfId = new Map<string, number>();
  const [texts, classes]: [string[], number[]] = [[], []];
  const changes = Array.from({ length: dates }, () => ({ ends: [] as number[], begins: [] as [number, number][] }));
  for (const { row, first, end, value, state } of intervals) {
    const text = cellText(value, state);
    const index = classOf?.(value, state) ?? 0;
    const key = `${index} ${text}`;
    const code = rowOfId.get(key) ?? rowOfId.size + 1;
    if (code > rowOfId.size) {
      rowOfId.set(key, code);
      texts.push(text);
      classes.push(index + 1);
    }
    changes[first]?.begins.push([row, code]);
    changes[end]?.ends.push(row);
  }
  const current = new Map<number, number>();
  const packed = changes.map(({ ends, begins }) => packNumbers(changedCodes(current, ends, begins)));
  return { label, texts, ...(classOf ? { classes: packNumbers(classes) } : {}), dates: packed };
}

/** The changed pairs of a date. Updates `current`, the last code of each row. */
function changedCodes(
  current: Map<number, number>,
  ends: readonly number[],
  begins: readonly (readonly [row: number, code: number])[],
): readonly number[] {
  const next = new Map<number, number>(ends.map((row) => [row, 0]));
  for (const [row, code] of begins) next.set(row, code);
  const changed = [...next].filter(([row, code]) => (current.get(row) ?? 0) !== code).sort(([a], [b]) => a - b);
  let [rowBefore, codeBefore] = [-1, 0];
  return changed.flatMap(([row, code]) => {
    current.set(row, code);
    const pair = [row - rowBefore, code - codeBefore];
    [rowBefore, codeBefore] = [row, code];
    return pair;
  });
}

/** A cell in words; a non-integer number with its significant digits. */
function cellText(value: unknown, state: unknown): string {
  if (typeof value !== "number" || Number.isInteger(value) || isUnknown(state)) return valueLabel(value, state);
  return formatValue(Number(value.toPrecision(DIGITS)));
}
