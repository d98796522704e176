import type { DuckDBConnection } from "@duckdb/node-api";
import { startsLikeDate } from "../../core/calendar-period.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import { afterCall } from "../../history/naming-call.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { giveTime, resolveTimePoint } from "../../history/time/valid-time.js";
import { foldCase, quotedName } from "../../tables/sql/sql-names.js";
import { columnsInUse, countMentions, macroCalls, type SqlToken, sqlTokens } from "./sql-tokens.js";
import type { OpenPast, TypePast } from "./type-past.js";
import { isView, type TypeRelation, type ViewColumns } from "./view-names.js";

/** Matches DuckDB's errors about missing arguments and arguments that are not strings. */
const REFUSED =
  /Cannot use NULL as function argument|cannot contain subqueries|does not support lateral join|does not support the supplied arguments/;

interface Macro {
  readonly relation: TypeRelation;
  readonly past: TypePast;
}

/** The literals of a call: a time, and for some macros a point of knowledge. */
type Given = readonly [time: string, known?: string];

/**
 * The macros of the past in a query: `TRENCHES_AT('2025-06-30')`. Siteframe resolves the times, not the database: each
 * time in a call has a view, and a macro reads the view with the name of its argument. So other arguments are
 * impossible.
 */
export class PastMacros {
  readonly #query: DatedQuery;
  readonly #macros: readonly Macro[];

  private constructor(query: DatedQuery, macros: readonly Macro[]) {
    this.#query = query;
    this.#macros = macros;
  }

  /** @param relations in the query */
  static async of(relations: readonly TypeRelation[], query: DatedQuery, openPast: OpenPast): Promise<PastMacros> {
    const named = relations.filter((relation) => !isView(relation));
    const macros = await Promise.all(
      named.map(async (relation) => ({ relation, past: await openPast(relation.type, query.asLogged) })),
    );
    return new PastMacros(query, macros);
  }

  /** Columns with other names in the results. */
  get columns(): readonly ViewColumns[] {
    const wide = this.#macros.filter(({ relation }) => relation.kind !== "states");
    return wide.map(({ relation, past }) => ({ view: relation.name, renamed: past.renamed() }));
  }

  /** Diagnostics about results: times after the log was read, and gone features. */
  diagnostics(): readonly Diagnostic[] {
    return this.#macros.flatMap(({ relation, past }) => {
      const times = new Set(this.#given(relation).map(([time]) => time));
      return [...[...times].flatMap((time) => past.dateAfterRead(time, this.#query.timeZone)), ...past.goneDiagnostics];
    });
  }

  /**
   * Returns diagnostics for values that are null in the results, since they do not match their declared types.
   *
   * @param tokens of the query, which may use their columns
   */
  async mismatches(tokens: readonly SqlToken[]): Promise<readonly Diagnostic[]> {
    const diagnostics: Diagnostic[] = [];
    for (const { relation, past } of this.#macros) {
      if (relation.kind === "states") continue;
      const isUsed = columnsInUse(tokens, relation.name);
      for (const given of this.#views(relation)) {
        const { us, knownPast } = await this.#resolved(past, given);
        for (const diagnostic of await knownPast.mismatches(us)) {
          if (!isUsed(String(diagnostic.facts?.["column"]))) continue;
          const call = `${relation.name}(${given.map((text) => `'${text}'`).join(", ")})`;
          diagnostics.push({
            ...diagnostic,
            message: `${call}: ${diagnostic.message}`,
            facts: { ...diagnostic.facts, time: given[0] },
          });
        }
      }
    }
    return diagnostics;
  }

  /** Creates the macros on a connection. */
  async create(connection: DuckDBConnection): Promise<void> {
    for (const [index, { relation, past }] of this.#macros.entries()) {
      for (const given of this.#views(relation)) {
        const { us, knownPast } = await this.#resolved(past, given);
        const sql = await (relation.kind === "states" ? knownPast.states(us) : knownPast.asOf(us));
        await connection.run(`CREATE OR REPLACE TEMP VIEW ${quotedName(viewName(index, given))} AS ${sql}`);
      }
      const parameters = relation.kind === "known" ? ['"time"', '"known"'] : ['"time"'];
      const texts = parameters.map((parameter) => `url_encode(${parameter}::VARCHAR)`).join(" || ',' || ");
      const view = `'"past ${index} (' || ${texts} || ')"'`;
      await connection.run(
        `CREATE OR REPLACE TEMP MACRO ${quotedName(relation.name)}(${parameters.join(", ")}) AS TABLE FROM query_table(${view})`,
      );
    }
  }

  /** The past of a call, and its last microsecond. */
  async #resolved(
    past: TypePast,
    [time, point]: Given,
  ): Promise<{ readonly us: number; readonly knownPast: TypePast }> {
    const us = writtenTimes(this.#query).get(time);
    const knownPoint = point === undefined ? undefined : writtenPoints(this.#query).get(point);
    if (us === undefined || (point !== undefined && knownPoint === undefined))
      throw new TypeError(`no view of ${time}`);
    return { us, knownPast: knownPoint === undefined ? past : await past.knownAt(knownPoint) };
  }

  /** The literals with views of a macro: those of its calls; all in the query if a call may have other arguments. */
  #views(relation: TypeRelation): readonly Given[] {
    const given = this.#given(relation);
    if (given.length >= countMentions(this.#query.query, relation.name)) {
      return [...new Map(given.map((one) => [one.join(), one])).values()];
    }
    const times = [...writtenTimes(this.#query).keys()];
    if (relation.kind !== "known") return times.map((time) => [time]);
    return times.flatMap((time) => [...writtenPoints(this.#query).keys()].map((point): Given => [time, point]));
  }

  /** The literals of each call that has only literals. */
  #given({ name, kind }: TypeRelation): readonly Given[] {
    const { query } = this.#query;
    const [times, points] = [writtenTimes(this.#query), writtenPoints(this.#query)];
    return macroCalls(query, sqlTokens(query, duckdbDialect), name).flatMap(({ given }): readonly Given[] => {
      const [time, point] = given;
      if (time === undefined || !times.has(time)) return [];
      if (kind !== "known") return given.length === 1 ? [[time]] : [];
      return given.length === 2 && point !== undefined && points.has(point) ? [[time, point]] : [];
    });
  }

  /** The error for an argument without a view. */
  refusal(message: string): ArgumentError | undefined {
    const [, index, argument = ""] = /Table with name past (\d+) \((\S*)\) does not exist/.exec(message) ?? [];
    const macro = this.#macros[Number(index)];
    if (index === undefined || !macro) return undefined;
    return refusedArgument(macro.relation, argument.split(",").map(decodeURIComponent).join(", "), this.#query);
  }

  /** Hint for a failed query, if a macro may be the reason. */
  hint(message: string): string | undefined {
    const folded = foldCase(message);
    const called = this.#macros.find(
      ({ relation: { name } }) =>
        REFUSED.test(message) || folded.includes(`with name ${foldCase(name)} does not exist`),
    );
    return called && macroHint(called.relation, this.#query.timeZone);
  }
}

/** The name in the form of the macro: it needs no escapes, and is not a file name. */
function viewName(macro: number, given: Given): string {
  return `past ${macro} (${given.map((text) => encodeURIComponent(text ?? "")).join()})`;
}

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
function writtenTimes({ query, timeZone }: DatedQuery): ReadonlyMap<string, number> {
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
function writtenPoints(dated: DatedQuery): ReadonlyMap<string, string | number> {
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
function macroHint({ name, kind }: TypeRelation, timeZone: string): string {
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
