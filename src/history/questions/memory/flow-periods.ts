// Events of items by interval, and the counts at the end of each interval.
import type { ColumnTable } from "arquero";
import { computedColumn } from "../../../tables/column/column.js";
import { toTable } from "../../../tables/column/table.js";
import { intervalsOf } from "../../cell/cell-intervals.js";
import { UNKNOWN } from "../../cell/cell-state.js";
import type { HistoryData } from "../../cell/history-data.js";
import { setOfCell } from "../../cell/value-sets.js";
import { DateLocator, firstDayOf, type GridInterval, gridIntervals, type Step } from "../../time/date-grid.js";
import type { TimeLimit, TimePoint } from "../../time/valid-time.js";
import { GroupCounts, TicketGroups } from "./ticket-columns.js";

/** The start of the intervals, and their step. */
interface PeriodOptions {
  readonly from?: TimePoint;
  readonly every?: Step;
}

/** The requested intervals, and the lookup of the interval of a time. */
export class Periods {
  readonly all: readonly GridInterval[];
  /** The last microsecond of each interval that is counted. */
  readonly lastUs: Float64Array;
  readonly #byEnd: DateLocator;
  readonly #byLast: DateLocator;

  constructor(
    { timeZone }: HistoryData,
    { from, every = "week" }: PeriodOptions,
    intervals: OpenIntervals,
    { lastUs }: TimeLimit,
  ) {
    let firstUs = lastUs;
    for (const fromUs of intervals.fromUs.subarray(0, intervals.count)) {
      if (fromUs < firstUs && Number.isFinite(fromUs)) firstUs = fromUs;
    }
    this.all = gridIntervals({ from: from ?? firstDayOf(firstUs, every, timeZone), every, lastUs }, timeZone);
    this.lastUs = Float64Array.from(this.all, ({ endUs }) => Math.min(endUs - 1, lastUs));
    this.#byEnd = new DateLocator(Float64Array.from(this.all, ({ endUs }) => endUs - 1));
    this.#byLast = new DateLocator(this.lastUs);
  }

  /** Index of the interval of a time; -1 before the first and after the last. */
  at(us: number): number {
    if (!(us >= (this.all[0]?.startUs ?? us))) return -1;
    const index = this.#byEnd.locate(us);
    return index < this.all.length ? index : -1;
  }

  /** Index of the first interval that ends at or after a time; the number of intervals if all end before. */
  firstEndingFrom(us: number): number {
    return this.#byLast.locate(us);
  }
}

/** Events in an interval, and counts at its end. */
const happened = ["arrivals", "reopened", "started", "throughput", "met", "missed", "no_due"] as const;
const standing = ["open", "in_progress", "unknown"] as const;
type Counted = (typeof happened)[number] | (typeof standing)[number];
const numberOf = Object.fromEntries([...happened, ...standing].map((what, at) => [what, at])) as Record<
  Counted,
  number
>;

interface Counting {
  readonly periods: Periods;
  readonly intervals: OpenIntervals;
  /** The intervals that were done in one of the intervals. */
  readonly done: Int32Array;
  readonly limit: TimeLimit;
  readonly by: string | readonly string[] | undefined;
  /** Whether a interval was done in time, or null without a due date; undefined if not requested. */
  readonly isMet: ((interval: number) => boolean | null) | undefined;
}

/** Counts by interval and group. */
export function periodTable(data: HistoryData, { periods, intervals, done, limit, by, isMet }: Counting): ColumnTable {
  const groups = new TicketGroups(data, by, ["from", "to", ...standing, ...happened, "net_flow", "is_whole"]);
  const count = periods.all.length;
  const counts = new GroupCounts(count, happened.length + standing.length, {
    call: "flow()",
    rows: count,
    fewer: "intervals or groups",
  });
  const addAt = (row: number, us: number, what: (typeof happened)[number]) => {
    const period = us <= limit.lastUs ? periods.at(us) : -1;
    if (period >= 0) counts.add(numberOf[what], groups.code(row, us), period);
  };
  for (let interval = 0; interval < intervals.count; interval += 1) {
    const [row, fromUs] = [intervals.rows[interval] as number, intervals.fromUs[interval] as number];
    addAt(row, fromUs, (intervals.times[interval] as number) > 1 ? "reopened" : "arrivals");
    if (intervals.isStarted(interval)) addAt(row, intervals.startSeenUs[interval] as number, "started");
    const end = periods.firstEndingFrom(intervals.untilUs[interval] as number);
    const recorded = periods.firstEndingFrom(intervals.knownUs[interval] as number);
    const started = intervals.isStarted(interval)
      ? periods.firstEndingFrom(intervals.startSeenUs[interval] as number)
      : end;
    // Steps from one group to the next.
    for (let index = periods.firstEndingFrom(fromUs); index < end; ) {
      const group = groups.code(row, periods.lastUs[index] as number);
      const next = Math.min(periods.firstEndingFrom(groups.untilUs), end);
      counts.stand(numberOf.open, group, index, next);
      counts.stand(numberOf.in_progress, group, Math.max(index, started), next);
      counts.stand(numberOf.unknown, group, index, Math.min(recorded, next));
      index = next;
    }
  }
  for (const interval of done) {
    const us = intervals.doneUs[interval] as number;
    const [group, period] = [groups.code(intervals.rows[interval] as number, us), periods.at(us)];
    counts.add(numberOf.throughput, group, period);
    const met = isMet?.(interval);
    if (met !== undefined) counts.add(numberOf[met === null ? "no_due" : met ? "met" : "missed"], group, period);
  }
  const sorted = groups.sorted();
  // Interval by interval, and within each by group.
  const each = <T>(get: (period: number, group: number) => T) =>
    computedColumn(count * sorted.length, (row) => get(Math.floor(row / sorted.length), row % sorted.length));
  const numbers = (what: Counted) => {
    const isStanding = standing.some((one) => one === what);
    const byGroup = sorted.map((group) => {
      return isStanding ? counts.standing(numberOf[what], group) : counts.added(numberOf[what], group);
    });
    return (period: number, group: number) => byGroup[group]?.[period] as number;
  };
  const column = (what: Counted) => each(numbers(what));
  const ofPeriod = <T>(get: (period: GridInterval) => T) => each((period) => get(periods.all[period] as GridInterval));
  const [arrivals, reopened, throughput] = [numbers("arrivals"), numbers("reopened"), numbers("throughput")];
  return toTable([
    ["from", ofPeriod(({ from }) => from)],
    ["to", ofPeriod(({ to }) => to)],
    ...groups.columns(
      Int32Array.from({ length: count * sorted.length }, (_, row) => sorted[row % sorted.length] as number),
    ),
    ["arrivals", each(arrivals)],
    ["reopened", each(reopened)],
    ["started", column("started")],
    ["throughput", each(throughput)],
    ["net_flow", each((...at) => arrivals(...at) + reopened(...at) - throughput(...at))],
    ["open", column("open")],
    ["in_progress", column("in_progress")],
    ["unknown", column("unknown")],
    ["is_whole", ofPeriod(({ endUs }) => endUs <= limit.endUs)],
    ...(isMet ? (["met", "missed", "no_due"] as const).map((what) => [what, column(what)] as const) : []),
  ]);
}

// The intervals in which items were not done, which flow() counts and measures.

/** How the values of a column divide the time of an item. */
export interface WalkOptions {
  readonly done: readonly unknown[];
  /** Undefined if work begins with the arrival. */
  readonly start: readonly unknown[] | undefined;
  /** Empty if the blocked time is not requested. */
  readonly blocked: readonly unknown[];
  /** The last microsecond to consider. */
  readonly lastUs: number;
  /** Whether a cycle with an unknown start counts from the creation. */
  readonly isFromCreation: boolean;
  /** Length of time as a number that can be summed; open intervals are cut at the end. */
  readonly length: (fromUs: number, toUs: number) => number;
}

/** Open intervals by feature, in order of time; each index in the columns is one interval. */
export class OpenIntervals {
  count = 0;
  /** Number of features that were done from their first known value on. */
  doneAtFirst = 0;
  readonly rows: Int32Array;
  /** When the item arrived. */
  readonly fromUs: Float64Array;
  /** Since when its status is known. */
  readonly knownUs: Float64Array;
  /** When work on it began; not finite if it did not begin or the time is unknown. */
  readonly startedUs: Float64Array;
  /** When it was first seen to be in progress; NaN if never. */
  readonly startSeenUs: Float64Array;
  /** When it was done; Infinity if it is not. */
  readonly doneUs: Float64Array;
  /** Until when it was open: it was done, or its feature was deleted. Infinity if it is still open. */
  readonly untilUs: Float64Array;
  /** How long it was blocked from `startedUs` on, measured by `length`. */
  readonly blocked: Float64Array;
  /** Its number among the completions of its feature, once it is done. */
  readonly times: Int32Array;
  /** Its last content. */
  readonly lastDecisions: Int32Array;
  readonly #isStartUnknown: Uint8Array;
  readonly #isReopened: Uint8Array;

  constructor(capacity: number) {
    this.rows = new Int32Array(capacity);
    this.fromUs = new Float64Array(capacity);
    this.knownUs = new Float64Array(capacity);
    this.startedUs = new Float64Array(capacity).fill(Number.NaN);
    this.startSeenUs = new Float64Array(capacity).fill(Number.NaN);
    this.doneUs = new Float64Array(capacity).fill(Number.POSITIVE_INFINITY);
    this.untilUs = new Float64Array(capacity);
    this.blocked = new Float64Array(capacity);
    this.times = new Int32Array(capacity);
    this.lastDecisions = new Int32Array(capacity);
    this.#isStartUnknown = new Uint8Array(capacity);
    this.#isReopened = new Uint8Array(capacity);
  }

  /** Adds an interval that is not done yet. */
  arrive(row: number, fromUs: number, knownUs: number, times: number): number {
    const previous = this.count - 1;
    if (previous >= 0 && this.rows[previous] === row) this.#isReopened[previous] = 1;
    const index = this.count;
    this.rows[index] = row;
    this.fromUs[index] = fromUs;
    this.knownUs[index] = knownUs;
    this.times[index] = times;
    this.count += 1;
    return index;
  }

  /** Work begins, as far as is known. */
  begin(index: number, us: number, isAfterUnknown: boolean, isFromCreation: boolean): void {
    const isKnown = us >= (this.knownUs[index] as number) && !isAfterUnknown;
    this.startSeenUs[index] = us;
    this.#isStartUnknown[index] = Number(!isKnown);
    if (isKnown) this.startedUs[index] = us;
    // The value before is unknown, so this one may hold since the feature was created.
    else if (isFromCreation) this.startedUs[index] = this.fromUs[index] as number;
  }

  /** Sets the content up to a time. */
  hold(index: number, decision: number, untilUs: number): void {
    this.lastDecisions[index] = decision;
    this.untilUs[index] = untilUs;
  }

  /** Waiting before work begins is not counted. */
  block(index: number, length: number): void {
    if (this.isStarted(index)) this.blocked[index] = (this.blocked[index] as number) + length;
  }

  isStarted(index: number): boolean {
    return !Number.isNaN(this.startSeenUs[index]);
  }

  isDone(index: number): boolean {
    return this.doneUs[index] !== Number.POSITIVE_INFINITY;
  }

  /** Whether it has a start to count from. */
  hasStart(index: number): boolean {
    return Number.isFinite(this.startedUs[index]);
  }

  /** Whether that start is the actual start. */
  isStartKnown(index: number): boolean {
    return this.hasStart(index) && this.#isStartUnknown[index] === 0;
  }

  /** Whether it left a done value. */
  isReopened(index: number): boolean {
    return this.#isReopened[index] === 1;
  }
}

const NOWHERE = -1;

/** @throws ArgumentError for a value that is both done and started, or both done and blocked */
export function openIntervals(data: HistoryData, column: number, options: WalkOptions): OpenIntervals {
  const { done, start, blocked, lastUs, isFromCreation, length } = options;
  const intervals = intervalsOf(data, column);
  const setOf = setOfCell(data, column, { done, start: start ?? [] });
  const blockedOf = blocked.length === 0 ? undefined : setOfCell(data, column, { done, blocked });
  const opened = new OpenIntervals(intervals.length);
  let [open, row, times] = [NOWHERE, NOWHERE, 0];
  let [isBeforeUnknown, beforeFromUs] = [false, 0];
  for (let interval = 0; interval < intervals.length; interval += 1) {
    const intervalRow = intervals.rows[interval] as number;
    const decision = intervals.decisions[interval] as number;
    const fromUs = intervals.fromUs[interval] as number;
    const isAfterUnknown = intervalRow === row && isBeforeUnknown;
    // A feature whose creation time is unknown may not exist before its first change.
    const isFirst = intervalRow !== row || (isAfterUnknown && !Number.isFinite(beforeFromUs));
    [row, isBeforeUnknown, beforeFromUs] = [intervalRow, decision === UNKNOWN, fromUs];
    if (isFirst) [open, times] = [NOWHERE, 0];
    if (fromUs > lastUs || (decision === UNKNOWN && !Number.isFinite(fromUs))) continue;
    const set = setOf(row, decision);
    if (set === "done") {
      opened.doneAtFirst += Number(isFirst);
      times += Number(isFirst || open !== NOWHERE);
      if (open !== NOWHERE) opened.doneUs[open] = fromUs;
      open = NOWHERE;
      continue;
    }
    const toUs = intervals.toUs[interval] as number;
    if (open === NOWHERE) open = opened.arrive(row, fromUs, decision === UNKNOWN ? toUs : fromUs, times + 1);
    opened.hold(open, decision, toUs);
    if ((!start || set === "start") && !opened.isStarted(open))
      opened.begin(open, fromUs, isAfterUnknown, isFromCreation);
    if (blockedOf?.(row, decision) === "blocked") opened.block(open, length(fromUs, toUs));
  }
  return opened;
}
