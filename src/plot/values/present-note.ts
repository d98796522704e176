import { beyondReading } from "../../history/cell/beyond-reading.js";
import { isHistory } from "../../history/is-history.js";
import { calendarDate } from "../../history/order/chart-date.js";
import { valueLabel } from "../../history/order/value-label.js";
import type { Grid } from "../../history/time/date-grid.js";
import { resolveTimePoint, type TimePoint } from "../../history/time/valid-time.js";
import type { History } from "../../layer/layer.js";
import { isForOthers } from "../../tables/display/text.js";
import { tableRows } from "./table-rows.js";

/** A cell that is at present not what its last change says. */
interface Difference {
  readonly logged: unknown;
  readonly current: unknown;
}

/** By histories, whose logs never change: a slider draws a figure of one history again and again. */
const known = new WeakMap<History, ReadonlyMap<string, readonly Difference[]>>();

/** More values than this are no note. */
const MOST_NAMED = 4;

/** The dates, or the day, at which a figure was asked to end. */
interface AskedEnd {
  readonly dates?: Grid | undefined;
  readonly until?: TimePoint | undefined;
}

/** What to know of a figure of a history: how it ends, and where the present is another. */
export function historyNotes(data: unknown, column: string, end: AskedEnd): string {
  return [readingNote(data, end), presentNote(data, column, end)].filter((text) => text !== "").join(" ");
}

/**
 * What a figure of a history says that was asked for days after the log was read: that it knows nothing of them.
 *
 * @returns nothing of figures of tables, and of those that end by then
 */
export function readingNote(data: unknown, { dates, until }: AskedEnd): string {
  if (!isHistory(data)) return "";
  const { readAt, timeZone } = data;
  const found = beyondReading({ readAtUs: readAt.getTime() * 1000, timeZone }, until ?? lastOf(dates));
  if (found.length === 0) return "";
  return `The data end on ${calendarDate(readAt, timeZone)}: later days are shown by what was known then.`;
}

/**
 * What a figure of a history that ends when the log was read says where the table of present values has other values:
 * `At present 3 features have another STATUS than their last change says (CLOSED 3 more, RESOLVED 3 fewer);
 * history.reconcile() lists them.` Readers of a report are told of no call.
 *
 * @returns nothing where there is no difference, and of figures of tables and of the past
 */
export function presentNote(data: unknown, column: string, { dates, until }: AskedEnd = {}): string {
  if (!isHistory(data) || !endsNow(data, until ?? lastOf(dates))) return "";
  const found = differences(data).get(column) ?? [];
  if (found.length === 0) return "";
  const are = found.length === 1 ? "1 feature has" : `${found.length.toLocaleString("en-US")} features have`;
  const where = isForOthers() ? "" : `; history.reconcile() lists ${found.length === 1 ? "it" : "them"}`;
  return `At present ${are} another ${column} than ${found.length === 1 ? "its" : "their"} last change says${shifts(found)}${where}.`;
}

/** Captions of a figure in one. */
export function captionOf(...texts: readonly string[]): { readonly caption?: string } {
  const caption = texts.filter((text) => text !== "").join(" ");
  return caption === "" ? {} : { caption };
}

function lastOf(dates: Grid | undefined): TimePoint | undefined {
  if (dates === undefined) return undefined;
  if ("to" in dates) return dates.to;
  const points = "dates" in dates ? dates.dates : dates;
  return points.at(-1);
}

function endsNow(history: History, end: TimePoint | undefined): boolean {
  // Of what was known earlier nobody wants to know that it is not the present.
  return resolveTimePoint(end ?? history.until, history.timeZone) >= history.readAt.getTime() * 1000;
}

function differences(history: History): ReadonlyMap<string, readonly Difference[]> {
  const before = known.get(history);
  if (before) return before;
  const rows = tableRows(history.reconcile().mismatches, "");
  const [columnAt, loggedAt, currentAt] = [rows.column("column"), rows.column("logged"), rows.column("current")];
  const found = new Map<string, Difference[]>();
  for (let row = 0; row < rows.count; row += 1) {
    const column = String(columnAt(row));
    const own = found.get(column) ?? [];
    own.push({ logged: loggedAt(row), current: currentAt(row) });
    found.set(column, own);
  }
  known.set(history, found);
  return found;
}

/** How many more and fewer features have each value at present. */
function shifts(found: readonly Difference[]): string {
  const more = new Map<string, number>();
  const add = (label: string, by: number) => more.set(label, (more.get(label) ?? 0) + by);
  for (const { logged, current } of found) {
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
