import { formatDay, shownDates } from "../../core/format/format-date.js";
import { formatCount } from "../../core/format/format-number.js";
import { isForOthers } from "../../core/provenance.js";
import { dateAfterRead } from "../../history/cell/censoring-time.js";
import { isHistory } from "../../history/is-history.js";
import { valueLabel } from "../../history/order/value-label.js";
import type { Dates } from "../../history/time/date-grid.js";
import { resolveTimePoint, type TimePoint } from "../../history/time/valid-time.js";
import type { History } from "../../layer/layer.js";
import { tableRows, zoneNote } from "./table-rows.js";

/** A cell whose current value differs from its last logged change. */
interface Difference {
  readonly logged: unknown;
  readonly current: unknown;
}

/** Cached by history, whose log never changes: a slider redraws a figure of one history. */
const known = new WeakMap<History, ReadonlyMap<string, readonly Difference[]>>();

/** Maximum number of values in a note. */
const MOST_NAMED = 4;

/** The dates, or the end date, of a figure. */
interface AskedEnd {
  readonly dates?: Dates | undefined;
  readonly until?: TimePoint | undefined;
}

/** Notes about a figure of a history: its end, and differences from the current values. */
export function historyNotes(data: unknown, column: string, end: AskedEnd): string {
  return [readingNote(data, end), presentNote(data, column, end)].filter((text) => text !== "").join(" ");
}

/**
 * Notes of a figure of a history: its time zone, and dates after the log was read, for which data are missing.
 *
 * @returns an empty string for figures of tables, and in UTC without such dates
 */
export function readingNote(data: unknown, { dates, until }: AskedEnd): string {
  if (!isHistory(data)) return "";
  const { readAt, timeZone } = data;
  const differencesFound = dateAfterRead({ readAtUs: readAt.getTime() * 1000, timeZone }, until ?? lastOf(dates));
  const zone = zoneNote(timeZone);
  if (differencesFound.length === 0) return zone;
  const end = `The data end on ${formatDay(readAt, shownDates(timeZone))}; later dates show the values of that day.`;
  return zone === "" ? end : `${end} ${zone}`;
}

/**
 * Note of a figure of a history up to the read time if the table of current values differs:
 * `3 features currently have another STATUS than their last logged change (CLOSED 3 more, RESOLVED 3 fewer);
 * history.reconcile() lists them.` In a report, the call is omitted.
 *
 * @returns an empty string without a difference, and for figures of tables and of the past
 */
export function presentNote(data: unknown, column: string, { dates, until }: AskedEnd = {}): string {
  if (!isHistory(data) || !endsNow(data, until ?? lastOf(dates))) return "";
  const differencesFound = differences(data).get(column) ?? [];
  if (differencesFound.length === 0) return "";
  const are =
    differencesFound.length === 1
      ? "1 feature currently has"
      : `${formatCount(differencesFound.length)} features currently have`;
  const where = isForOthers() ? "" : `; history.reconcile() lists ${differencesFound.length === 1 ? "it" : "them"}`;
  return `${are} another ${column} than ${differencesFound.length === 1 ? "its" : "their"} last logged change${shifts(differencesFound)}${where}.`;
}

/** Joins captions of a figure. */
export function captionOf(...texts: readonly string[]): { readonly caption?: string } {
  const caption = texts.filter((text) => text !== "").join(" ");
  return caption === "" ? {} : { caption };
}

function lastOf(dates: Dates | undefined): TimePoint | undefined {
  if (dates === undefined) return undefined;
  if ("until" in dates) return dates.until;
  const points = "dates" in dates ? dates.dates : dates;
  return points.at(-1);
}

function endsNow(history: History, end: TimePoint | undefined): boolean {
  // The present is irrelevant to figures of the past.
  return resolveTimePoint(end ?? history.until, history.timeZone) >= history.readAt.getTime() * 1000;
}

function differences(history: History): ReadonlyMap<string, readonly Difference[]> {
  const before = known.get(history);
  if (before) return before;
  const rows = tableRows(history.reconcile().mismatches, "");
  const [columnAt, loggedAt, currentAt] = [rows.column("column"), rows.column("logged"), rows.column("current")];
  const differencesFound = new Map<string, Difference[]>();
  for (let row = 0; row < rows.count; row += 1) {
    const column = String(columnAt(row));
    const list = differencesFound.get(column) ?? [];
    list.push({ logged: loggedAt(row), current: currentAt(row) });
    differencesFound.set(column, list);
  }
  known.set(history, differencesFound);
  return differencesFound;
}

/** Differences in the number of features with each value. */
function shifts(differencesFound: readonly Difference[]): string {
  const more = new Map<string, number>();
  const add = (label: string, by: number) => more.set(label, (more.get(label) ?? 0) + by);
  for (const { logged, current } of differencesFound) {
    add(valueLabel(logged), -1);
    add(valueLabel(current), 1);
  }
  const shifted = [...more]
    .filter(([, by]) => by !== 0)
    .sort(([, a], [, b]) => Math.sign(b) - Math.sign(a) || Math.abs(b) - Math.abs(a));
  if (shifted.length === 0 || shifted.length > MOST_NAMED) return "";
  const words = shifted.map(([label, by]) => `${label} ${Math.abs(by)} ${by > 0 ? "more" : "fewer"}`);
  return ` (${words.join(", ")})`;
}
