import { US_PER_DAY } from "../../core/instant.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import type { SqlExpression } from "../../history/questions/sql/dialect/literals.js";
import { sqlText } from "../format/sql-text.js";

const DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
const WITH_ZONE = "[0-9](?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)$";

/**
 * The last microsecond that an argument of a macro includes, as `resolveTimePoint()` has it: of a DATE, or the text of one,
 * the last of that day; of a TIMESTAMPTZ, or the text of an instant with its zone, itself. Null of null. Whatever else
 * ends the query.
 *
 * @param parameter of the macro, an expression of any type
 */
export function askedUs(macro: string, parameter: string, timeZone: string): SqlExpression {
  const text = `CAST(${parameter} AS VARCHAR)`;
  const refused = (what: string) => {
    const hint = `Give a calendar date, which includes the whole day in ${timeZone}, or an instant with its zone.`;
    return `error(${sqlText(`${macro}(): `)} || ${text} || ${sqlText(`${what} ${hint}`)})`;
  };
  const day = `TRY_CAST(${text} AS DATE)`;
  const instant = duckdbDialect.instantOf?.(`('"' || ${text} || '"')`) ?? "NULL";
  const none = refused(" is no point in time.");
  return {
    sql: `CASE WHEN ${parameter} IS NULL THEN NULL
    WHEN typeof(${parameter}) = 'TIMESTAMP WITH TIME ZONE' THEN epoch_us(CAST(${parameter} AS TIMESTAMPTZ))
    WHEN regexp_full_match(${text}, '${DATE}') THEN CASE WHEN ${day} IS NULL THEN ${none} ELSE (${midnightUs(`CAST(${day} + 1 AS TIMESTAMP)`, timeZone)}) - 1 END
    WHEN NOT regexp_matches(${text}, '${DATE}') THEN ${none}
    WHEN NOT regexp_matches(substr(${text}, 11), '${WITH_ZONE}') THEN ${refused(" names no time zone.")}
    ELSE coalesce(epoch_us(${instant}), ${none}) END`,
  };
}

/**
 * When a day begins in a time zone, in microseconds since 1970, as Temporal has it: where clocks are put back over midnight it
 * is the first of the two, and where they are put on over it, what midnight would have been before.
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
