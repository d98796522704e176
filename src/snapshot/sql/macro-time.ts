import { startsLikeDate } from "../../core/calendar-period.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import { afterCall } from "../../history/naming-call.js";
import { giveTime, resolveTimePoint } from "../../history/time/valid-time.js";
import { quotedName } from "../../tables/sql/sql-names.js";

import type { TypeRelation } from "./view-names.js";

/** A query, with the time zone of its calendar dates and the columns of its views. */
export interface DatedQuery {
  readonly query: string;
  readonly timeZone: string;
  /** Whether columns with values that do not match their declared type are followed by the logged values. */
  readonly asLogged: boolean;
}

/**
 * Returns the points in time in a query's literals, with the last microsecond that each includes. Literals in comments
 * are included, since every quoted string that is a time counts; times contain no quotes.
 */
export function writtenTimes({ query, timeZone }: DatedQuery): ReadonlyMap<string, number> {
  const texts = query.split(/['$]/).filter(startsLikeDate);
  return new Map(
    texts.flatMap((text) => {
      const time = readTime(text, timeZone);
      return typeof time === "number" ? [[text, time] as const] : [];
    }),
  );
}

/**
 * Returns the insertion points in a query's literals: change ids unchanged, and times with the last microsecond that
 * each includes.
 */
export function writtenPoints(dated: DatedQuery): ReadonlyMap<string, string | number> {
  const ids = dated.query.split("'").filter(isUuid);
  return new Map<string, string | number>([...writtenTimes(dated), ...ids.map((id) => [id, id] as const)]);
}

/**
 * Returns the insertion point of a macro's argument.
 *
 * @throws ArgumentError if it is neither a change id nor a time
 */
export function macroPoint(macro: TypeRelation, argument: string, dated: DatedQuery): string | number {
  return isUuid(argument) ? argument : macroTime(macro, argument, dated);
}

/**
 * Returns the last microsecond that a macro's argument includes.
 *
 * @throws ArgumentError if it is not a time
 */
export function macroTime(macro: TypeRelation, argument: string, dated: DatedQuery): number {
  const time = readTime(argument, dated.timeZone);
  if (typeof time === "number") return time;
  throw refusedTime(macro, time.message, dated);
}

/** The error for an invalid argument of a macro. */
export function refusedArgument(macro: TypeRelation, argument: string, dated: DatedQuery): ArgumentError {
  if (macro.kind === "known") {
    const reason = `invalid arguments ${showValue(argument)}.`;
    return refusedTime(macro, reason, dated);
  }
  const time = readTime(argument, dated.timeZone);
  const reason = `the argument ${showValue(argument)} is not a literal.`;
  return refusedTime(macro, typeof time === "number" ? reason : time.message, dated);
}

/** The valid arguments of a macro, as a hint. */
export function macroHint({ name, kind }: TypeRelation, timeZone: string): string {
  const call = /^\w+$/.test(name) ? name : quotedName(name);
  const more = kind === "known" ? ", '2025-07-02'" : "";
  return `${giveTime(timeZone)}: ${call}('2025-06-30'${more}), ${call}('2025-06-30T12:00:00Z'${more}).`;
}

function refusedTime(macro: TypeRelation, reason: string, { query, timeZone }: DatedQuery): ArgumentError {
  return new ArgumentError(afterCall(`${macro.name}()`, reason), {
    hint: macroHint(macro, timeZone),
    facts: { query },
  });
}

function readTime(text: string, timeZone: string): number | ArgumentError {
  try {
    return resolveTimePoint(text, timeZone);
  } catch (error) {
    if (error instanceof ArgumentError) return error;
    throw error;
  }
}
