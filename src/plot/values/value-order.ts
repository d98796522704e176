import { History } from "../../history/history.js";
import { historyBehind } from "../../history/questions/history-behind.js";
import { Layer } from "../../layer/layer.js";
import { optionList } from "../../layer/option-labels.js";
import { chartDate, chartGrid } from "./chart-date.js";
import { byCourse, byImportance, nameProcess } from "./process-words.js";
import { tableRows } from "./table-rows.js";
import { labels, valueLabel } from "./value-label.js";

/** Features that have a value at a date, by the value's label. */
interface DatedCount {
  readonly time: number;
  readonly label: string;
  readonly count: number;
}

/** The values of a column in their order. */
export interface ValueOrder {
  /** Labels of all values that the column ever had. */
  readonly values: readonly string[];
  /** The same, with the choices that nobody made: the place of a value here gives its colour. */
  readonly places: readonly string[];
  /** Whether they are the steps of a process: by their words, or since most features go from one to a later one. */
  readonly isProcess: boolean;
  /** Whether a definition lists them: numbers among them are codes. */
  readonly isListed: boolean;
}

/** Of whole logs, which never change: a slider draws a figure of one history again and again. */
const wholeOrders = new WeakMap<History, Map<string, ValueOrder>>();

/**
 * The values of a history's column: first the choices that its definition offers, then the others in the course of the
 * process. It is a fact of the definition and of the whole log: figures of any part of it have one order, and one colour
 * for each value.
 *
 * @param counts on the dates of the whole log, where they are known already
 */
export function valueOrder(history: History, column: string, counts?: readonly DatedCount[]): ValueOrder {
  const orders = wholeOrders.get(history) ?? new Map<string, ValueOrder>();
  const known = orders.get(column);
  if (known) return known;
  const dated = counts ?? datedCounts(history.counts(column, chartGrid(history, undefined)));
  const flows = flowsOf(history, column);
  const named = withOptions(history, column, inCourse(dated, flows));
  const order = { ...named, isProcess: named.isProcess || goForward(named.places, flows, mostAtOnce(dated)) };
  wholeOrders.set(history, orders.set(column, order));
  return order;
}

/** The order of a column's values by those that were found: that of the log where there is one, else what the definition tells. */
export function columnOrder(data: unknown, column: string): (found: ReadonlySet<string>) => ValueOrder {
  const history = historyOf(data, column);
  return (found) => (history ? valueOrder(history, column) : withOptions(data, column, [], found));
}

/** The order of groups by a column, which may be one that no log tells, or of one group of all: then as they were found. */
export function groupOrder(data: unknown, column: string | undefined, found: readonly string[]): ValueOrder {
  const isProperty = column !== undefined && (!(data instanceof History) || data.columns.includes(column));
  const order = isProperty ? columnOrder(data, column)(new Set(found)) : undefined;
  const values = [...new Set([...(order?.values.filter((value) => found.includes(value)) ?? []), ...found])];
  // Of a table that no log tells of the words do.
  const isProcess = order?.isProcess || nameProcess(values);
  return { values, places: order?.places ?? values, isProcess, isListed: order?.isListed ?? false };
}

/** The history that data are, or that they were read from with this column. */
export function historyOf(data: unknown, column: string): History | undefined {
  if (data instanceof History) return data;
  const behind = historyBehind(data);
  return behind instanceof History && behind.columns.includes(column) ? behind : undefined;
}

/** Values in an order, with the choices of the column's definition before them if the data tell. */
export function withOptions(
  data: unknown,
  column: string,
  values: readonly string[],
  found: ReadonlySet<string> = new Set(values),
): ValueOrder {
  const options = optionOrder(data, column, found);
  const listed = [...new Set([...options, ...values])];
  const places = options.length === 0 ? (inWords(values, found) ?? listed) : listed;
  return {
    values: places.filter((label) => found.has(label)),
    places,
    isProcess: nameProcess(places),
    isListed: options.length > 0,
  };
}

/** What words tell without options of a definition: priorities, which no log has from low to high, and where there is no log the course. */
function inWords(logged: readonly string[], found: ReadonlySet<string>): readonly string[] | undefined {
  const special: readonly string[] = Object.values(labels);
  const all = [...new Set([...logged, ...found])];
  const named = all.filter((label) => !special.includes(label));
  const ordered = byImportance(named) ?? (logged.length === 0 ? byCourse(named.toSorted()) : undefined);
  return ordered && [...ordered, ...all.filter((label) => special.includes(label))];
}

/** Whether at least half of the features go from one value to another, and two of three times to a later one. */
function goForward(places: readonly string[], flows: readonly Flow[], features: number): boolean {
  const special: readonly string[] = Object.values(labels);
  const steps = flows.filter(({ from, to }) => from !== to && !special.includes(from) && !special.includes(to));
  const sum = (some: readonly Flow[]) => some.reduce((total, { count }) => total + count, 0);
  const placeOf = new Map(places.map((label, place) => [label, place]));
  const forward = steps.filter(({ from, to }) => Number(placeOf.get(from)) < Number(placeOf.get(to)));
  return steps.length > 0 && sum(steps) >= features / 2 && sum(forward) >= (2 / 3) * sum(steps);
}

/** The most features that there are at a date. */
function mostAtOnce(counts: readonly DatedCount[]): number {
  const totals = new Map<number, number>();
  for (const { time, count } of counts) totals.set(time, (totals.get(time) ?? 0) + count);
  return Math.max(0, ...totals.values());
}

/**
 * The rows of `counts()`, or of a table with `date` and one row a feature.
 *
 * @param amountColumn what rows stand for: `count` features, or a quantity; 1 where `count` is missing
 */
export function datedCounts(
  table: Parameters<typeof tableRows>[0],
  valueColumn = "value",
  hint = "",
  amountColumn = "count",
): readonly DatedCount[] {
  const rows = tableRows(table, hint);
  const [dateAt, valueAt] = [rows.column("date"), rows.column(valueColumn)];
  const stateAt = rows.has("state") ? rows.column("state") : () => undefined;
  const isOne = amountColumn === "count" && !rows.has(amountColumn);
  const countAt = isOne ? () => 1 : rows.column(amountColumn);
  return Array.from({ length: rows.count }, (_, row) => ({
    time: chartDate(dateAt(row)).getTime(),
    label: valueLabel(valueAt(row), stateAt(row)),
    count: Number(countAt(row)),
  }));
}

/**
 * Labels in an order against which the log does not go more often than with it; where that leaves a choice, by place in
 * the process, then by the mean date at which features have a value.
 */
export function inCourse(counts: readonly DatedCount[], flows: readonly Flow[]): readonly string[] {
  const places = processPlaces(flows);
  const moments = meanMoments(counts);
  // What was held between two dates only is in the log alone.
  const all = new Set([...moments.keys(), ...places.keys()]);
  const sorted = [...all].sort(
    (a, b) =>
      (places.get(b) ?? 0) - (places.get(a) ?? 0) || (moments.get(a) ?? 0) - (moments.get(b) ?? 0) || (a < b ? -1 : 1),
  );
  const before = predecessors(flows);
  const left = new Set(sorted);
  const isFree = (label: string) => !before.get(label)?.some((other) => left.has(other));
  const ordered: string[] = [];
  while (left.size > 0) {
    // Values that go round in a circle begin with the first of them.
    const next = firstOf(left, isFree) ?? firstOf(left, () => true) ?? "";
    left.delete(next);
    ordered.push(next);
  }
  return ordered;
}

function firstOf(labels: ReadonlySet<string>, test: (label: string) => boolean): string | undefined {
  for (const label of labels) if (test(label)) return label;
  return undefined;
}

/** The labels that each comes from more often than it goes there. */
function predecessors(flows: readonly Flow[]): ReadonlyMap<string, readonly string[]> {
  const countOf = new Map(flows.map(({ from, to, count }) => [JSON.stringify([from, to]), count]));
  const before = new Map<string, string[]>();
  for (const { from, to, count } of flows) {
    if (from === to || count <= (countOf.get(JSON.stringify([to, from])) ?? 0)) continue;
    before.set(to, [...(before.get(to) ?? []), from]);
  }
  return before;
}

function meanMoments(counts: readonly DatedCount[]): ReadonlyMap<string, number> {
  const sums = new Map<string, { count: number; moment: number }>();
  const [first] = counts;
  for (const { time, label, count } of counts) {
    const sum = sums.get(label) ?? { count: 0, moment: 0 };
    // From the first date on: products stay exact.
    sums.set(label, { count: sum.count + count, moment: sum.moment + count * (time - (first?.time ?? 0)) });
  }
  return new Map([...sums].map(([label, { count, moment }]) => [label, count === 0 ? 0 : moment / count]));
}

/** How often one value followed another in the whole log. */
function flowsOf(history: History, column: string): readonly Flow[] {
  const rows = tableRows(history.transitions(column), "");
  const [fromAt, toAt, countAt] = [rows.column("from"), rows.column("to"), rows.column("count")];
  return Array.from({ length: rows.count }, (_, row) => ({
    from: valueLabel(fromAt(row)),
    to: valueLabel(toAt(row)),
    count: Number(countAt(row)),
  }));
}

/** How often one value followed another. */
interface Flow {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/**
 * Where in a process each value stands, by what flows in and out of it: 1 for where things only begin, -1 for where
 * they end, in halves. Values in between are about even and share a place.
 */
function processPlaces(flows: readonly Flow[]): ReadonlyMap<string, number> {
  const sums = new Map<string, { into: number; outOf: number }>();
  const sumOf = (value: string) => {
    const sum = sums.get(value) ?? { into: 0, outOf: 0 };
    sums.set(value, sum);
    return sum;
  };
  for (const { from, to, count } of flows) {
    sumOf(from).outOf += count;
    sumOf(to).into += count;
  }
  const place = ({ into, outOf }: { into: number; outOf: number }) =>
    Math.round((2 * (outOf - into)) / Math.max(outOf + into, 1)) / 2;
  return new Map([...sums].map(([value, sum]) => [value, place(sum)]));
}

/**
 * Labels of the choices that the definitions of a column offer, in their order: each by its code or by its label,
 * whichever the data have.
 *
 * @param data a history or layer; of other tables nothing is known
 * @param found labels that the data have
 */
export function optionOrder(data: unknown, column: string, found: ReadonlySet<string>): readonly string[] {
  const options = definitionsOf(data, column).flatMap(optionList);
  const areLabels = options.some(({ label }) => label !== undefined && found.has(label));
  const labels = options.flatMap(({ code, label = String(code) }) => {
    const own = valueLabel(code);
    // Codes that the definition gave no label for stay as they are among labels.
    return found.has(own) && !found.has(label) ? [own] : [areLabels ? label : own];
  });
  return [...new Set(labels)];
}

function definitionsOf(data: unknown, column: string) {
  if (data instanceof History) return data.definitions(column);
  return data instanceof Layer ? (data.schema.find((entry) => entry.column === column)?.definitions ?? []) : [];
}

/** Series of a chart of curves or bands beyond which nobody tells them apart, and every one makes the page larger. */
export const MOST_SERIES = 20;
/** Lines of a list or a matrix that can be read. */
export const MOST_LINES = 40;

/** The values that a figure shows, and what it says of the others. */
interface MostFrequent {
  readonly kept: ReadonlySet<string>;
  /** How many are not shown. */
  readonly others: number;
  /** `; the 20 most frequent of 3,000 values`, or nothing where all are shown. */
  readonly note: string;
}

/**
 * Chooses what a figure shows of more values than it can: those that the caller listed, and the most frequent ones. What
 * is unknown and what has none is no value among them and is kept.
 *
 * @param counts how often there is each value, by its label
 * @param noun what the figure calls its values
 */
export function mostFrequent(
  counts: ReadonlyMap<string, number>,
  most: number,
  { listed = [], noun = "values" }: { readonly listed?: readonly unknown[] | undefined; readonly noun?: string } = {},
): MostFrequent {
  const special = [labels.unknown, labels.none];
  const asked = new Set(listed.map((value) => valueLabel(value)));
  const rest = [...counts.keys()].filter((label) => !asked.has(label) && !special.some((one) => one === label));
  const room = Math.max(most - asked.size, 0);
  if (rest.length <= room) return { kept: new Set([...asked, ...counts.keys()]), others: 0, note: "" };
  const frequent = rest.sort((a, b) => Number(counts.get(b)) - Number(counts.get(a))).slice(0, room);
  const all = rest.length + asked.size;
  const shown = asked.size + frequent.length;
  return {
    kept: new Set([...asked, ...frequent, ...special.filter((label) => counts.has(label))]),
    others: all - shown,
    note: `; ${asked.size > 0 ? "" : "the "}${shown} ${asked.size > 0 ? "" : "most frequent "}of ${all.toLocaleString("en-US")} ${noun}`,
  };
}
