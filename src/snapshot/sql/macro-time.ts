import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import { giveTime, resolveTimePoint } from "../../history/time/valid-time.js";
import { quotedName } from "../../tables/sql/sql-names.js";

import type { TypeRelation } from "./view-names.js";

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
 * The points of insertion that a query writes as literals: the ids of changes as they are, and times with the last microsecond
 * that each includes.
 */
export function writtenPoints(dated: DatedQuery): ReadonlyMap<string, string | number> {
  const ids = dated.query.split("'").filter(isUuid);
  return new Map<string, string | number>([...writtenTimes(dated), ...ids.map((id) => [id, id] as const)]);
}

/**
 * The point of insertion that a macro's argument is.
 *
 * @throws ArgumentError if it is neither the id of a change nor a time
 */
export function macroPoint(macro: TypeRelation, argument: string, dated: DatedQuery): string | number {
  return isUuid(argument) ? argument : macroTime(macro, argument, dated);
}

/**
 * The last microsecond that a macro's argument includes.
 *
 * @throws ArgumentError if it is no time
 */
export function macroTime(macro: TypeRelation, argument: string, dated: DatedQuery): number {
  const time = readTime(argument, dated.timeZone);
  if (typeof time === "number") return time;
  throw refusedTime(macro, time.message, dated);
}

/** The error of a macro whose argument is not what it takes. */
export function refusedArgument(macro: TypeRelation, argument: string, dated: DatedQuery): ArgumentError {
  if (macro.kind === "known") {
    const reason = `It takes a time, and a time or the id of a change, as literals, and got ${showValue(argument)}.`;
    return refusedTime(macro, reason, dated);
  }
  const time = readTime(argument, dated.timeZone);
  const reason = `It takes a time as a literal, and ${showValue(argument)} is none in the query.`;
  return refusedTime(macro, typeof time === "number" ? reason : time.message, dated);
}

/** What a macro takes. */
export function macroHint({ name, kind }: TypeRelation, timeZone: string): string {
  const call = /^\w+$/.test(name) ? name : quotedName(name);
  const more = kind === "known" ? ", '2025-07-02'" : "";
  return `${giveTime(timeZone)}: ${call}('2025-06-30'${more}), ${call}('2025-06-30T12:00:00Z'${more}).`;
}

function refusedTime(macro: TypeRelation, reason: string, { query, timeZone }: DatedQuery): ArgumentError {
  return new ArgumentError(`${macro.name}(): ${reason}`, { hint: macroHint(macro, timeZone), facts: { query } });
}

function readTime(text: string, timeZone: string): number | ArgumentError {
  try {
    return resolveTimePoint(text, timeZone);
  } catch (error) {
    if (error instanceof ArgumentError) return error;
    throw error;
  }
}
