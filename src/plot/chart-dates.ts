import type { Grid } from "../history/date-grid.js";
import type { History } from "../history/history.js";
import type { TimePoint } from "../history/valid-time.js";
import { dateLabel } from "./chart-date.js";

/** The dates of a chart: a list, or steps as `history.counts()` takes them. */
export type ChartDates = Grid | readonly TimePoint[];

const DAY_MS = 86_400_000;

/** A chart's dates as a grid. By default days, weeks or months from a history's first change to when it was read. */
export function chartGrid(history: History, dates: ChartDates | undefined): Grid {
  if (dates) return isList(dates) ? { dates } : dates;
  const { changes } = history;
  const first: unknown = changes.numRows() > 0 ? changes.get("created_at", 0) : history.readAt;
  const from = first instanceof Date ? first : history.readAt;
  const days = (history.readAt.getTime() - from.getTime()) / DAY_MS;
  const every = days < 90 ? "day" : days < 1500 ? "week" : "month";
  return { from: dateLabel(from), to: dateLabel(history.readAt), every };
}

function isList(dates: ChartDates): dates is readonly TimePoint[] {
  return Array.isArray(dates);
}
