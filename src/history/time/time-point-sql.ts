import { calendarForms, ZONE } from "../../core/calendar-period.js";
import { US_PER_DAY } from "../../core/instant.js";
import { sqlText } from "../../tables/sql/sql-text.js";
import { duckdbDialect } from "../questions/sql/dialect/duckdb-dialect.js";

/** Expressions for the result of a value that is not a point in time, and of one without a time zone. */
export interface RefusedPoints {
  readonly noPoint: string;
  readonly noZone: string;
}

/**
 * Returns an expression of DuckDB for the last microsecond of a point in time, as `resolveTimePoint()` returns it: for a
 * DATE, and for the text of a calendar date or ISO week, the last of that period; for a TIMESTAMPTZ, and for the text of
 * an instant with a zone, the value itself; null for null.
 *
 * @param value an expression of any type
 */
export function timePointSql(value: string, timeZone: string, { noPoint, noZone }: RefusedPoints): string {
  const text = `CAST(${value} AS VARCHAR)`;
  const instant = duckdbDialect.instantOf?.(`('"' || ${text} || '"')`) ?? "NULL";
  const periods = calendarForms.map(({ pattern, days }) => {
    const first = days === 1 ? `TRY_CAST(${text} AS DATE)` : mondaySql(text);
    const end = midnightUs(`CAST(${first} + ${days} AS TIMESTAMP)`, timeZone);
    return `WHEN regexp_full_match(${text}, '${pattern}') THEN CASE WHEN ${first} IS NULL THEN ${noPoint} ELSE (${end}) - 1 END`;
  });
  return `CASE WHEN ${value} IS NULL THEN NULL
    WHEN typeof(${value}) = 'TIMESTAMP WITH TIME ZONE' THEN epoch_us(CAST(${value} AS TIMESTAMPTZ))
    ${periods.join("\n    ")}
    WHEN ${instant} IS NULL THEN ${noPoint}
    WHEN NOT regexp_matches(substr(${text}, 11), '[0-9]${ZONE}$') THEN ${noZone}
    ELSE epoch_us(${instant}) END`;
}

/** The Monday of the text of an ISO week: a DATE, or null if the week does not exist. */
function mondaySql(text: string): string {
  const [year, week] = [`TRY_CAST(substr(${text}, 1, 4) AS INTEGER)`, `TRY_CAST(substr(${text}, 7, 2) AS INTEGER)`];
  const monday = `(CAST(date_trunc('week', make_date(${year}, 1, 4)) AS DATE) + 7 * (${week} - 1))`;
  return `CASE WHEN year(${monday} + 3) = ${year} THEN ${monday} END`;
}

/**
 * Returns the start of a day in a time zone, in microseconds since 1970, as Temporal does: if clocks are set back over
 * midnight, the first of the two; if they are set forward over it, midnight by the old offset.
 *
 * @param midnight of the day, a TIMESTAMP
 */
function midnightUs(midnight: string, timeZone: string): string {
  if (timeZone === "UTC") return `epoch_us(${midnight})`;
  const zone = sqlText(timeZone);
  const some = `epoch_us(timezone(${zone}, ${midnight}))`;
  const clock = (us: string) => `epoch_us(timezone(${zone}, make_timestamptz(${us})))`;
  const dayBefore = `(${some} - ${US_PER_DAY})`;
  const byOffsetBefore = `(epoch_us(${midnight}) - (${clock(dayBefore)} - ${dayBefore}))`;
  const isAt = (us: string) => `${clock(us)} = epoch_us(${midnight})`;
  return `CASE WHEN NOT ${isAt(byOffsetBefore)} AND ${isAt(some)} THEN ${some} ELSE ${byOffsetBefore} END`;
}
