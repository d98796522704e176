import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { giveTime, resolveTimePoint } from "../../history/time/valid-time.js";
import { quotedName } from "../../tables/sql/sql-names.js";

/** A query, the time zone in which its calendar dates begin and end, and what its views show. */
export interface DatedQuery {
  readonly query: string;
  readonly timeZone: string;
  /** Whether columns with values of other types than their definitions' have what was logged behind them. */
  readonly asLogged: boolean;
}

/**
 * The points in time that a query writes as literals, with the last microsecond that each includes. It also has those
 * that stand in comments: whatever stands between two quotes and is a time, since no time has a quote in it.
 */
export function writtenTimes({ query, timeZone }: DatedQuery): ReadonlyMap<string, number> {
  const texts = query.split(/['$]/).filter((text) => /^\d{4}-\d\d-\d\d/.test(text));
  return new Map(
    texts.flatMap((text) => {
      const time = readTime(text, timeZone);
      return typeof time === "number" ? [[text, time] as const] : [];
    }),
  );
}

/**
 * The last microsecond that a macro's argument includes.
 *
 * @param name of the macro
 * @throws ArgumentError if it is no time
 */
export function macroTime(name: string, argument: string, dated: DatedQuery): number {
  const time = readTime(argument, dated.timeZone);
  if (typeof time === "number") return time;
  throw refusedTime(name, time.message, dated);
}

/** The error of a macro whose argument is not what it takes. */
export function refusedArgument(name: string, argument: string, dated: DatedQuery): ArgumentError {
  const time = readTime(argument, dated.timeZone);
  const reason = `It takes a time as a literal, and ${showValue(argument)} is none in the query.`;
  return refusedTime(name, typeof time === "number" ? reason : time.message, dated);
}

/** What a macro takes. */
export function macroHint(name: string, timeZone: string): string {
  const call = /^\w+$/.test(name) ? name : quotedName(name);
  return `${giveTime(timeZone)}: ${call}('2025-06-30'), ${call}('2025-06-30T12:00:00Z').`;
}

function refusedTime(name: string, reason: string, { query, timeZone }: DatedQuery): ArgumentError {
  return new ArgumentError(`${name}(): ${reason}`, { hint: macroHint(name, timeZone), facts: { query } });
}

function readTime(text: string, timeZone: string): number | ArgumentError {
  try {
    return resolveTimePoint(text, timeZone);
  } catch (error) {
    if (error instanceof ArgumentError) return error;
    throw error;
  }
}
