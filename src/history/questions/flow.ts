import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { dateOf } from "../../core/instant.js";
import { anything, type OptionRules, oneOf, text } from "../../core/options.js";
import { quantile } from "../../core/quantile.js";
import { type Column, computedColumn } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { cellValue } from "../cell/cell-state.js";
import { censoringTime } from "../cell/censoring-time.js";
import type { HistoryData } from "../cell/history-data.js";
import { columnValues, requireHeld, valueList } from "../cell/value-sets.js";
import { chooseColumn } from "../columns/choose-columns.js";
import type { Step } from "../time/date-grid.js";
import { type CalendarOption, calendarRule, dayUnit, givenCalendar, type TimeUnit } from "../time/time-unit.js";
import type { TimeLimit, TimePoint } from "../time/valid-time.js";
import { specify } from "./define/specification.js";
import { type OpenIntervals, openIntervals, Periods, periodTable } from "./memory/flow-periods.js";
import { type Due, DueDates, knownLength, namesRule, TicketGroups } from "./memory/ticket-columns.js";

/** Options of `history.flow()`. */
export interface FlowOptions extends CalendarOption {
  /** The value, or an array of values, for which an item is done. */
  readonly done: unknown;
  /**
   * The value, or an array of values, that starts the work. An item is in progress from there until it is done,
   * whatever its values in between. Default: work starts when an item arrives.
   */
  readonly start?: unknown;
  /**
   * The value, or an array of values, in which an item is waiting; none of them may be in `done`. Adds the waiting time
   * to cycles, percentiles and work.
   */
  readonly blocked?: unknown;
  /**
   * Length of the intervals: `"day"`, `"week"` (from Monday), `"month"`, `"quarter"`, `"year"` or an ISO 8601 duration.
   * Default: `"week"`.
   */
  readonly every?: Step;
  /**
   * Start of the first interval. Default: the Monday, or the first day of the month, quarter or year, before the first
   * arrival.
   */
  readonly from?: TimePoint;
  /** End of the counting. Default: `until` of the history. */
  readonly until?: TimePoint;
  /**
   * A base field, a property or a column added with `derive()` to group by, or several of them, as of each event; for
   * open items, as of the end of the interval.
   */
  readonly by?: string | readonly string[];
  /**
   * A base field, a property or a column added with `derive()` that holds the due date of an item, as of when it was
   * done. Adds `met`, `missed` and `no_due`.
   */
  readonly due?: string;
  /**
   * How to count cycles whose start is unknown because the status before the first change is unknown. `"creation"`
   * counts from the creation of the feature, which gives the maximum cycle time, or from the first change if the
   * creation time is unknown. `"drop"` gives them no cycle time. Default: `"creation"`.
   */
  readonly unknownStart?: "creation" | "drop";
}

/** Rules for the options. */
export const flowRules: OptionRules<FlowOptions> = {
  done: columnValues("that means that an item is done"),
  start: columnValues("with which work begins"),
  blocked: columnValues("in which an item waits for something"),
  every: text,
  from: anything,
  until: anything,
  by: namesRule,
  due: text,
  unknownStart: oneOf("creation", "drop"),
  calendar: calendarRule,
};

/** Arrivals and completions by interval, as a table, with the underlying items. */
export interface Flow extends ColumnTable {
  /**
   * Items done in the intervals, in order of time: `id`, `visible_id`, the columns of `by`, `arrived_at`, `started_at`,
   * `done_at`, `cycle_days` (from `started_at`; null if the start is unknown), `lead_days` (from `arrived_at`),
   * `start_known`, `times_done` (1, then 2 after reopening), `is_reopened` (whether it was reopened later). With
   * `blocked`, also `blocked_days`, the part of `cycle_days` in one of these values. With `due`, also `due` and
   * `is_met`.
   */
  readonly cycles: ColumnTable;
  /**
   * Percentiles of `cycle_days`, by the columns of `by`: `done`, `cycles` (the items with a cycle time), `mean_days`,
   * `p50_days`, `p85_days`, `p95_days`, interpolated linearly as in numpy and pandas; null without cycles. With
   * `blocked`, also `mean_blocked_days` and `blocked_share`, the blocked days of all these cycles divided by their
   * days.
   */
  readonly percentiles: ColumnTable;
  /**
   * Items in progress at the end, oldest first: `id`, `visible_id`, `value`, the columns of `by`, `started_at`,
   * `age_days`, `start_known`. With `blocked`, also `blocked_days`, the blocked part of the age.
   */
  readonly work: ColumnTable;
  /** Diagnostics: items whose start is unknown, items that were done from the beginning, and invalid due dates. */
  readonly diagnostics: readonly Diagnostic[];
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns arrivals, throughput and open items by interval: `from`, `to` (excluded), the columns of `by`, `arrivals`
     * (features that became not done for the first time), `reopened` (left a done value), `started`, `throughput`
     * (became done), `net_flow` (`arrivals` + `reopened` − `throughput`), and at the end of the interval `open` (not
     * done), `in_progress` (open and started), `unknown` (open with an unknown status), `is_whole` (false if the
     * interval ends after `until`).
     *
     * `open` changes from one interval to the next by `net_flow`, unless it is grouped by a property. `cycles`,
     * `percentiles` and `work` of the table are the cycle times, their percentiles, and the work in progress. With
     * `calendar`, their days are working days.
     *
     * @param column name of a property column
     * @example
     * ```ts
     * const flow = history.flow("STATUS", { start: "IN_PROGRESS", done: "CLOSED", every: "month" });
     * flow.select("from", "arrivals", "reopened", "started", "throughput", "open").slice(-4)
     * ```
     * @throws ArgumentError also for values that no feature ever had
     */
    flow(column: string, options: FlowOptions): Flow;
  }
}

export const flowSpecification = specify({
  summary: "Arrivals, starts, completions and reopenings by interval, with cycle times and work in progress.",
  takes: ["column"],
  options: flowRules,
  time: (_: string, options?: FlowOptions) => options?.until,
  parts: ["cycles", "percentiles", "work"],
  memory: (data, column: string, options: FlowOptions = NOTHING) => {
    const table = flow(data, column, options);
    return { table, diagnostics: table.diagnostics };
  },
});

/** Used if a caller without a compiler omits the options; the check then reports the missing ones. */
const NOTHING: FlowOptions = { done: undefined };

function flow(data: HistoryData, name: string, options: FlowOptions): Flow {
  const column = chooseColumn(data.names, name);
  const { by } = options;
  const unreached: Diagnostic[] = [];
  const valuesOf = (option: "done" | "start" | "blocked") => {
    const values = valueList(options[option]);
    if (option === "done" || options[option] !== undefined)
      unreached.push(...requireHeld(data, column, option, values));
    return values;
  };
  const [done, start, blocked] = [valuesOf("done"), valuesOf("start"), valuesOf("blocked")];
  const limit = censoringTime(data, options);
  const days = dayUnit(givenCalendar(options));
  const intervals = openIntervals(data, column, {
    done,
    blocked,
    start: options.start === undefined ? undefined : start,
    lastUs: limit.lastUs,
    isFromCreation: options.unknownStart !== "drop",
    length: (fromUs, toUs) => knownLength(days, fromUs, toUs > limit.lastUs ? limit.endUs : toUs),
  });
  const tell = { days, hasBlocked: options.blocked !== undefined, limit };
  const periods = new Periods(data, options, intervals, limit);
  const due = options.due === undefined ? undefined : new DueDates(data, options.due);
  const cycles = listCycles(data, intervals, { periods, by, due });
  const isCycleMet =
    due && ((interval: number) => isMet(cycles.dueOf?.[interval], intervals.doneUs[interval] as number));
  const table = periodTable(data, { periods, intervals, done: cycles.indexes, limit, by, isMet: isCycleMet });
  const isOpen = (interval: number) =>
    !intervals.isDone(interval) && (intervals.untilUs[interval] as number) > limit.lastUs;
  const work = placesOf(intervals, (interval) => intervals.isStarted(interval) && isOpen(interval));
  return Object.assign(table, {
    cycles: cyclesTable(data, intervals, cycles, tell),
    percentiles: percentilesTable(intervals, cycles, tell),
    work: workTable(data, column, { intervals, work, by, tell }),
    diagnostics: [
      ...unreached,
      ...beginningDiagnostics(intervals, cycles.indexes, work, options),
      ...(due?.diagnostics() ?? []),
    ],
  });
}

function placesOf(intervals: OpenIntervals, isOne: (interval: number) => boolean): Int32Array {
  const indexes = new Int32Array(intervals.count);
  let count = 0;
  for (let interval = 0; interval < intervals.count; interval += 1) if (isOne(interval)) indexes[count++] = interval;
  return indexes.subarray(0, count);
}

/** The intervals that ended in one of the intervals, in order of time. */
interface Cycles {
  /** Indices of the intervals. */
  readonly indexes: Int32Array;
  readonly groups: TicketGroups;
  /** Group of each interval, by its index among all. */
  readonly groupOf: Int32Array;
  /** Due dates of the intervals, by their indices among all; undefined if not requested. */
  readonly dueOf: readonly (Due | undefined)[] | undefined;
}

interface Asked {
  readonly periods: Periods;
  readonly by: FlowOptions["by"];
  readonly due: DueDates | undefined;
}

const cycleColumns = ["id", "visible_id", "arrived_at", "started_at", "done_at", "cycle_days", "lead_days"];
const cycleMarks = ["blocked_days", "start_known", "times_done", "is_reopened", "due", "is_met", "done", "cycles"];
const percentileColumns = ["mean_days", "p50_days", "p85_days", "p95_days", "mean_blocked_days", "blocked_share"];

function listCycles(data: HistoryData, intervals: OpenIntervals, { periods, by, due }: Asked): Cycles {
  const groups = new TicketGroups(data, by, [...cycleColumns, ...cycleMarks, ...percentileColumns]);
  const { doneUs, rows } = intervals;
  const indexes = placesOf(
    intervals,
    (interval) => intervals.isDone(interval) && periods.at(doneUs[interval] as number) >= 0,
  );
  const groupOf = new Int32Array(intervals.count);
  const dueOf: (Due | undefined)[] | undefined = due && new Array(intervals.count);
  for (const interval of indexes) {
    const [row, us] = [rows[interval] as number, doneUs[interval] as number];
    groupOf[interval] = groups.code(row, us);
    if (dueOf) dueOf[interval] = due?.due(row, us);
  }
  // OpenIntervals are in order of their features.
  indexes.sort((a, b) => (doneUs[a] as number) - (doneUs[b] as number) || a - b);
  return { indexes, groups, groupOf, dueOf };
}

/** The units of lengths of time. */
interface Telling {
  readonly days: TimeUnit;
  readonly hasBlocked: boolean;
  readonly limit: TimeLimit;
}

function cyclesTable(
  data: HistoryData,
  intervals: OpenIntervals,
  { indexes, groups, groupOf, dueOf }: Cycles,
  { days, hasBlocked }: Telling,
): ColumnTable {
  const each = <T>(get: (interval: number) => T): Column<T> =>
    computedColumn(indexes.length, (at) => get(indexes[at] as number));
  const since = (fromUs: Float64Array) =>
    each((interval) => daysBetween(days, fromUs[interval] as number, intervals.doneUs[interval] as number));
  const timeOf = (us: Float64Array) => each((interval) => timeAt(us[interval] as number));
  const field = (name: "id" | "visible_id") =>
    each((interval) => data.features.base(name).at(intervals.rows[interval] as number));
  return toTable([
    ["id", field("id")],
    ["visible_id", field("visible_id")],
    ...groups.columns(indexes.map((interval) => groupOf[interval] as number)),
    ["arrived_at", timeOf(intervals.fromUs)],
    ["started_at", timeOf(intervals.startedUs)],
    ["done_at", timeOf(intervals.doneUs)],
    ["cycle_days", since(intervals.startedUs)],
    ["lead_days", since(intervals.fromUs)],
    ...(hasBlocked ? [["blocked_days", each((interval) => blockedDays(days, intervals, interval))] as const] : []),
    ["start_known", each((interval) => intervals.isStartKnown(interval))],
    ["times_done", each((interval) => intervals.times[interval] as number)],
    ["is_reopened", each((interval) => intervals.isReopened(interval))],
    ...(dueOf
      ? ([
          ["due", each((interval) => dueOf[interval]?.value ?? null)],
          ["is_met", each((interval) => isMet(dueOf[interval], intervals.doneUs[interval] as number))],
        ] as const)
      : []),
  ]);
}

function timeAt(us: number): Date | null {
  return Number.isFinite(us) ? dateOf(us) : null;
}

/** Null if the first time is unknown. */
function daysBetween({ length, whole }: TimeUnit, fromUs: number, toUs: number): number | null {
  return Number.isFinite(fromUs) ? length(fromUs, toUs) / whole : null;
}

/** Null for a interval without a start. */
function blockedDays({ whole }: TimeUnit, intervals: OpenIntervals, interval: number): number | null {
  return intervals.hasStart(interval) ? (intervals.blocked[interval] as number) / whole : null;
}

function isMet(due: Due | undefined, doneUs: number): boolean | null {
  return due ? doneUs <= due.lastUs : null;
}

function percentilesTable(
  intervals: OpenIntervals,
  { indexes, groups, groupOf }: Cycles,
  { days, hasBlocked }: Telling,
): ColumnTable {
  const sums = Array.from({ length: groups.count }, () => ({ done: 0, blocked: 0, lengths: [] as number[] }));
  for (const interval of indexes) {
    const group = sums[groupOf[interval] as number] as (typeof sums)[number];
    const length = daysBetween(days, intervals.startedUs[interval] as number, intervals.doneUs[interval] as number);
    group.done += 1;
    if (length === null) continue;
    group.lengths.push(length);
    group.blocked += intervals.blocked[interval] as number;
  }
  const codes = groups.sorted();
  const all = codes.map((code) => {
    const { done, blocked, lengths } = sums[code] as (typeof sums)[number];
    const sorted = Float64Array.from(lengths).sort();
    return { done, blocked: blocked / days.whole, sorted, sum: sorted.reduce((sum, one) => sum + one, 0) };
  });
  const per = (get: (group: (typeof all)[number]) => number, of: (group: (typeof all)[number]) => number) =>
    all.map((group) => (of(group) === 0 ? null : get(group) / of(group)));
  const count = ({ sorted }: (typeof all)[number]) => sorted.length;
  const quantiles = (share: number) => all.map(({ sorted }) => (sorted.length === 0 ? null : quantile(sorted, share)));
  return toTable([
    ...groups.columns(codes),
    ["done", all.map(({ done }) => done)],
    ["cycles", all.map(count)],
    ["mean_days", per(({ sum }) => sum, count)],
    ["p50_days", quantiles(0.5)],
    ["p85_days", quantiles(0.85)],
    ["p95_days", quantiles(0.95)],
    ...(hasBlocked
      ? ([
          ["mean_blocked_days", per(({ blocked }) => blocked, count)],
          [
            "blocked_share",
            per(
              ({ blocked }) => blocked,
              ({ sum }) => sum,
            ),
          ],
        ] as const)
      : []),
  ]);
}

const workColumns = ["id", "visible_id", "value", "started_at", "age_days", "blocked_days", "start_known"];

interface Working {
  readonly intervals: OpenIntervals;
  readonly work: Int32Array;
  readonly by: FlowOptions["by"];
  readonly tell: Telling;
}

function workTable(data: HistoryData, column: number, { intervals, work, by, tell }: Working): ColumnTable {
  const { days, hasBlocked, limit } = tell;
  const groups = new TicketGroups(data, by, workColumns);
  const ages = Float64Array.from(work, (interval) => {
    return daysBetween(days, intervals.startedUs[interval] as number, limit.endUs) ?? Number.POSITIVE_INFINITY;
  });
  // Unknown ages come first, because they may be the highest. Equal ages interval in order of their features.
  const order = Array.from(work.keys()).sort((a, b) => {
    return ages[a] === ages[b] ? 0 : (ages[b] as number) - (ages[a] as number);
  });
  const each = <T>(get: (interval: number) => T): Column<T> =>
    computedColumn(order.length, (at) => get(work[order[at] as number] as number));
  const field = (name: "id" | "visible_id") =>
    each((interval) => data.features.base(name).at(intervals.rows[interval] as number));
  return toTable([
    ["id", field("id")],
    ["visible_id", field("visible_id")],
    [
      "value",
      each((interval) =>
        cellValue(data, intervals.rows[interval] as number, column, intervals.lastDecisions[interval] as number),
      ),
    ],
    ...groups.columns(order.map((index) => groups.code(intervals.rows[work[index] as number] as number, limit.lastUs))),
    ["started_at", each((interval) => timeAt(intervals.startedUs[interval] as number))],
    ["age_days", each((interval) => daysBetween(days, intervals.startedUs[interval] as number, limit.endUs))],
    ...(hasBlocked ? [["blocked_days", each((interval) => blockedDays(days, intervals, interval))] as const] : []),
    ["start_known", each((interval) => intervals.isStartKnown(interval))],
  ]);
}

function beginningDiagnostics(
  intervals: OpenIntervals,
  cycles: Int32Array,
  work: Int32Array,
  { unknownStart: unknown = "creation" }: FlowOptions,
): readonly Diagnostic[] {
  const { doneAtFirst } = intervals;
  const begun = cycles.length + work.length;
  const isLate = (interval: number) => Number(intervals.hasStart(interval) && !intervals.isStartKnown(interval));
  const late = [cycles, work].reduce(
    (sum, indexes) => indexes.reduce((all, interval) => all + isLate(interval), sum),
    0,
  );
  const without = cycles.reduce((sum, interval) => sum + Number(!intervals.hasStart(interval)), 0);
  const diagnostics: Diagnostic[] = [];
  if (late > 0) {
    diagnostics.push(
      withSeverity({
        code: "start-unknown",
        message: `The start of ${late} of ${begun} cycles is unknown, because the status before the first change is unknown. They start at the creation of the feature or, if that is unknown, at the first change.`,
        count: late,
      }),
    );
  }
  if (without > 0) {
    const why = unknown === "drop" ? "" : ": they were done without a logged start";
    diagnostics.push(
      withSeverity({
        code: "start-unknown-dropped",
        message: `${without} of ${cycles.length} finished cycles have no cycle time, because their start is unknown${why}.`,
        count: without,
      }),
    );
  }
  if (doneAtFirst > 0) {
    const were = doneAtFirst === 1 ? "1 feature was" : `${doneAtFirst} features were`;
    diagnostics.push(
      withSeverity({
        code: "feature-done-at-start",
        message: `${were} already done at the first known time: ${doneAtFirst === 1 ? "it counts" : "they count"} as no arrival, and as throughput only after a reopening.`,
        count: doneAtFirst,
      }),
    );
  }
  return diagnostics;
}
