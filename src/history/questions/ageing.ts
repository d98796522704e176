import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { firstIndex } from "../../core/first-index.js";
import { dateOf } from "../../core/instant.js";
import { anything, type OptionRule, type OptionRules, oneOf, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { computedColumn } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { datesBeyondReading } from "../cell/beyond-reading.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import { cellValue, UNKNOWN } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { columnValues, requireHeld, setOfCell, setOfValue, valueList } from "../cell/value-sets.js";
import { declaredDates } from "../columns/block-column.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { DateLocator, type Grid, resolveGrid } from "../time/date-grid.js";
import { type CalendarOption, calendarRule, dayUnit, givenCalendar, type TimeUnit } from "../time/time-unit.js";
import { resolveTimeLimit, type TimeLimit, type TimePoint } from "../time/valid-time.js";
import { specify } from "./specification.js";
import { type Due, DueDates, GroupCounts, knownLength, namesRule, TicketGroups } from "./ticket-columns.js";

/** Options of `history.ageing()`. */
export interface AgeingOptions extends CalendarOption {
  /** The value, or an array of values, that means that an item is open. */
  readonly open: unknown;
  /** The value, or an array of values, of `open` in which an item waits for something: adds to `items` how long it did. */
  readonly blocked?: unknown;
  /** The highest age of each bucket except the last, in days, ascending. Default: `[7, 30, 90]`, which makes `0–7`, `>7–30`, `>30–90`, `>90`. */
  readonly buckets?: readonly number[];
  /** A base field, a property or a column that `derive()` added to group by, or several of them, taken as of each date. */
  readonly by?: string | readonly string[];
  /** As of when; `until` of the history if absent. */
  readonly at?: TimePoint;
  /** Several dates in place of `at`. */
  readonly dates?: Grid;
  /** A base field, a property or a column that `derive()` added, with the date at which an item is due, taken as of each date: adds `overdue` and `no_due`. */
  readonly due?: string;
  /**
   * How old an item is whose status is not known before its first change: `"creation"`, the default, counts it from the
   * feature's creation, the most that it can be, or from that change where nobody knows the creation; `"drop"` counts it as of unknown age.
   */
  readonly unknown?: "creation" | "drop";
}

const bucketRule: OptionRule = {
  takes: "an array of ascending numbers of days above 0",
  schema: { type: "array" },
  accepts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((day, index) => Number.isFinite(day) && day > (index === 0 ? 0 : value[index - 1])),
};

/** What it takes. */
export const ageingRules: OptionRules<AgeingOptions> = {
  open: columnValues("that means that an item is open"),
  blocked: columnValues("in which an item waits for something"),
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
   * with `blocked` also `blocked_days`, the part of the age in one of these values; with `due` also `due` and `overdue_days`,
   * below 0 while there is time.
   */
  readonly items: ColumnTable;
  /** Whose beginning or status is not known, and due dates that are none. */
  readonly findings: readonly Finding[];
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * How long what is open has been open: `date`, the columns of `by`, `bucket` (`">7–30"`), `from_days`, `to_days` (ages in
     * the bucket are above the first, except 0, and at most the second, which is null if the bucket has no end), `count`. An age is the time since an item came to have one of
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
  parts: ["items"],
  memory: (data, column: string, options: AgeingOptions = NOTHING) => {
    const table = ageing(data, column, options);
    return { table, findings: table.findings };
  },
});

/** Stands for options that a caller without a compiler left out; what they lack is said then. */
const NOTHING: AgeingOptions = { open: undefined };

const UNKNOWN_AGE = "unknown age";
const UNKNOWN_STATUS = "unknown status";

/** An item that is open at a date. */
interface OpenItem {
  readonly row: number;
  readonly decision: number;
  /** Since when it counts as open; not finite where nobody knows. */
  readonly sinceUs: number;
  readonly isSinceKnown: boolean;
  /** How long it was blocked since, up to the last date. */
  readonly blocked: number;
}

/** What is counted of each bucket. */
const [COUNT, OVERDUE, NO_DUE, THINGS] = [0, 1, 2, 3];

/** The number under which it is counted. */
function thing(bucket: number, what: number): number {
  return THINGS * bucket + what;
}

function ageing(data: HistoryData, name: string, options: AgeingOptions): Ageing {
  const column = chooseColumn(data.names, name);
  const open = valueList(options.open);
  const blocked = valueList(options.blocked);
  const unreached = [
    ...requireHeld(data, column, "open", open),
    ...(options.blocked === undefined ? [] : requireBlocked(data, column, open, blocked)),
  ];
  const dates = agedDates(data, options);
  const unit = dayUnit(givenCalendar(options));
  const due = options.due === undefined ? undefined : new DueDates(data, options.due);
  const buckets = agedBuckets(options.buckets);
  const groups = new TicketGroups(data, options.by, ownColumns);
  const { limits } = dates;
  const locator = new DateLocator(Float64Array.from(limits, ({ lastUs }) => lastUs));
  const counts = new GroupCounts(limits.length, THINGS * buckets.all.length, {
    call: "ageing()",
    rows: limits.length * buckets.all.length,
    fewer: "dates, buckets or groups",
  });
  const last = limits.length - 1;
  const items: ListedItem[] = [];
  const asked = { open, blocked, limits, locator, unit, isFromCreation: options.unknown !== "drop" };
  const counting = { limits, locator, unit, due, buckets, groups, counts, items };
  walkOpen(data, column, asked, (item, first, end) => countItem(counting, item, first, end));
  const lastEndUs = limits[last]?.endUs ?? Number.NaN;
  const sorted = groups.sorted();
  const told = sorted.map((group) =>
    buckets.all.map((_, bucket) => [COUNT, OVERDUE, NO_DUE].map((what) => counts.standing(thing(bucket, what), group))),
  );
  const unknownStatus =
    last < 0
      ? 0
      : told.reduce((sum, byBucket) => sum + (byBucket[buckets.unknownStatus]?.[COUNT]?.[last] as number), 0);
  const table = ageingTable(dates, buckets.all, groups, sorted, told, due !== undefined);
  const has = { due: due !== undefined, blocked: options.blocked !== undefined };
  return Object.assign(table, {
    items: itemsTable(data, column, { items, buckets: buckets.all, groups, lastEndUs, has, unit }),
    findings: [
      ...unreached,
      ...dates.findings,
      ...unknownFindings(items, unknownStatus, options),
      ...(due?.findings() ?? []),
    ],
  });
}

/** What items are counted by, and where. */
interface Counting extends Pick<Walk, "limits" | "locator" | "unit"> {
  readonly due: DueDates | undefined;
  readonly buckets: Buckets;
  readonly groups: TicketGroups;
  readonly counts: GroupCounts;
  /** Takes those of the last date whose status is known. */
  readonly items: ListedItem[];
}

/** Counts an item from the first to before the end of the dates at which it is open, or its status is not known. */
function countItem(
  { limits, locator, unit, due, buckets, groups, counts, items }: Counting,
  item: OpenItem,
  first: number,
  end: number,
): void {
  const last = limits.length - 1;
  const ageAt = (date: number) =>
    Number.isFinite(item.sinceUs) ? unit.length(item.sinceUs, (limits[date] as TimeLimit).endUs) / unit.whole : null;
  // From one to the next of what can change meanwhile: the group, the due date, and the bucket.
  for (let date = first; date < end; ) {
    const { lastUs } = limits[date] as TimeLimit;
    const group = groups.code(item.row, lastUs);
    const next = Math.min(end, locator.locate(groups.untilUs));
    if (item.decision === UNKNOWN) {
      counts.stand(thing(buckets.unknownStatus, COUNT), group, date, next);
      date = next;
      continue;
    }
    const bucket = bucketOf(buckets, ageAt(date));
    const after = firstIndex(next - date, (ahead) => bucketOf(buckets, ageAt(date + ahead)) === bucket) + date;
    const stop = due ? Math.min(after, locator.locate(due.untilUs(item.row, lastUs))) : after;
    const itsDue = due?.due(item.row, lastUs, stop - date);
    counts.stand(thing(bucket, COUNT), group, date, stop);
    if (itsDue) counts.stand(thing(bucket, OVERDUE), group, Math.max(date, locator.locate(itsDue.lastUs + 1)), stop);
    else counts.stand(thing(bucket, NO_DUE), group, date, stop);
    if (stop > last) items.push({ ...item, group, bucket, days: ageAt(last), due: itsDue });
    date = stop;
  }
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

/** Ages in days above `from`, and 0 in the first bucket; at most `to`. Both are null if the age is unknown. */
interface Bucket {
  readonly name: string;
  readonly from: number | null;
  readonly to: number | null;
}

const DEFAULT_BUCKETS = [7, 30, 90];

/** The buckets, and the places of those of what nobody can tell. */
interface Buckets {
  readonly all: readonly Bucket[];
  readonly unknownAge: number;
  readonly unknownStatus: number;
}

function agedBuckets(ends: readonly number[] = DEFAULT_BUCKETS): Buckets {
  const known = ends.map((to, index): Bucket => {
    const before = ends[index - 1];
    return before === undefined ? { name: `0–${to}`, from: 0, to } : { name: `>${before}–${to}`, from: before, to };
  });
  const last = ends.at(-1) as number;
  const aged = [...known, { name: `>${last}`, from: last, to: null }];
  const untold = [UNKNOWN_AGE, UNKNOWN_STATUS].map((name): Bucket => ({ name, from: null, to: null }));
  return { all: [...aged, ...untold], unknownAge: aged.length, unknownStatus: aged.length + 1 };
}

function bucketOf({ all, unknownAge }: Buckets, days: number | null): number {
  if (days === null) return unknownAge;
  // The last bucket with an end is before that without.
  return firstIndex(unknownAge - 1, (place) => days > (all[place]?.to as number));
}

interface Walk {
  readonly open: readonly unknown[];
  readonly blocked: readonly unknown[];
  /** The dates, ascending. */
  readonly limits: readonly TimeLimit[];
  /** Of their last microseconds. */
  readonly locator: DateLocator;
  readonly unit: TimeUnit;
  /** Whether what is not known to have begun counts from the creation. */
  readonly isFromCreation: boolean;
}

/**
 * Tells each item that is open, or whose status is not known, from the first to before the end of the dates at which it is:
 * feature by feature, in order of time.
 */
function walkOpen(
  data: HistoryData,
  column: number,
  { open, blocked, limits, locator, unit, isFromCreation }: Walk,
  tell: (item: OpenItem, first: number, end: number) => void,
): void {
  const spans = intervalsOf(data, column);
  const openAt = setOfCell(data, column, { open });
  const blockedAt = setOfCell(data, column, { blocked });
  const lastEndUs = limits.at(-1)?.endUs ?? Number.NaN;
  let [before, sinceUs, isSinceKnown, wasOpen, wasUnknown, blockedBefore] = [-1, 0, true, false, false, 0];
  for (let span = 0; span < spans.length; span += 1) {
    const [row, decision] = [spans.rows[span] as number, spans.decisions[span] as number];
    const [fromUs, toUs] = [spans.fromUs[span] as number, spans.toUs[span] as number];
    if (row !== before) [wasOpen, wasUnknown] = [false, false];
    const isUnknown = decision === UNKNOWN;
    const isOpen = openAt(row, decision) === "open";
    const isBlocked = isOpen && blocked.length > 0 && blockedAt(row, decision) === "blocked";
    if (isOpen && !wasOpen) {
      isSinceKnown = !wasUnknown;
      blockedBefore = 0;
      sinceUs = isSinceKnown ? fromUs : isFromCreation ? creationOf(data, row, fromUs) : Number.NaN;
    }
    // A feature whose creation is unknown is not known to exist before its first change.
    if (isOpen || (isUnknown && Number.isFinite(fromUs))) {
      const [first, end] = [locator.locate(fromUs), locator.locate(toUs)];
      // Asked of the last date alone.
      const since = isBlocked ? knownLength(unit, fromUs, Math.min(toUs, lastEndUs)) : 0;
      if (first < end) tell({ row, decision, sinceUs, isSinceKnown, blocked: blockedBefore + since }, first, end);
    }
    if (isBlocked) blockedBefore += knownLength(unit, fromUs, toUs);
    [before, wasOpen, wasUnknown] = [row, isOpen, isUnknown];
  }
}

/** When a feature was created; where nobody knows, a time that it was there at. */
function creationOf({ presentFromUs }: HistoryData, row: number, seenUs: number): number {
  const createdUs = presentFromUs[row] as number;
  return Number.isFinite(createdUs) ? createdUs : seenUs;
}

/** @throws ArgumentError for a value that is not among the open ones: nobody waits in it as far as ages tell */
function requireBlocked(
  data: HistoryData,
  column: number,
  open: readonly unknown[],
  blocked: readonly unknown[],
): readonly Finding[] {
  const unreached = requireHeld(data, column, "blocked", blocked);
  const setOf = setOfValue({ open });
  const stray = blocked.find((value) => setOf(value) !== "open");
  if (stray === undefined) return unreached;
  throw new ArgumentError(`blocked: ${showValue(stray)} is not among the open values.`, {
    hint: "An item ages while its value is one of open: name it there, too.",
    facts: { option: "blocked" },
  });
}

const ownColumns = ["date", "bucket", "from_days", "to_days", "count", "overdue", "no_due"];

function ageingTable(
  { asked, rank }: AgedDates,
  buckets: readonly Bucket[],
  groups: TicketGroups,
  sorted: readonly number[],
  /** By group as sorted, bucket, and what is counted: the counts by date. */
  told: readonly (readonly (readonly Int32Array[])[])[],
  hasDue: boolean,
): ColumnTable {
  // Places of the date, the group and the bucket of each row.
  const [rowDates, rowGroups, rowBuckets] = [
    new GrowingArray(Int32Array),
    new GrowingArray(Int32Array),
    new GrowingArray(Int32Array),
  ];
  const countAt = (date: number, group: number, bucket: number, what: number) =>
    told[group]?.[bucket]?.[what]?.[rank[date] as number] as number;
  asked.forEach((_, date) => {
    sorted.forEach((_, group) => {
      buckets.forEach(({ from }, bucket) => {
        if (from === null && countAt(date, group, bucket, COUNT) === 0) return;
        rowDates.push(date);
        rowGroups.push(group);
        rowBuckets.push(bucket);
      });
    });
  });
  const each = <T>(get: (row: number) => T) => computedColumn(rowDates.length, get);
  const ofBucket = <T>(get: (bucket: Bucket) => T) => each((row) => get(buckets[rowBuckets.at(row)] as Bucket));
  const count = (what: number) => each((row) => countAt(rowDates.at(row), rowGroups.at(row), rowBuckets.at(row), what));
  return toTable([
    [
      "date",
      declaredDates(
        asked,
        each((row) => asked[rowDates.at(row)]),
      ),
    ],
    ...groups.columns(rowGroups.filled().map((place) => sorted[place] as number)),
    ["bucket", ofBucket(({ name }) => name)],
    ["from_days", ofBucket(({ from }) => from)],
    ["to_days", ofBucket(({ to }) => to)],
    ["count", count(COUNT)],
    ...(hasDue
      ? ([
          ["overdue", count(OVERDUE)],
          ["no_due", count(NO_DUE)],
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
  readonly has: { readonly due: boolean; readonly blocked: boolean };
  readonly unit: TimeUnit;
}

function itemsTable(data: HistoryData, column: number, { items, buckets, groups, lastEndUs, has, unit }: Listing) {
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
    ...(has.blocked
      ? [["blocked_days", each(({ blocked, days }) => (days === null ? null : blocked / unit.whole))] as const]
      : []),
    ["since_known", each(({ isSinceKnown, days }) => isSinceKnown && days !== null)],
    ...(has.due
      ? ([
          ["due", each(({ due }) => due?.value ?? null)],
          ["overdue_days", each(({ due }) => (due ? unit.length(due.endUs, lastEndUs) / unit.whole : null))],
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
