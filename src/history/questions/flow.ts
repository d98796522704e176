import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import { firstIndex } from "../../core/first-index.js";
import { dateOf } from "../../core/instant.js";
import { anything, type OptionRules, oneOf, text } from "../../core/options.js";
import { type Column, computedColumn } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import { cellValue, UNKNOWN } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { requireHeld, setOfValue, valueList } from "../cell/value-sets.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { firstDayOf, type GridInterval, gridIntervals, type Step } from "../time/date-grid.js";
import { type CalendarOption, calendarRule, elapsedIn, givenCalendar } from "../time/time-unit.js";
import type { TimeLimit, TimePoint } from "../time/valid-time.js";
import { limitOf } from "./durations.js";
import { specify } from "./specification.js";
import { type Due, DueDates, namesRule, TicketGroups } from "./ticket-columns.js";

/** Options of `history.flow()`. */
export interface FlowOptions extends CalendarOption {
  /** The value, or an array of values, that means that an item is done. */
  readonly done: unknown;
  /**
   * The value, or an array of values, with which work begins. An item is in progress from there until it is done, whatever
   * values are in between. By default work begins when an item arrives.
   */
  readonly start?: unknown;
  /** From one interval to the next: `"day"`, `"week"` (the default, from Monday), `"month"`, `"quarter"`, `"year"` or an ISO 8601 duration. */
  readonly every?: Step;
  /** Where the first interval begins; by default the Monday, or the first of a month or year, before the first arrival. */
  readonly from?: TimePoint;
  /** Up to when is looked; `until` of the history if absent. */
  readonly until?: TimePoint;
  /** A base field or a property to group by, or several of them, as of each event, and of what is open as of the end of the interval. */
  readonly by?: string | readonly string[];
  /** A base field or a property with the date at which an item is due, as of when it was done: adds `met`, `missed` and `no_due`. */
  readonly due?: string;
  /**
   * What becomes of cycles whose beginning is not known, since the status before the first change is not:
   * `"creation"`, the default, counts them from the feature's creation, the most that they can be, or from that change
   * where nobody knows the creation; `"drop"` gives them no
   * cycle time.
   */
  readonly unknown?: "creation" | "drop";
}

/** What it takes. */
export const flowRules: OptionRules<FlowOptions> = {
  done: anything,
  start: anything,
  every: text,
  from: anything,
  until: anything,
  by: namesRule,
  due: text,
  unknown: oneOf("creation", "drop"),
  calendar: calendarRule,
};

/** What arrived and was done by interval, as a table, and the items behind it. */
export interface Flow extends ColumnTable {
  /**
   * What was done in the intervals, in order of time: `id`, `visible_id`, the columns of `by`, `arrived_at`, `started_at`,
   * `done_at`, `cycle_days` (from `started_at`; null where it is not known to have been started), `lead_days` (from
   * `arrived_at`), `start_known`, `times_done` (1, then 2 for what was reopened and done again), `is_reopened` (whether it
   * was reopened later); with `due` also `due` and `is_met`.
   */
  readonly cycles: ColumnTable;
  /**
   * Percentiles of `cycle_days`, by the columns of `by`: `done`, `cycles` (those with a cycle time), `mean_days`,
   * `p50_days`, `p85_days`, `p95_days`, interpolated between neighbours as numpy and pandas do; null without cycles.
   */
  readonly percentiles: ColumnTable;
  /**
   * What is in progress at the end, oldest first: `id`, `visible_id`, `value`, the columns of `by`, `started_at`,
   * `age_days`, `start_known`.
   */
  readonly work: ColumnTable;
  /** Whose beginning is not known, what was done from the beginning, and due dates that are none. */
  readonly findings: readonly Finding[];
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * How items flow, by interval: `from`, `to` (excluded), the columns of `by`, `arrivals` (features that came to be not
     * done), `reopened` (came out of a done value), `started`, `throughput` (came to be done), `net_flow` (`arrivals` +
     * `reopened` − `throughput`), and at the end of the interval `open` (not done), `in_progress` (of these, started),
     * `unknown` (of these, whose status is not known), `is_whole` (false where the interval ends after `until`). `open`
     * changes from one interval to the next by `net_flow`, where it is not grouped by a property. `cycles`, `percentiles`
     * and `work` of the table are cycle times, their percentiles, and the work in progress. With a `calendar`, their days are
     * working days.
     *
     * @param column name of a property column
     * @throws ArgumentError also for values that no feature ever had
     */
    flow(column: string, options: FlowOptions): Flow;
  }
}

export const flowSpecification = specify({
  summary: "How items arrive, are started, done and reopened by interval, with cycle times and work in progress.",
  takes: ["column"],
  options: flowRules,
  time: (_: string, options?: FlowOptions) => options?.until,
  memory: (data, column: string, options: FlowOptions = NOTHING) => {
    const table = flow(data, column, options);
    return { table, findings: table.findings, parts: [table.cycles, table.percentiles, table.work] };
  },
});

/** Stands for options that a caller without a compiler left out; what they lack is said then. */
const NOTHING: FlowOptions = { done: undefined };

function flow(data: HistoryData, name: string, options: FlowOptions): Flow {
  const column = chooseColumn(data.names, name);
  const done = valueList(options.done);
  requireHeld(data, column, "done", done);
  const start = options.start === undefined ? undefined : valueList(options.start);
  if (start) requireHeld(data, column, "start", start);
  const limit = limitOf(data, options);
  const days = daysIn(elapsedIn("days", givenCalendar(options)));
  const { stays, doneAtFirst } = walkItems(data, column, { done, start, limit, unknown: options.unknown });
  const periods = periodsOf(data, options, stays, limit);
  const due = options.due === undefined ? undefined : new DueDates(data, options.due);
  const listed = listCycles(data, stays, { periods, by: options.by, due });
  const table = periodTable(data, { periods, stays, listed, limit, by: options.by, due });
  const work = stays.filter(({ isStarted, doneUs }) => isStarted && doneUs === Number.POSITIVE_INFINITY);
  return Object.assign(table, {
    cycles: cyclesTable(data, listed, due !== undefined, days),
    percentiles: percentilesTable(listed, days),
    work: workTable(data, column, work, { by: options.by, limit, days }),
    findings: [...beginningFindings(listed.cycles, work, doneAtFirst, options), ...(due?.findings() ?? [])],
  });
}

/** A stretch of time in which an item was not done. */
interface Stay {
  readonly row: number;
  /** When it arrived; −Infinity where nobody knows. */
  readonly fromUs: number;
  /** Since when its status is known. */
  readonly knownUs: number;
  /** How often it will have been done when it is. */
  readonly times: number;
  isStarted: boolean;
  /** When it began to be in progress; not finite where nobody knows. */
  startedUs: number;
  /** When it was seen to be in progress for the first time. */
  startSeenUs: number;
  isStartKnown: boolean;
  /** When it was done; Infinity where it is not. */
  doneUs: number;
  /** Whether it came out of a done value again. */
  isReopened: boolean;
  /** What it held last. */
  lastDecision: number;
}

interface Walk {
  readonly done: readonly unknown[];
  /** Undefined where work begins with the arrival. */
  readonly start: readonly unknown[] | undefined;
  readonly limit: TimeLimit;
  readonly unknown: FlowOptions["unknown"];
}

const [DONE, START] = [0, 1];

/** The stretches of time in which items were not done, feature by feature, and how many were done from the first on. */
function walkItems(data: HistoryData, column: number, { done, start, limit, unknown }: Walk) {
  const spans = intervalsOf(data, column);
  const setOf = setOfValue({ done, start: start ?? [] });
  const setOfCode = Int8Array.from(data.log.values, setOf);
  const stays: Stay[] = [];
  let doneAtFirst = 0;
  let open: Stay | undefined;
  /** How often the feature has been done. */
  let times = 0;
  for (let span = 0; span < spans.length; span += 1) {
    const [row, decision] = [spans.rows[span] as number, spans.decisions[span] as number];
    const [fromUs, toUs] = [spans.fromUs[span] as number, spans.toUs[span] as number];
    const isAfterUnknown = spans.rows[span - 1] === row && spans.decisions[span - 1] === UNKNOWN;
    // Of what nobody knows when it was created nobody knows before its first change that it is there.
    const isFirst = spans.rows[span - 1] !== row || (isAfterUnknown && !Number.isFinite(spans.fromUs[span - 1]));
    if (isFirst) [open, times] = [undefined, 0];
    if (fromUs > limit.lastUs || (decision === UNKNOWN && !Number.isFinite(fromUs))) continue;
    const set = setAt(data, setOf, setOfCode, { row, column, decision });
    if (set === DONE) {
      doneAtFirst += Number(isFirst);
      times += Number(isFirst || open !== undefined);
      if (open) open.doneUs = fromUs;
      open = undefined;
      continue;
    }
    if (!open) {
      const previous = stays.at(-1);
      if (previous?.row === row) previous.isReopened = true;
      open = { ...newStay, row, fromUs, knownUs: decision === UNKNOWN ? toUs : fromUs, times: times + 1 };
      stays.push(open);
    }
    open.lastDecision = decision;
    if (!open.isStarted && (start === undefined || set === START)) begin(open, fromUs, isAfterUnknown, unknown);
  }
  return { stays, doneAtFirst };
}

/** The set that a cell's value is in; -1 for none, and where the value is not known. */
function setAt(
  data: HistoryData,
  setOf: (value: unknown) => number,
  setOfCode: Int8Array,
  { row, column, decision }: { readonly row: number; readonly column: number; readonly decision: number },
): number {
  if (decision >= 0) return setOfCode[data.index.valueCodes[decision] as number] as number;
  return decision === UNKNOWN ? -1 : setOf(cellValue(data, row, column, decision));
}

const newStay = {
  isStarted: false,
  isStartKnown: true,
  startedUs: Number.NaN,
  startSeenUs: Number.NaN,
  doneUs: Number.POSITIVE_INFINITY,
  isReopened: false,
  lastDecision: UNKNOWN,
};

/** A first value that nobody knows the one before of may have been there since the feature was. */
function begin(stay: Stay, us: number, isAfterUnknown: boolean, unknown: FlowOptions["unknown"]): void {
  stay.isStartKnown = us >= stay.knownUs && !isAfterUnknown;
  stay.isStarted = true;
  stay.startSeenUs = us;
  if (stay.isStartKnown) stay.startedUs = us;
  else if (unknown !== "drop") stay.startedUs = stay.fromUs;
}

/** The intervals that are asked for. */
function periodsOf(
  { timeZone }: HistoryData,
  { from, every = "week" }: FlowOptions,
  stays: readonly Stay[],
  { lastUs }: TimeLimit,
): readonly GridInterval[] {
  const firstUs = stays.reduce(
    (least, { fromUs }) => (Number.isFinite(fromUs) ? Math.min(least, fromUs) : least),
    lastUs,
  );
  return gridIntervals({ from: from ?? firstDayOf(firstUs, every, timeZone), every, lastUs }, timeZone);
}

/** The interval that a time lies in; undefined before the first and behind the last. */
function periodOf(periods: readonly GridInterval[], us: number): number | undefined {
  const place = firstIndex(periods.length, (at) => (periods[at]?.endUs ?? us) <= us);
  const period = periods[place];
  return period && period.startUs <= us ? place : undefined;
}

/** A stay that ended in one of the intervals. */
interface ListedCycle extends Stay {
  readonly period: number;
  readonly group: number;
  readonly due: Due | undefined;
}

interface Listed {
  readonly groups: TicketGroups;
  /** In order of time. */
  readonly cycles: readonly ListedCycle[];
}

interface Asked {
  readonly periods: readonly GridInterval[];
  readonly by: FlowOptions["by"];
  readonly due: DueDates | undefined;
}

const cycleColumns = ["id", "visible_id", "arrived_at", "started_at", "done_at", "cycle_days", "lead_days"];
const cycleMarks = ["start_known", "times_done", "is_reopened", "due", "is_met", "done", "cycles"];
const percentileColumns = ["mean_days", "p50_days", "p85_days", "p95_days"];

function listCycles(data: HistoryData, stays: readonly Stay[], { periods, by, due }: Asked): Listed {
  const groups = new TicketGroups(data, by, [...cycleColumns, ...cycleMarks, ...percentileColumns]);
  const listed: ListedCycle[] = [];
  for (const stay of stays) {
    const { row, doneUs } = stay;
    const period = periodOf(periods, doneUs);
    if (period === undefined) continue;
    listed.push({ ...stay, period, group: groups.code(row, doneUs), due: due?.due(row, doneUs) });
  }
  return { groups, cycles: listed.sort((a, b) => a.doneUs - b.doneUs || a.row - b.row) };
}

function cyclesTable(data: HistoryData, { groups, cycles }: Listed, hasDue: boolean, days: DaysBetween): ColumnTable {
  const each = <T>(get: (cycle: ListedCycle) => T): Column<T> =>
    computedColumn(cycles.length, (at) => get(cycles[at] as ListedCycle));
  return toTable([
    ["id", each(({ row }) => data.features.base("id").at(row))],
    ["visible_id", each(({ row }) => data.features.base("visible_id").at(row))],
    ...groups.columns(cycles.map(({ group }) => group)),
    ["arrived_at", each(({ fromUs }) => timeAt(fromUs))],
    ["started_at", each(({ startedUs }) => timeAt(startedUs))],
    ["done_at", each(({ doneUs }) => timeAt(doneUs))],
    ["cycle_days", each(({ startedUs, doneUs }) => days(startedUs, doneUs))],
    ["lead_days", each(({ fromUs, doneUs }) => days(fromUs, doneUs))],
    ["start_known", each(isStartTold)],
    ["times_done", each(({ times }) => times)],
    ["is_reopened", each(({ isReopened }) => isReopened)],
    ...(hasDue
      ? ([
          ["due", each(({ due }) => due?.value ?? null)],
          ["is_met", each(isMet)],
        ] as const)
      : []),
  ]);
}

function timeAt(us: number): Date | null {
  return Number.isFinite(us) ? dateOf(us) : null;
}

/** Days, or working days, from one time to another; null where nobody knows the first. */
type DaysBetween = (fromUs: number, toUs: number) => number | null;

function daysIn(elapsed: (fromUs: number, toUs: number) => number): DaysBetween {
  return (fromUs, toUs) => (Number.isFinite(fromUs) ? elapsed(fromUs, toUs) : null);
}

function isStartTold({ startedUs, isStartKnown }: Stay): boolean {
  return Number.isFinite(startedUs) && isStartKnown;
}

function isMet({ due, doneUs }: ListedCycle): boolean | null {
  return due ? doneUs <= due.lastUs : null;
}

function percentilesTable({ groups, cycles }: Listed, days: DaysBetween): ColumnTable {
  const codes = groups.sorted();
  const own = codes.map((code) => cycles.filter(({ group }) => group === code));
  const lengths = own.map((all) =>
    Float64Array.from(all.flatMap(({ startedUs, doneUs }) => days(startedUs, doneUs) ?? [])).sort(),
  );
  const quantiles = (share: number) => lengths.map((sorted) => quantile(sorted, share));
  return toTable([
    ...groups.columns(codes),
    ["done", own.map(({ length }) => length)],
    ["cycles", lengths.map(({ length }) => length)],
    [
      "mean_days",
      lengths.map((all) => (all.length === 0 ? null : all.reduce((sum, one) => sum + one, 0) / all.length)),
    ],
    ["p50_days", quantiles(0.5)],
    ["p85_days", quantiles(0.85)],
    ["p95_days", quantiles(0.95)],
  ]);
}

/** Interpolated between neighbours, as numpy's default is. */
function quantile(sorted: Float64Array, share: number): number | null {
  const place = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (low === undefined || high === undefined) return null;
  return low + (high - low) * (place - Math.floor(place));
}

const workColumns = ["id", "visible_id", "value", "started_at", "age_days", "start_known"];

function workTable(
  data: HistoryData,
  column: number,
  work: readonly Stay[],
  { by, limit, days }: { readonly by: FlowOptions["by"]; readonly limit: TimeLimit; readonly days: DaysBetween },
): ColumnTable {
  const groups = new TicketGroups(data, by, workColumns);
  const age = ({ startedUs }: Stay) => days(startedUs, limit.endUs);
  const order = (stay: Stay) => age(stay) ?? Number.POSITIVE_INFINITY;
  const sorted = [...work].sort((a, b) => (order(a) === order(b) ? 0 : order(b) - order(a)));
  const each = <T>(get: (stay: Stay) => T): Column<T> => computedColumn(sorted.length, (at) => get(sorted[at] as Stay));
  const codes = sorted.map(({ row }) => groups.code(row, limit.lastUs));
  return toTable([
    ["id", each(({ row }) => data.features.base("id").at(row))],
    ["visible_id", each(({ row }) => data.features.base("visible_id").at(row))],
    ["value", each(({ row, lastDecision }) => cellValue(data, row, column, lastDecision))],
    ...groups.columns(codes),
    ["started_at", each(({ startedUs }) => timeAt(startedUs))],
    ["age_days", each(age)],
    ["start_known", each(isStartTold)],
  ]);
}

/** What happened in an interval, and what there was at its end. */
const counted = ["arrivals", "reopened", "started", "throughput", "open", "in_progress", "unknown"] as const;
const dueCounts = ["met", "missed", "no_due"] as const;
type Counted = (typeof counted)[number] | (typeof dueCounts)[number];

/** Of a group in an interval in which nothing was. */
const nothing: Readonly<Record<Counted, number>> = {
  ...{ arrivals: 0, reopened: 0, started: 0, throughput: 0, open: 0, in_progress: 0, unknown: 0 },
  ...{ met: 0, missed: 0, no_due: 0 },
};

interface Counting extends Asked {
  readonly stays: readonly Stay[];
  readonly listed: Listed;
  readonly limit: TimeLimit;
}

function periodTable(data: HistoryData, { periods, stays, listed, limit, by, due }: Counting): ColumnTable {
  const groups = new TicketGroups(data, by, ["from", "to", ...counted, "net_flow", "is_whole", ...dueCounts]);
  const tallies: Record<Counted, number>[][] = periods.map(() => []);
  const add = (period: number, group: number, what: Counted) => {
    const own = tallies[period] as Record<Counted, number>[];
    own[group] ??= { ...nothing };
    (own[group] as Record<Counted, number>)[what] += 1;
  };
  const addAt = (row: number, us: number, what: Counted) => {
    const period = us > limit.lastUs ? undefined : periodOf(periods, us);
    if (period !== undefined) add(period, groups.code(row, us), what);
  };
  const ends = periods.map(({ endUs }) => Math.min(endUs - 1, limit.lastUs));
  for (const stay of stays) {
    addAt(stay.row, stay.fromUs, stay.times > 1 ? "reopened" : "arrivals");
    if (stay.isStarted) addAt(stay.row, stay.startSeenUs, "started");
    for (
      let place = firstIndex(ends.length, (at) => (ends[at] as number) < stay.fromUs);
      place < ends.length;
      place += 1
    ) {
      const us = ends[place] as number;
      if (stay.doneUs <= us) break;
      const group = groups.code(stay.row, us);
      add(place, group, "open");
      if (stay.isStarted && stay.startSeenUs <= us) add(place, group, "in_progress");
      if (us < stay.knownUs) add(place, group, "unknown");
    }
  }
  for (const cycle of listed.cycles) {
    const group = groups.code(cycle.row, cycle.doneUs);
    add(cycle.period, group, "throughput");
    const met = isMet(cycle);
    if (due) add(cycle.period, group, met === null ? "no_due" : met ? "met" : "missed");
  }
  const sorted = groups.sorted();
  const rows = periods.flatMap((period, place) =>
    sorted.map((group) => ({ period, group, tally: tallies[place]?.[group] ?? nothing })),
  );
  const count = (what: Counted) => rows.map(({ tally }) => tally[what]);
  const [arrivals, reopened, throughput] = [count("arrivals"), count("reopened"), count("throughput")];
  return toTable([
    ["from", rows.map(({ period }) => period.from)],
    ["to", rows.map(({ period }) => period.to)],
    ...groups.columns(rows.map(({ group }) => group)),
    ["arrivals", arrivals],
    ["reopened", reopened],
    ["started", count("started")],
    ["throughput", throughput],
    ["net_flow", arrivals.map((came, row) => came + (reopened[row] as number) - (throughput[row] as number))],
    ["open", count("open")],
    ["in_progress", count("in_progress")],
    ["unknown", count("unknown")],
    ["is_whole", rows.map(({ period }) => period.endUs <= limit.endUs)],
    ...(due ? dueCounts.map((what) => [what, count(what)] as const) : []),
  ]);
}

function beginningFindings(
  cycles: readonly ListedCycle[],
  work: readonly Stay[],
  doneAtFirst: number,
  { unknown = "creation" }: FlowOptions,
): readonly Finding[] {
  const begun = [...cycles, ...work];
  const late = begun.filter(({ startedUs, isStartKnown }) => Number.isFinite(startedUs) && !isStartKnown).length;
  const without = cycles.filter(({ startedUs }) => !Number.isFinite(startedUs)).length;
  const findings: Finding[] = [];
  if (late > 0) {
    findings.push({
      code: "late-entry",
      message: `The beginning of ${late} of ${begun.length} cycles is not known, nor the status before the first change: they count from the feature's creation, or from that change where it is not known.`,
      count: late,
    });
  }
  if (without > 0) {
    const why = unknown === "drop" ? "" : ": they came to be done without being seen to start";
    findings.push({
      code: "unknown-beginning",
      message: `${without} of ${cycles.length} that were done have no cycle time, since their beginning is not known${why}.`,
      count: without,
    });
  }
  if (doneAtFirst > 0) {
    const were = doneAtFirst === 1 ? "1 feature was" : `${doneAtFirst} features were`;
    findings.push({
      code: "done-at-first",
      message: `${were} done from the first on that is known of ${doneAtFirst === 1 ? "it" : "them"}: no arrival, and no throughput before a reopening.`,
      count: doneAtFirst,
    });
  }
  return findings;
}
