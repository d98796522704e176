import type { History } from "../../history/history.js";
import type { Grid } from "../../history/time/date-grid.js";
import { calendarDate } from "./chart-date.js";

const DAY_MS = 86_400_000;

/** A chart's dates. By default days, weeks or months from a history's first change to when it was read. */
export function chartGrid(history: History, dates: Grid | undefined): Grid {
  return dates ?? sinceFirstChange(history);
}

function sinceFirstChange(history: History): Grid {
  const { readAt, timeZone } = history;
  const changes = history.changes();
  const first: unknown = changes.numRows() > 0 ? changes.get("created_at", 0) : readAt;
  const from = first instanceof Date ? first : readAt;
  const days = (readAt.getTime() - from.getTime()) / DAY_MS;
  const every = days < 90 ? "day" : days < 1500 ? "week" : "month";
  return { from: calendarDate(from, timeZone), to: calendarDate(readAt, timeZone), every };
}
