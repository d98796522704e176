import type { ColumnTable } from "arquero";
import type { PropertyDefinition } from "../../api/resources.js";
import { textOrder } from "../../core/text-order.js";
import { optionList } from "../../layer/option-labels.js";
import { byImportance, byWords, nameProcess } from "../../tables/order/process-words.js";
import type { Dates } from "../time/date-grid.js";
import { endingDay } from "../time/valid-time.js";
import { chartDate, chartGrid, type LogTimes } from "./chart-date.js";
import { labels, valueLabel } from "./value-label.js";

/** The data of a history that the order of values depends on. */
export interface LoggedValues extends LogTimes {
  counts(column: string, dates: Dates): ColumnTable;
  transitions(column: string): ColumnTable;
  definitions(column: string): readonly PropertyDefinition[];
}

/** Number of features that have a value at a date, by the value's label. */
export interface DatedCount {
  readonly time: number;
  readonly label: string;
  readonly count: number;
}

/** The ordered values of a column. */
export interface ValueOrder {
  /** Labels of all values that the column ever had. */
  readonly values: readonly string[];
  /** The same with unused choices: the index of a value here determines its color. */
  readonly places: readonly string[];
  /** Whether they are the steps of a process: by their words, or because most features move from one to a later one. */
  readonly isProcess: boolean;
  /** Whether a definition lists them: numbers among them are codes. */
  readonly isListed: boolean;
}

/** Orders of whole logs, which never change: a slider draws a figure of one history many times. */
const wholeOrders = new WeakMap<LoggedValues, Map<string, ValueOrder>>();

/**
 * The values of a history's column: first the choices of its definition, then the others in the order of the process.
 * The order depends only on the definition and the whole log, so figures of any part have the same order and colors.
 *
 * @param counts counts on the dates of the whole log, if known already
 */
export function valueOrder(history: LoggedValues, column: string, counts?: readonly DatedCount[]): ValueOrder {
  const orders = wholeOrders.get(history) ?? new Map<string, ValueOrder>();
  const cached = orders.get(column);
  if (cached) return cached;
  const dated = counts ?? wholeCounts(history, column);
  const flows = flowsOf(history, column);
  const ordered = optionsFirst(history.definitions(column), inCourse(dated, flows));
  const order = { ...ordered, isProcess: ordered.isProcess || goForward(ordered.places, flows, mostAtOnce(dated)) };
  wholeOrders.set(history, orders.set(column, order));
  return order;
}

function wholeCounts(history: LoggedValues, column: string): readonly DatedCount[] {
  const table = history.counts(column, chartGrid(history, undefined));
  const [dates, values, counts] = ["date", "value", "count"].map((name) => table.array(name));
  const states = table.columnNames().includes("state") ? table.array("state") : undefined;
  return Array.from({ length: table.numRows() }, (_, row) =>
    datedCount(dates?.[row], { value: values?.[row], state: states?.[row] }, counts?.[row]),
  );
}

/** Number of features with a value at a date. */
export function datedCount(
  date: unknown,
  { value, state }: { readonly value: unknown; readonly state: unknown },
  count: unknown,
): DatedCount {
  return { time: chartDate(endingDay(date)).getTime(), label: valueLabel(value, state), count: Number(count) };
}

/** Values in an order, preceded by the choices of their column's definitions. */
export function optionsFirst(
  definitions: readonly PropertyDefinition[],
  values: readonly string[],
  used: ReadonlySet<string> = new Set(values),
): ValueOrder {
  const options = listedLabels(definitions, used);
  const listed = [...new Set([...options, ...values])];
  const ranked = options.length === 0 ? (inWords(values, used) ?? listed) : listed;
  return {
    values: ranked.filter((label) => used.has(label)),
    places: ranked,
    isProcess: nameProcess(ranked),
    isListed: options.length > 0,
  };
}

/**
 * The order that words suggest without choices of a definition: priorities, which no log has from low to high, and
 * without a log also the process.
 */
function inWords(logged: readonly string[], used: ReadonlySet<string>): readonly string[] | undefined {
  const all = [...new Set([...logged, ...used])];
  const ordered = (logged.length === 0 ? byWords : byImportance)(named(all));
  return ordered && [...ordered, ...all.filter((label) => !ordered.includes(label))];
}

const special: readonly string[] = Object.values(labels);

/** Labels of values. */
export function named(all: readonly string[]): readonly string[] {
  return all.filter((label) => !special.includes(label));
}

/** Whether at least half of the features move from one value to another, and two of three times to a later one. */
function goForward(ranked: readonly string[], flows: readonly Flow[], features: number): boolean {
  const steps = flows.filter(({ from, to }) => from !== to && !special.includes(from) && !special.includes(to));
  const sum = (some: readonly Flow[]) => some.reduce((total, { count }) => total + count, 0);
  const placeOf = new Map(ranked.map((label, index) => [label, index]));
  const forward = steps.filter(({ from, to }) => Number(placeOf.get(from)) < Number(placeOf.get(to)));
  return steps.length > 0 && sum(steps) >= features / 2 && sum(forward) >= (2 / 3) * sum(steps);
}

/** The maximum number of features at a date. */
function mostAtOnce(counts: readonly DatedCount[]): number {
  const totals = new Map<number, number>();
  for (const { time, count } of counts) totals.set(time, (totals.get(time) ?? 0) + count);
  return Math.max(0, ...totals.values());
}

/**
 * Labels in an order that follows the log more often than not; if several do, by rank in the process, then by the mean
 * date at which features have a value.
 */
export function inCourse(counts: readonly DatedCount[], flows: readonly Flow[]): readonly string[] {
  const steps = processPlaces(flows);
  const times = meanTimes(counts);
  const compare = textOrder();
  // Values held only between two dates occur only in the log.
  const all = new Set([...times.keys(), ...steps.keys()]);
  const sorted = [...all].sort(
    (a, b) => (steps.get(b) ?? 0) - (steps.get(a) ?? 0) || (times.get(a) ?? 0) - (times.get(b) ?? 0) || compare(a, b),
  );
  const before = predecessors(flows);
  const left = new Set(sorted);
  const isFree = (label: string) => !before.get(label)?.some((other) => left.has(other));
  const ordered: string[] = [];
  while (left.size > 0) {
    // Values in a cycle begin with the first of them.
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

/** The labels that each label comes from more often than it goes to. */
function predecessors(flows: readonly Flow[]): ReadonlyMap<string, readonly string[]> {
  const countOf = new Map(flows.map(({ from, to, count }) => [JSON.stringify([from, to]), count]));
  const before = new Map<string, string[]>();
  for (const { from, to, count } of flows) {
    if (from === to || count <= (countOf.get(JSON.stringify([to, from])) ?? 0)) continue;
    before.set(to, [...(before.get(to) ?? []), from]);
  }
  return before;
}

function meanTimes(counts: readonly DatedCount[]): ReadonlyMap<string, number> {
  const sums = new Map<string, { count: number; time: number }>();
  const [first] = counts;
  for (const { time, label, count } of counts) {
    const sum = sums.get(label) ?? { count: 0, time: 0 };
    // Relative to the first date, so that products stay exact.
    sums.set(label, { count: sum.count + count, time: sum.time + count * (time - (first?.time ?? 0)) });
  }
  return new Map([...sums].map(([label, { count, time }]) => [label, count === 0 ? 0 : time / count]));
}

/** How often one value followed another in the whole log. */
function flowsOf(history: LoggedValues, column: string): readonly Flow[] {
  const table = history.transitions(column);
  const [sources, targets, counts] = ["from", "to", "count"].map((name) => table.array(name));
  return Array.from({ length: table.numRows() }, (_, row) => ({
    from: valueLabel(sources?.[row]),
    to: valueLabel(targets?.[row]),
    count: Number(counts?.[row]),
  }));
}

/** How often one value followed another. */
interface Flow {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/**
 * Rank of each value in a process, by the flows into and out of it: 1 for starts, -1 for ends, in halves. Values in
 * between are roughly balanced and share a rank.
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
  const index = ({ into, outOf }: { into: number; outOf: number }) =>
    Math.round((2 * (outOf - into)) / Math.max(outOf + into, 1)) / 2;
  return new Map([...sums].map(([value, sum]) => [value, index(sum)]));
}

/**
 * Labels of the choices in definitions, in their order: each by its code or by its label, whichever the data have.
 *
 * @param used labels in the data
 */
export function listedLabels(definitions: readonly PropertyDefinition[], used: ReadonlySet<string>): readonly string[] {
  const options = definitions.flatMap(optionList);
  const areLabels = options.some(({ label }) => label !== undefined && used.has(label));
  const listed = options.flatMap(({ code, label = String(code) }) => {
    const ofCode = valueLabel(code);
    // Codes without a label in the definition remain codes among labels.
    return used.has(ofCode) && !used.has(label) ? [ofCode] : [areLabels ? label : ofCode];
  });
  return [...new Set(listed)];
}
