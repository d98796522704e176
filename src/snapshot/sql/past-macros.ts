import type { DuckDBConnection } from "@duckdb/node-api";
import type { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { foldCase, quotedName } from "../../tables/sql/sql-names.js";
import { type DatedQuery, macroHint, refusedArgument, writtenTimes } from "./macro-time.js";
import { countMentions, macroCalls, type SqlToken, sqlTokens } from "./sql-tokens.js";
import type { OpenPast, TypePast } from "./type-past.js";
import { columnsInUse } from "./used-columns.js";
import type { TypeRelation, ViewColumns } from "./view-names.js";

/** What DuckDB says of arguments that are none or of another kind than a text. */
const REFUSED =
  /Cannot use NULL as function argument|cannot contain subqueries|does not support lateral join|does not support the supplied arguments/;

interface Macro {
  readonly relation: TypeRelation;
  readonly past: TypePast;
}

/**
 * The macros of the past that a query names: `TRENCHES_AT('2025-06-30')`. What a time means is for us to say, not for
 * the database: each time that a call is given has a view, and a macro reads the one that is called like its argument.
 * So there is no other argument.
 */
export class PastMacros {
  readonly #query: DatedQuery;
  readonly #macros: readonly Macro[];

  private constructor(query: DatedQuery, macros: readonly Macro[]) {
    this.#query = query;
    this.#macros = macros;
  }

  /** @param relations that the query names */
  static async of(relations: readonly TypeRelation[], query: DatedQuery, openPast: OpenPast): Promise<PastMacros> {
    const named = relations.filter(({ kind }) => kind === "at" || kind === "states");
    const macros = await Promise.all(
      named.map(async (relation) => ({ relation, past: await openPast(relation.type, query.asLogged) })),
    );
    return new PastMacros(query, macros);
  }

  /** Columns that have other names in the results. */
  get columns(): readonly ViewColumns[] {
    const wide = this.#macros.filter(({ relation }) => relation.kind === "at");
    return wide.map(({ relation, past }) => ({ view: relation.name, renamed: past.renamed() }));
  }

  /** What to know of answers about times after the log was read. */
  findings(): readonly Finding[] {
    return this.#macros.flatMap(({ relation, past }) => {
      return [...new Set(this.#given(relation))].flatMap((time) => past.beyondReading(time, this.#query.timeZone));
    });
  }

  /**
   * Of values that are null in the results, since they are not of their definitions' types.
   *
   * @param tokens of the query, which may use their columns
   */
  async mismatches(tokens: readonly SqlToken[]): Promise<readonly Finding[]> {
    const found: Finding[] = [];
    for (const { relation, past } of this.#macros) {
      if (relation.kind !== "at") continue;
      const isUsed = columnsInUse(tokens, relation.name);
      for (const [time, us] of this.#times(relation)) {
        for (const finding of await past.mismatches(us)) {
          if (!isUsed(String(finding.facts?.["column"]))) continue;
          const message = `${relation.name}('${time}'): ${finding.message}`;
          found.push({ ...finding, message, facts: { ...finding.facts, time } });
        }
      }
    }
    return found;
  }

  /** Makes them for one connection. */
  async create(connection: DuckDBConnection): Promise<void> {
    for (const [index, { relation, past }] of this.#macros.entries()) {
      for (const [time, us] of this.#times(relation)) {
        const sql = await (relation.kind === "at" ? past.asOf(us) : past.states(us));
        await connection.run(`CREATE OR REPLACE TEMP VIEW ${quotedName(viewName(index, time))} AS ${sql}`);
      }
      const view = `'"past ${index} (' || url_encode("time"::VARCHAR) || ')"'`;
      await connection.run(
        `CREATE OR REPLACE TEMP MACRO ${quotedName(relation.name)}("time") AS TABLE FROM query_table(${view})`,
      );
    }
  }

  /** The times that a macro is given; all that the query writes where a call may be given something else. */
  #times(relation: TypeRelation): ReadonlyMap<string, number> {
    const written = writtenTimes(this.#query);
    const given = this.#given(relation);
    if (given.length < countMentions(this.#query.query, relation.name)) return written;
    return new Map([...written].filter(([time]) => given.includes(time)));
  }

  /** The time of each call that is given one as a literal. */
  #given({ name }: TypeRelation): readonly string[] {
    const { query } = this.#query;
    const written = writtenTimes(this.#query);
    const calls = macroCalls(query, sqlTokens(query, duckdbDialect), name);
    return calls.flatMap(({ time }) => (time !== undefined && written.has(time) ? [time] : []));
  }

  /** What is wrong with an argument for which there is no view. */
  refusal(message: string): ArgumentError | undefined {
    const [, index, argument = ""] = /Table with name past (\d+) \((\S*)\) does not exist/.exec(message) ?? [];
    const macro = this.#macros[Number(index)];
    if (index === undefined || !macro) return undefined;
    return refusedArgument(macro.relation.name, decodeURIComponent(argument), this.#query);
  }

  /** What to do about a query that failed, if a macro may be the reason. */
  hint(message: string): string | undefined {
    const folded = foldCase(message);
    const called = this.#macros.find(
      ({ relation: { name } }) =>
        REFUSED.test(message) || folded.includes(`with name ${foldCase(name)} does not exist`),
    );
    return called && macroHint(called.relation.name, this.#query.timeZone);
  }
}

/** As the macro puts it together: a name that needs no escape, and is no file's. */
function viewName(macro: number, time: string): string {
  return `past ${macro} (${encodeURIComponent(time)})`;
}
