import type { ColumnTable } from "arquero";
import { binarySearch } from "../../core/binary-search.js";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { dateOf } from "../../core/instant.js";
import { anything, type OptionRule, type OptionRules, oneOf, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { computedColumn } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import { cellValue, UNKNOWN } from "../cell/cell-state.js";
import { datesAfterRead } from "../cell/censoring-time.js";
import type { HistoryData } from "../cell/history-data.js";
import { columnValues, requireHeld, setOfCell, setOfValue, valueList } from "../cell/value-sets.js";
import { declaredDates } from "../columns/block-column.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { DateLocator, type Dates, resolveGrid } from "../time/date-grid.js";
import { type CalendarOption, calendarRule, dayUnit, givenCalendar, type TimeUnit } from "../time/time-unit.js";
import { resolveTimeLimit, type TimeLimit, type TimePoint } from "../time/valid-time.js";
import { specify } from "./define/specification.js";
import { type Due, DueDates, GroupCounts, knownLength, namesRule, TicketGroups } from "./memory/ticket-columns.js";

/** Options of `history.aging()`. */
export interface AgingOptions extends CalendarOption {
  /** The value, or an array of values, for which an item is open. */
  readonly open: unknown;
  /** The value, or an array of values, of `open` in which an item is waiting. Adds the waiting time to `features`. */
  readonly blocked?: unknown;
  /**
   * Highest age of each bucket except the last, in days, ascending. Default: `[7, 30, 90]`, which makes `0–7`, `>7–30`,
   * `>30–90`, `>90`.
   */
  readonly buckets?: readonly number[];
  /** A base field, a property or a column added with `derive()` to group by, or several of them, as of each date. */
  readonly by?: string | readonly string[];
  /** The date. Default: `until` of the history. */
  readonly at?: TimePoint;
  /** Several dates instead of `at`. */
  readonly dates?: Dates;
  /**
   * A base field, a property or a column added with `derive()` that holds the due date of an item, as of each date.
   * Adds `overdue` and `no_due`.
   */
  readonly due?: string;
  /**
   * How to count the age of an item whose status before its first change is unknown. `"creation"` counts from the
   * creation of the feature, which gives the maximum age, or from the first change if the creation time is unknown.
   * `"drop"` counts the age as unknown. Default: `"creation"`.
   */
  readonly unknownStart?: "creation" | "drop";
}

const bucketRule: OptionRule = {
  takes: "an array of ascending numbers of days above 0",
  schema: { type: "array" },
  accepts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((day, index) => Number.isFinite(day) && day > (index === 0 ? 0 : value[index - 1])),
};

/** Rules for the options. */
export const agingRules: OptionRules<AgingOptions> = {
  open: columnValues("that means that an item is open"),
  blocked: columnValues("in which an item waits for something"),
  buckets: bucketRule,
  by: namesRule,
  at: anything,
  dates: anything,
  due: text,
  unknownStart: oneOf("creation", "drop"),
  calendar: calendarRule,
};

/** The number of open items by age, as a table, with the single items in `features`, oldest first. */
export interface Aging extends ColumnTable {
  /**
   * The items that are open on the last date, oldest first: `id`, `visible_id`, `value`, the columns of `by`,
   * `open_since`, `age_days`, `bucket`, `since_known` (false if the status before the first change is unknown). With
   * `blocked`, also `blocked_days`, the part of the age in one of these values. With `due`, also `due` and
   * `overdue_days`, which is negative before the due date.
   */
  readonly features: ColumnTable;
  /** Diagnostics: items with an unknown start or status, and invalid due dates. */
  readonly diagnostics: readonly Diagnostic[];
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the number of open items by age: `date`, the columns of `by`, `bucket` (`">7–30"`), `from_days`,
     * `to_days`, `count`.
     *
     * Ages in a bucket are above `from_days` (or equal to it, if it is 0) and at most `to_days`, which is null for the
     * last bucket. The age is the time since an item last entered one of the `open` values from another value:
     * reopening starts it again. The buckets `"unknown age"` and `"unknown status"` are added if needed. `features` of the
     * table lists the items, oldest first. With `calendar`, ages and buckets are in working days.
     *
     * @param column name of a property column
     * @example
     * ```ts
     * history.aging("STATUS", { open: ["OPEN", "IN_PROGRESS"], by: "PRIORITY" })
     * ```
     * @throws ArgumentError also for values that no feature ever had
     */
    aging(column: string, options: AgingOptions): Aging;
  }
}

export const agingSpecification = specify({
  summary: "Age of open items in buckets, with the list of items, oldest first.",
  takes: ["column"],
  options: agingRules,
  time: (_: string, options?: AgingOptions) => (options?.dates === undefined ? options?.at : undefined),
  parts: ["features"],
  memory: (data, column: string, options: AgingOptions = NOTHING) => {
    const table = aging(data, column, options);
    return { table, diagnostics: table.diagnostics };
  },
});

/** Used if a caller without a compiler omits the options; the check then reports the missing ones. */
const NOTHING: AgingOptions = { open: undefined };

const UNKNOWN_AGE = "unknown age";
const UNKNOWN_STATUS = "unknown status";

/** An item that is open on a date. */
interface OpenItem {
  readonly row: number;
  readonly decision: number;
  /** Start of the age; not finite if unknown. */
  readonly sinceUs: number;
  readonly isSinceKnown: boolean;
  /** How long it was blocked since `sinceUs`, up to the last date. */
  readonly blocked: number;
}

/** The counts of each bucket. */
const [COUNT, OVERDUE, NO_DUE, THINGS] = [0, 1, 2, 3];

/** Number of a count of a bucket. */
function thing(bucket: number, what: number): number {
  return THINGS * bucket + what;
}

function aging(data: HistoryData, name: string, options: AgingOptions): Aging {
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
    call: "aging()",
    rows: limits.length * buckets.all.length,
    fewer: "dates, buckets or groups",
  });
  const last = limits.length - 1;
  const items: ListedItem[] = [];
  const selection = { open, blocked, limits, locator, unit, isFromCreation: options.unknownStart !== "drop" };
  const counting = { limits, locator, unit, due, buckets, groups, counts, items };
  walkOpen(data, column, selection, (item, first, end) => countItem(counting, item, first, end));
  const lastEndUs = limits[last]?.endUs ?? Number.NaN;
  const sorted = groups.sorted();
  const countsOfGroups = sorted.map((group) =>
    buckets.all.map((_, bucket) => [COUNT, OVERDUE, NO_DUE].map((what) => counts.standing(thing(bucket, what), group))),
  );
  const unknownStatus =
    last < 0
      ? 0
      : countsOfGroups.reduce((sum, byBucket) => sum + (byBucket[buckets.unknownStatus]?.[COUNT]?.[last] as number), 0);
  const table = agingTable(dates, buckets.all, groups, sorted, countsOfGroups, due !== undefined);
  const has = { due: due !== undefined, blocked: options.blocked !== undefined };
  return Object.assign(table, {
    features: itemsTable(data, column, { items, buckets: buckets.all, groups, lastEndUs, has, unit }),
    diagnostics: [
      ...unreached,
      ...dates.diagnostics,
      ...unknownDiagnostics(items, unknownStatus, options),
      ...(due?.diagnostics() ?? []),
    ],
  });
}

/** The groups, dates and buckets that items are counted by. */
interface Counting extends Pick<Walk, "limits" | "locator" | "unit"> {
  readonly due: DueDates | undefined;
  readonly buckets: Buckets;
  readonly groups: TicketGroups;
  readonly counts: GroupCounts;
  /** Receives the items of the last date whose status is known. */
  readonly items: ListedItem[];
}

/** Counts an item for the dates `first` to before `end`, at which it is open or its status is unknown. */
function countItem(
  { limits, locator, unit, due, buckets, groups, counts, items }: Counting,
  item: OpenItem,
  first: number,
  end: number,
): void {
  const last = limits.length - 1;
  const ageAt = (date: number) =>
    Number.isFinite(item.sinceUs) ? unit.length(item.sinceUs, (limits[date] as TimeLimit).endUs) / unit.whole : null;
  // Steps to the next date at which the group, the due date or the bucket may change.
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
    const after = binarySearch(next - date, (ahead) => bucketOf(buckets, ageAt(date + ahead)) === bucket) + date;
    const stop = due ? Math.min(after, locator.locate(due.untilUs(item.row, lastUs))) : after;
    const itsDue = due?.due(item.row, lastUs, stop - date);
    counts.stand(thing(bucket, COUNT), group, date, stop);
    if (itsDue) counts.stand(thing(bucket, OVERDUE), group, Math.max(date, locator.locate(itsDue.lastUs + 1)), stop);
    else counts.stand(thing(bucket, NO_DUE), group, date, stop);
    if (stop > last) items.push({ ...item, group, bucket, days: ageAt(last), due: itsDue });
    date = stop;
  }
}

/** The dates in order of time, and as requested. */
interface AgedDates {
  readonly limits: readonly TimeLimit[];
  readonly dates: readonly (Date | string)[];
  /** Index in `limits` of each requested date. */
  readonly rank: ArrayLike<number>;
  readonly diagnostics: readonly Diagnostic[];
}

function agedDates(data: HistoryData, { at, dates }: AgingOptions): AgedDates {
  if (at !== undefined && dates !== undefined) {
    throw new ArgumentError("aging(): `at` and `dates` cannot be combined.", {
      hint: "Add the date of `at` to `dates`.",
      facts: { option: "dates" },
    });
  }
  const given = at ?? data.knownUntil ?? new Date(data.readAtUs / 1000);
  const grid = resolveGrid(dates ?? [given], data.timeZone);
  const limits: TimeLimit[] = [];
  grid.dates.forEach((date, index) => {
    limits[grid.rank[index] as number] = resolveTimeLimit(date, data.timeZone);
  });
  // A log may have been read between two milliseconds.
  if (dates === undefined && given instanceof Date && at === undefined) {
    limits[0] = { lastUs: data.readAtUs, endUs: data.readAtUs };
  }
  const diagnostics = dates === undefined ? [] : datesAfterRead(data, grid);
  return { limits, dates: grid.dates, rank: grid.rank, diagnostics };
}

/** Ages in days above `from` (the first bucket includes 0) and at most `to`. Both are null if the age is unknown. */
interface Bucket {
  readonly name: string;
  readonly from: number | null;
  readonly to: number | null;
}

const DEFAULT_BUCKETS = [7, 30, 90];

/** The buckets, and the indices of the buckets for unknown ages and unknown statuses. */
interface Buckets {
  readonly all: readonly Bucket[];
  readonly unknownAge: number;
  readonly unknownStatus: number;
}

function agedBuckets(ends: readonly number[] = DEFAULT_BUCKETS): Buckets {
  const bounded = ends.map((to, index): Bucket => {
    const before = ends[index - 1];
    return before === undefined ? { name: `0–${to}`, from: 0, to } : { name: `>${before}–${to}`, from: before, to };
  });
  const last = ends.at(-1) as number;
  const aged = [...bounded, { name: `>${last}`, from: last, to: null }];
  const untold = [UNKNOWN_AGE, UNKNOWN_STATUS].map((name): Bucket => ({ name, from: null, to: null }));
  return { all: [...aged, ...untold], unknownAge: aged.length, unknownStatus: aged.length + 1 };
}

function bucketOf({ all, unknownAge }: Buckets, days: number | null): number {
  if (days === null) return unknownAge;
  // The last bucket with an end is before the unbounded bucket.
  return binarySearch(unknownAge - 1, (index) => days > (all[index]?.to as number));
}

interface Walk {
  readonly open: readonly unknown[];
  readonly blocked: readonly unknown[];
  /** The dates, ascending. */
  readonly limits: readonly TimeLimit[];
  /** Locates a time among the last microseconds of the dates. */
  readonly locator: DateLocator;
  readonly unit: TimeUnit;
  /** Whether an item with an unknown start counts from the creation. */
  readonly isFromCreation: boolean;
}

/**
 * Calls back for each item that is open or of unknown status, with the range of dates (first to before end) for which
 * this holds: feature by feature, in order of time.
 */
function walkOpen(
  data: HistoryData,
  column: number,
  { open, blocked, limits, locator, unit, isFromCreation }: Walk,
  tell: (item: OpenItem, first: number, end: number) => void,
): void {
  const intervals = intervalsOf(data, column);
  const openAt = setOfCell(data, column, { open });
  const blockedAt = setOfCell(data, column, { blocked });
  const lastEndUs = limits.at(-1)?.endUs ?? Number.NaN;
  let [before, sinceUs, isSinceKnown, wasOpen, wasUnknown, blockedBefore] = [-1, 0, true, false, false, 0];
  for (let interval = 0; interval < intervals.length; interval += 1) {
    const [row, decision] = [intervals.rows[interval] as number, intervals.decisions[interval] as number];
    const [fromUs, toUs] = [intervals.fromUs[interval] as number, intervals.toUs[interval] as number];
    if (row !== before) [wasOpen, wasUnknown] = [false, false];
    const isUnknown = decision === UNKNOWN;
    const isOpen = openAt(row, decision) === "open";
    const isBlocked = isOpen && blocked.length > 0 && blockedAt(row, decision) === "blocked";
    if (isOpen && !wasOpen) {
      isSinceKnown = !wasUnknown;
      blockedBefore = 0;
      sinceUs = isSinceKnown ? fromUs : isFromCreation ? creationOf(data, row, fromUs) : Number.NaN;
    }
    // A feature whose creation time is unknown may not exist before its first change.
    if (isOpen || (isUnknown && Number.isFinite(fromUs))) {
      const [first, end] = [locator.locate(fromUs), locator.locate(toUs)];
      // Needed for the last date only.
      const since = isBlocked ? knownLength(unit, fromUs, Math.min(toUs, lastEndUs)) : 0;
      if (first < end) tell({ row, decision, sinceUs, isSinceKnown, blocked: blockedBefore + since }, first, end);
    }
    if (isBlocked) blockedBefore += knownLength(unit, fromUs, toUs);
    [before, wasOpen, wasUnknown] = [row, isOpen, isUnknown];
  }
}

/** The creation time of a feature; if unknown, a time at which it existed. */
function creationOf({ presentFromUs }: HistoryData, row: number, seenUs: number): number {
  const createdUs = presentFromUs[row] as number;
  return Number.isFinite(createdUs) ? createdUs : seenUs;
}

/** @throws ArgumentError for a value that is not among the open values: ages do not include waiting in it */
function requireBlocked(
  data: HistoryData,
  column: number,
  open: readonly unknown[],
  blocked: readonly unknown[],
): readonly Diagnostic[] {
  const unreached = requireHeld(data, column, "blocked", blocked);
  const setOf = setOfValue({ open });
  const stray = blocked.find((value) => setOf(value) !== "open");
  if (stray === undefined) return unreached;
  throw new ArgumentError(`aging(): \`blocked\` contains ${showValue(stray)}, which is missing from \`open\`.`, {
    hint: "Add it to `open`: items age only while their value is open.",
    facts: { option: "blocked" },
  });
}

const ownColumns = ["date", "bucket", "from_days", "to_days", "count", "overdue", "no_due"];

function agingTable(
  { dates, rank }: AgedDates,
  buckets: readonly Bucket[],
  groups: TicketGroups,
  sorted: readonly number[],
  /** The counts by date, by sorted group, bucket and kind of count. */
  counts: readonly (readonly (readonly Int32Array[])[])[],
  hasDue: boolean,
): ColumnTable {
  // Indices of the date, the group and the bucket of each row.
  const [rowDates, rowGroups, rowBuckets] = [
    new GrowingArray(Int32Array),
    new GrowingArray(Int32Array),
    new GrowingArray(Int32Array),
  ];
  const countAt = (date: number, group: number, bucket: number, what: number) =>
    counts[group]?.[bucket]?.[what]?.[rank[date] as number] as number;
  dates.forEach((_, date) => {
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
        dates,
        each((row) => dates[rowDates.at(row)]),
      ),
    ],
    ...groups.columns(rowGroups.filled().map((index) => sorted[index] as number)),
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

/** An open item on the last date. */
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
  // Unknown ages come first, because they may be the highest. Equal ages stay in order of their ids.
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

function unknownDiagnostics(
  items: readonly ListedItem[],
  unknownStatus: number,
  { unknownStart: unknown = "creation" }: AgingOptions,
): readonly Diagnostic[] {
  const of = (count: number) => `${count} of ${items.length} open items`;
  const late = items.filter(({ isSinceKnown, days }) => !isSinceKnown && days !== null).length;
  const ageless = items.filter(({ days }) => days === null).length;
  const diagnostics: Diagnostic[] = [];
  if (late > 0) {
    diagnostics.push(
      withSeverity({
        code: "start-unknown",
        message: `The status of ${of(late)} before the first change is unknown. Their age starts at the creation of the feature or, if that is unknown, at the first change.`,
        count: late,
      }),
    );
  }
  if (ageless > 0) {
    const why = unknown === "drop" ? "" : ", because the creation of their features is unknown";
    diagnostics.push(
      withSeverity({
        code: "start-unknown-dropped",
        message: `The age of ${of(ageless)} is unknown${why}. They are counted separately.`,
        count: ageless,
      }),
    );
  }
  if (unknownStatus > 0) {
    diagnostics.push(
      withSeverity({
        code: "value-unknown",
        message: `The status of ${unknownStatus} more at the last date is unknown, because all changes are later. They are counted separately.`,
        count: unknownStatus,
      }),
    );
  }
  return diagnostics;
}
