import type { History } from "../../history/history.js";
import type { Grid } from "../../history/time/date-grid.js";
import { resolveTimePoint, type TimePoint } from "../../history/time/valid-time.js";
import { calendarDate } from "./chart-date.js";

const DAY_MS = 86_400_000;

/** A chart's dates. By default days, weeks or months from a history's first change to `until`, or that of the history. */
export function chartGrid(history: History, dates: Grid | undefined, until?: TimePoint): Grid {
  return dates ?? sinceFirstChange(history, until);
}

function sinceFirstChange(history: History, until: TimePoint | undefined): Grid {
  const { timeZone } = history;
  const end = new Date(resolveTimePoint(until ?? history.until, timeZone) / 1000);
  const changes = history.changes();
  const first: unknown = changes.numRows() > 0 ? changes.get("created_at", 0) : end;
  const from = first instanceof Date ? first : end;
  const days = (end.getTime() - from.getTime()) / DAY_MS;
  const every = days < 90 ? "day" : days < 1500 ? "week" : "month";
  return { from: calendarDate(from, timeZone), to: calendarDate(end, timeZone), every };
}
