// Events of items by interval, and the counts at the end of each interval.
import type { ColumnTable } from "arquero";
import { computedColumn } from "../../../tables/column/column.js";
import { toTable } from "../../../tables/column/table.js";
import type { HistoryData } from "../../cell/history-data.js";
import { DateLocator, firstDayOf, type GridInterval, gridIntervals, type Step } from "../../time/date-grid.js";
import type { TimeLimit, TimePoint } from "../../time/valid-time.js";
import type { OpenIntervals } from "./open-intervals.js";
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
    const place = this.#byEnd.locate(us);
    return place < this.all.length ? place : -1;
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
    const known = periods.firstEndingFrom(intervals.knownUs[interval] as number);
    const started = intervals.isStarted(interval)
      ? periods.firstEndingFrom(intervals.startSeenUs[interval] as number)
      : end;
    // Steps from one group to the next.
    for (let place = periods.firstEndingFrom(fromUs); place < end; ) {
      const group = groups.code(row, periods.lastUs[place] as number);
      const next = Math.min(periods.firstEndingFrom(groups.untilUs), end);
      counts.stand(numberOf.open, group, place, next);
      counts.stand(numberOf.in_progress, group, Math.max(place, started), next);
      counts.stand(numberOf.unknown, group, place, Math.min(known, next));
      place = next;
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
