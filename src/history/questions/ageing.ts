import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { firstIndex } from "../../core/first-index.js";
import { dateOf } from "../../core/instant.js";
import { anything, type OptionRules, oneOf, text } from "../../core/options.js";
import { computedColumn } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { datesBeyondReading } from "../cell/beyond-reading.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import { cellValue, UNKNOWN } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { requireHeld, setOfValue, valueList } from "../cell/value-sets.js";
import { declaredDates } from "../columns/block-column.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { type Grid, resolveGrid } from "../time/date-grid.js";
import { type CalendarOption, calendarRule, elapsedIn, givenCalendar } from "../time/time-unit.js";
import { resolveTimeLimit, type TimeLimit, type TimePoint } from "../time/valid-time.js";
import { specify } from "./specification.js";
import { type Due, DueDates, namesRule, TicketGroups } from "./ticket-columns.js";

/** Options of `history.ageing()`. */
export interface AgeingOptions extends CalendarOption {
  /** The value, or an array of values, that means that an item is open. */
  readonly open: unknown;
  /** The last whole day of each bucket but the last one, ascending. Default `[7, 30, 90]`: 0–7, 8–30, 31–90, >90. */
  readonly buckets?: readonly number[];
  /** A base field or a property to group by, or several of them, taken as of each date. */
  readonly by?: string | readonly string[];
  /** As of when; `until` of the history if absent. */
  readonly at?: TimePoint;
  /** Several dates in place of `at`. */
  readonly dates?: Grid;
  /** A base field or a property with the date at which an item is due, taken as of each date: adds `overdue` and `no_due`. */
  readonly due?: string;
  /**
   * How old an item is whose status is not known before its first change: `"creation"`, the default, counts it from the
   * feature's creation, the most that it can be, or from that change where nobody knows the creation; `"drop"` counts it as of unknown age.
   */
  readonly unknown?: "creation" | "drop";
}

const bucketRule = {
  takes: "an array of ascending whole numbers of days, from 0",
  accepts: (value: unknown) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((day, place) => Number.isSafeInteger(day) && day > (place === 0 ? -1 : value[place - 1])),
};

/** What it takes. */
export const ageingRules: OptionRules<AgeingOptions> = {
  open: anything,
  buckets: bucketRule,
  by: namesRule,
  at: anything,
  dates: anything,
  due: text,
  unknown: oneOf("creation", "drop"),
  calendar: calendarRule,
};

/** How many items were open by age, as a table; oldest first, one by one, in `items`. */
export interface Ageing extends ColumnTable {
  /**
   * The items that are open at the last of the dates, oldest first: `id`, `visible_id`, `value`, the columns of `by`,
   * `open_since`, `age_days`, `bucket`, `since_known` (false where the status before the first change is not known);
   * with `due` also `due` and `overdue_days`, below 0 while there is time.
   */
  readonly items: ColumnTable;
  /** Whose beginning or status is not known, and due dates that are none. */
  readonly findings: readonly Finding[];
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * How long what is open has been open: `date`, the columns of `by`, `bucket` (`"0–7"`), `from_days`, `to_days` (the
     * whole days of the bucket; null where it has no end), `count`. An age is the time since an item came to have one of
     * the `open` values from one that is none of them: a reopened item is as old as its reopening. `"unknown age"` and
     * `"unknown status"` count, where there are any, what nobody can tell. `items` of the table is the list, oldest first.
     * With a `calendar`, ages and buckets are working days.
     *
     * @param column name of a property column
     * @throws ArgumentError also for values that no feature ever had
     */
    ageing(column: string, options: AgeingOptions): Ageing;
  }
}

export const ageingSpecification = specify({
  summary: "How long what is open has been open, by buckets of age, with the list, oldest first.",
  takes: ["column"],
  options: ageingRules,
  time: (_: string, options?: AgeingOptions) => (options?.dates === undefined ? options?.at : undefined),
  memory: (data, column: string, options: AgeingOptions = NOTHING) => {
    const table = ageing(data, column, options);
    return { table, findings: table.findings, parts: [table.items] };
  },
});

/** Stands for options that a caller without a compiler left out; what they lack is said then. */
const NOTHING: AgeingOptions = { open: undefined };

const [UNKNOWN_AGE, UNKNOWN_STATUS] = ["unknown age", "unknown status"];

/** An item that is open at a date. */
interface OpenItem {
  readonly row: number;
  readonly decision: number;
  /** Since when it counts as open; not finite where nobody knows. */
  readonly sinceUs: number;
  readonly isSinceKnown: boolean;
}

function ageing(data: HistoryData, name: string, options: AgeingOptions): Ageing {
  const column = chooseColumn(data.names, name);
  const open = valueList(options.open);
  requireHeld(data, column, "open", open);
  const dates = agedDates(data, options);
  const elapsed = elapsedIn("days", givenCalendar(options));
  const due = options.due === undefined ? undefined : new DueDates(data, options.due);
  const buckets = agedBuckets(options.buckets);
  const groups = new TicketGroups(data, options.by, ownColumns);
  const tally = new Tally(dates.limits.length, buckets.length);
  const last = dates.limits.length - 1;
  const items: ListedItem[] = [];
  walkOpen(data, column, open, { ...options, lastUs: dates.limits.map(({ lastUs }) => lastUs) }, (item, date) => {
    const { lastUs, endUs } = dates.limits[date] as TimeLimit;
    const group = groups.code(item.row, lastUs);
    if (item.decision === UNKNOWN) {
      tally.add(date, group, buckets.length - 1, false, false);
      return;
    }
    const days = Number.isFinite(item.sinceUs) ? elapsed(item.sinceUs, endUs) : null;
    const bucket = days === null ? buckets.length - 2 : buckets.findIndex(({ to }) => to === null || days < to + 1);
    const isDue = due?.due(item.row, lastUs);
    tally.add(date, group, bucket, isDue !== undefined && isDue.lastUs < lastUs, isDue === undefined);
    if (date === last) items.push({ ...item, group, bucket, days, due: isDue });
  });
  const lastEndUs = dates.limits[last]?.endUs ?? Number.NaN;
  const table = ageingTable(dates, buckets, groups, tally, due !== undefined);
  return Object.assign(table, {
    items: itemsTable(data, column, { items, buckets, groups, lastEndUs, hasDue: due !== undefined, elapsed }),
    findings: [
      ...dates.findings,
      ...unknownFindings(items, tally.total(last, buckets.length - 1), options),
      ...(due?.findings() ?? []),
    ],
  });
}

/** The dates in order of time, and how they were asked for. */
interface AgedDates {
  readonly limits: readonly TimeLimit[];
  readonly asked: readonly (Date | string)[];
  /** Place among `limits` of each that was asked for. */
  readonly rank: ArrayLike<number>;
  readonly findings: readonly Finding[];
}

function agedDates(data: HistoryData, { at, dates }: AgeingOptions): AgedDates {
  if (at !== undefined && dates !== undefined) {
    throw new ArgumentError("ageing() takes at or dates, but got both.", {
      hint: "Give the one date among the others.",
      facts: { option: "dates" },
    });
  }
  const given = at ?? data.knownUntil ?? new Date(data.readAtUs / 1000);
  const grid = resolveGrid(dates ?? [given], data.timeZone);
  const limits: TimeLimit[] = [];
  grid.dates.forEach((date, place) => {
    limits[grid.rank[place] as number] = resolveTimeLimit(date, data.timeZone);
  });
  // A log may have been read between two milliseconds.
  if (dates === undefined && given instanceof Date && at === undefined) {
    limits[0] = { lastUs: data.readAtUs, endUs: data.readAtUs };
  }
  const findings = dates === undefined ? [] : datesBeyondReading(data, grid);
  return { limits, asked: grid.dates, rank: grid.rank, findings };
}

/** Whole days of an age; `to` is the last one. */
interface Bucket {
  readonly name: string;
  readonly from: number | null;
  readonly to: number | null;
}

const DEFAULT_BUCKETS = [7, 30, 90];

function agedBuckets(ends: readonly number[] = DEFAULT_BUCKETS): readonly Bucket[] {
  const known = ends.map((to, place): Bucket => {
    const from = place === 0 ? 0 : (ends[place - 1] as number) + 1;
    return { name: from === to ? String(from) : `${from}–${to}`, from, to };
  });
  const last = ends.at(-1) as number;
  return [
    ...known,
    { name: `>${last}`, from: last + 1, to: null },
    { name: UNKNOWN_AGE as string, from: null, to: null },
    { name: UNKNOWN_STATUS as string, from: null, to: null },
  ];
}

interface Walk extends Pick<AgeingOptions, "unknown"> {
  /** Last microseconds of the dates, ascending. */
  readonly lastUs: readonly number[];
}

/** Tells each item that is open, or whose status is not known, at each date: feature by feature, in order of time. */
function walkOpen(
  data: HistoryData,
  column: number,
  open: readonly unknown[],
  { lastUs, unknown }: Walk,
  tell: (item: OpenItem, date: number) => void,
): void {
  const spans = intervalsOf(data, column);
  const setOf = setOfValue({ open });
  const isOpenCode = Uint8Array.from(data.log.values, (value) => Number(setOf(value) === 0));
  let [before, sinceUs, isSinceKnown, wasOpen, wasUnknown] = [-1, 0, true, false, false];
  for (let span = 0; span < spans.length; span += 1) {
    const [row, decision] = [spans.rows[span] as number, spans.decisions[span] as number];
    const [fromUs, toUs] = [spans.fromUs[span] as number, spans.toUs[span] as number];
    if (row !== before) [wasOpen, wasUnknown] = [false, false];
    const isOpen =
      decision >= 0
        ? isOpenCode[data.index.valueCodes[decision] as number] === 1
        : decision !== UNKNOWN && setOf(cellValue(data, row, column, decision)) === 0;
    if (isOpen && !wasOpen) {
      isSinceKnown = !wasUnknown;
      const createdUs = data.presentFromUs[row] as number;
      const leastUs = Number.isFinite(createdUs) ? createdUs : fromUs;
      sinceUs = isSinceKnown ? fromUs : unknown === "drop" ? Number.NaN : leastUs;
    }
    const isUnknown = decision === UNKNOWN;
    // Of what nobody knows when it was created nobody knows before its first change that it is there.
    if (isOpen || (isUnknown && Number.isFinite(fromUs))) {
      const item = { row, decision, sinceUs, isSinceKnown };
      const first = firstIndex(lastUs.length, (place) => (lastUs[place] as number) < fromUs);
      for (let date = first; date < lastUs.length && (lastUs[date] as number) < toUs; date += 1) tell(item, date);
    }
    [before, wasOpen, wasUnknown] = [row, isOpen, isUnknown];
  }
}

/** How many items there are by date, group and bucket; overdue ones and those without a due date apart. */
class Tally {
  readonly #buckets: number;
  readonly #dates: readonly Map<number, Int32Array>[];

  constructor(dates: number, buckets: number) {
    this.#buckets = buckets;
    this.#dates = Array.from({ length: dates }, () => new Map());
  }

  add(date: number, group: number, bucket: number, isOverdue: boolean, hasNoDue: boolean): void {
    const groups = this.#dates[date] as Map<number, Int32Array>;
    const counts = groups.get(group) ?? new Int32Array(3 * this.#buckets);
    groups.set(group, counts);
    counts[3 * bucket] = (counts[3 * bucket] as number) + 1;
    counts[3 * bucket + 1] = (counts[3 * bucket + 1] as number) + Number(isOverdue);
    counts[3 * bucket + 2] = (counts[3 * bucket + 2] as number) + Number(hasNoDue);
  }

  /** How many there are, how many of them are overdue, and how many have no due date. */
  of(date: number, group: number, bucket: number): readonly [count: number, overdue: number, noDue: number] {
    const counts = this.#dates[date]?.get(group);
    if (!counts) return [0, 0, 0];
    return [counts[3 * bucket] as number, counts[3 * bucket + 1] as number, counts[3 * bucket + 2] as number];
  }

  /** How many there are in all groups. */
  total(date: number, bucket: number): number {
    const groups = this.#dates[date] ?? new Map<number, Int32Array>();
    return [...groups.values()].reduce((sum, counts) => sum + (counts[3 * bucket] as number), 0);
  }
}

const ownColumns = ["date", "bucket", "from_days", "to_days", "count", "overdue", "no_due"];

function ageingTable(
  { asked, rank }: AgedDates,
  buckets: readonly Bucket[],
  groups: TicketGroups,
  tally: Tally,
  hasDue: boolean,
): ColumnTable {
  const rows: { date: Date | string; group: number; bucket: Bucket; counts: readonly [number, number, number] }[] = [];
  const sorted = groups.sorted();
  asked.forEach((date, place) => {
    for (const group of sorted) {
      buckets.forEach((bucket, index) => {
        const counts = tally.of(rank[place] as number, group, index);
        if (bucket.from !== null || counts[0] > 0) rows.push({ date, group, bucket, counts });
      });
    }
  });
  const count = (place: 0 | 1 | 2) => rows.map(({ counts }) => counts[place]);
  return toTable([
    [
      "date",
      declaredDates(
        asked,
        rows.map(({ date }) => date),
      ),
    ],
    ...groups.columns(rows.map(({ group }) => group)),
    ["bucket", rows.map(({ bucket }) => bucket.name)],
    ["from_days", rows.map(({ bucket }) => bucket.from)],
    ["to_days", rows.map(({ bucket }) => bucket.to)],
    ["count", count(0)],
    ...(hasDue
      ? ([
          ["overdue", count(1)],
          ["no_due", count(2)],
        ] as const)
      : []),
  ]);
}

/** One at the last date. */
interface ListedItem extends OpenItem {
  readonly group: number;
  readonly bucket: number;
  readonly days: number | null;
  readonly due: Due | undefined;
}

interface Listing {
  readonly items: ListedItem[];
  readonly buckets: readonly Bucket[];
  readonly groups: TicketGroups;
  readonly lastEndUs: number;
  readonly hasDue: boolean;
  readonly elapsed: (fromUs: number, toUs: number) => number;
}

function itemsTable(
  data: HistoryData,
  column: number,
  { items, buckets, groups, lastEndUs, hasDue, elapsed }: Listing,
) {
  const age = ({ days }: ListedItem) => days ?? Number.POSITIVE_INFINITY;
  // Of unknown age first: they may be the oldest. Equal ones stay in order of their ids.
  const sorted = [...items].sort((a, b) => (age(a) === age(b) ? 0 : age(b) - age(a)));
  const each = <T>(get: (item: ListedItem) => T) =>
    computedColumn(sorted.length, (at) => get(sorted[at] as ListedItem));
  const time = (us: number) => (Number.isFinite(us) ? dateOf(us) : null);
  return toTable([
    ["id", each(({ row }) => data.features.base("id").at(row))],
    ["visible_id", each(({ row }) => data.features.base("visible_id").at(row))],
    ["value", each(({ row, decision }) => cellValue(data, row, column, decision))],
    ...groups.columns(sorted.map(({ group }) => group)),
    ["open_since", each(({ sinceUs }) => time(sinceUs))],
    ["age_days", each(({ days }) => days)],
    ["bucket", each(({ bucket }) => buckets[bucket]?.name)],
    ["since_known", each(({ isSinceKnown, days }) => isSinceKnown && days !== null)],
    ...(hasDue
      ? ([
          ["due", each(({ due }) => due?.value ?? null)],
          ["overdue_days", each(({ due }) => (due ? elapsed(due.endUs, lastEndUs) : null))],
        ] as const)
      : []),
  ]);
}

function unknownFindings(
  items: readonly ListedItem[],
  unknownStatus: number,
  { unknown = "creation" }: AgeingOptions,
): readonly Finding[] {
  const of = (count: number) => `${count} of ${items.length} open items`;
  const late = items.filter(({ isSinceKnown, days }) => !isSinceKnown && days !== null).length;
  const ageless = items.filter(({ days }) => days === null).length;
  const findings: Finding[] = [];
  if (late > 0) {
    findings.push({
      code: "late-entry",
      message: `The status of ${of(late)} before the first change is not known: they count from the feature's creation, or from that change where it is not known.`,
      count: late,
    });
  }
  if (ageless > 0) {
    const why = unknown === "drop" ? "" : ", since nobody knows when their features were created";
    findings.push({
      code: "unknown-beginning",
      message: `The age of ${of(ageless)} is not known${why}: they are counted apart.`,
      count: ageless,
    });
  }
  if (unknownStatus > 0) {
    findings.push({
      code: "unknown-values",
      message: `The status of ${unknownStatus} more at the last date is not known, since all its changes are later: they are counted apart.`,
      count: unknownStatus,
    });
  }
  return findings;
}
