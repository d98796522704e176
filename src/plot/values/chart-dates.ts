import type { History } from "../../history/history.js";
import type { Grid } from "../../history/time/date-grid.js";
import type { TimePoint } from "../../history/time/valid-time.js";
import { calendarDate } from "./chart-date.js";

/** The dates of a chart: a list, or steps as `history.counts()` takes them. */
export type ChartDates = Grid | readonly TimePoint[];

const DAY_MS = 86_400_000;

/** A chart's dates as a grid. By default days, weeks or months from a history's first change to when it was read. */
export function chartGrid(history: History, dates: ChartDates | undefined): Grid {
  if (dates) return asGrid(dates);
  const { changes } = history;
  const first: unknown = changes.numRows() > 0 ? changes.get("created_at", 0) : history.readAt;
  const from = first instanceof Date ? first : history.readAt;
  const days = (history.readAt.getTime() - from.getTime()) / DAY_MS;
  const every = days < 90 ? "day" : days < 1500 ? "week" : "month";
  return { from: calendarDate(from, history.timeZone), to: calendarDate(history.readAt, history.timeZone), every };
}

/** A list or steps, as a grid. */
export function asGrid(dates: ChartDates): Grid {
  return isList(dates) ? { dates } : dates;
}

function isList(dates: ChartDates): dates is readonly TimePoint[] {
  return Array.isArray(dates);
}
