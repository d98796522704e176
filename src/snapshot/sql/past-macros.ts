import type { DuckDBConnection } from "@duckdb/node-api";
import type { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { foldCase, quotedName } from "../../tables/sql/sql-names.js";
import { type DatedQuery, macroHint, refusedArgument, writtenPoints, writtenTimes } from "./macro-time.js";
import { countMentions, macroCalls, type SqlToken, sqlTokens } from "./sql-tokens.js";
import type { OpenPast, TypePast } from "./type-past.js";
import { columnsInUse } from "./used-columns.js";
import { isView, type TypeRelation, type ViewColumns } from "./view-names.js";

/** What DuckDB says of arguments that are none or of another kind than a text. */
const REFUSED =
  /Cannot use NULL as function argument|cannot contain subqueries|does not support lateral join|does not support the supplied arguments/;

interface Macro {
  readonly relation: TypeRelation;
  readonly past: TypePast;
}

/** The literals of a call: a time, and what was known where the macro takes it. */
type Given = readonly [time: string, known?: string];

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
    const named = relations.filter((relation) => !isView(relation));
    const macros = await Promise.all(
      named.map(async (relation) => ({ relation, past: await openPast(relation.type, query.asLogged) })),
    );
    return new PastMacros(query, macros);
  }

  /** Columns that have other names in the results. */
  get columns(): readonly ViewColumns[] {
    const wide = this.#macros.filter(({ relation }) => relation.kind !== "states");
    return wide.map(({ relation, past }) => ({ view: relation.name, renamed: past.renamed() }));
  }

  /** Diagnostics about answers: times after the log was read, and features that are gone. */
  findings(): readonly Finding[] {
    return this.#macros.flatMap(({ relation, past }) => {
      const times = new Set(this.#given(relation).map(([time]) => time));
      return [...[...times].flatMap((time) => past.beyondReading(time, this.#query.timeZone)), ...past.goneFindings];
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
      if (relation.kind === "states") continue;
      const isUsed = columnsInUse(tokens, relation.name);
      for (const given of this.#views(relation)) {
        const { us, known } = await this.#resolved(past, given);
        for (const finding of await known.mismatches(us)) {
          if (!isUsed(String(finding.facts?.["column"]))) continue;
          const call = `${relation.name}(${given.map((text) => `'${text}'`).join(", ")})`;
          found.push({
            ...finding,
            message: `${call}: ${finding.message}`,
            facts: { ...finding.facts, time: given[0] },
          });
        }
      }
    }
    return found;
  }

  /** Makes them for one connection. */
  async create(connection: DuckDBConnection): Promise<void> {
    for (const [index, { relation, past }] of this.#macros.entries()) {
      for (const given of this.#views(relation)) {
        const { us, known } = await this.#resolved(past, given);
        const sql = await (relation.kind === "states" ? known.states(us) : known.asOf(us));
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

  /** The past that a call is about, and its last microsecond. */
  async #resolved(past: TypePast, [time, point]: Given): Promise<{ readonly us: number; readonly known: TypePast }> {
    const us = writtenTimes(this.#query).get(time);
    const known = point === undefined ? undefined : writtenPoints(this.#query).get(point);
    if (us === undefined || (point !== undefined && known === undefined)) throw new TypeError(`no view of ${time}`);
    return { us, known: known === undefined ? past : await past.knownAt(known) };
  }

  /** What a macro has views of: what its calls are given; all that the query writes where a call may be given something else. */
  #views(relation: TypeRelation): readonly Given[] {
    const given = this.#given(relation);
    if (given.length >= countMentions(this.#query.query, relation.name)) {
      return [...new Map(given.map((one) => [one.join(), one])).values()];
    }
    const times = [...writtenTimes(this.#query).keys()];
    if (relation.kind !== "known") return times.map((time) => [time]);
    return times.flatMap((time) => [...writtenPoints(this.#query).keys()].map((known): Given => [time, known]));
  }

  /** The literals of each call that is given nothing else. */
  #given({ name, kind }: TypeRelation): readonly Given[] {
    const { query } = this.#query;
    const [times, points] = [writtenTimes(this.#query), writtenPoints(this.#query)];
    return macroCalls(query, sqlTokens(query, duckdbDialect), name).flatMap(({ given }): readonly Given[] => {
      const [time, known] = given;
      if (time === undefined || !times.has(time)) return [];
      if (kind !== "known") return given.length === 1 ? [[time]] : [];
      return given.length === 2 && known !== undefined && points.has(known) ? [[time, known]] : [];
    });
  }

  /** What is wrong with an argument for which there is no view. */
  refusal(message: string): ArgumentError | undefined {
    const [, index, argument = ""] = /Table with name past (\d+) \((\S*)\) does not exist/.exec(message) ?? [];
    const macro = this.#macros[Number(index)];
    if (index === undefined || !macro) return undefined;
    return refusedArgument(macro.relation, argument.split(",").map(decodeURIComponent).join(", "), this.#query);
  }

  /** What to do about a query that failed, if a macro may be the reason. */
  hint(message: string): string | undefined {
    const folded = foldCase(message);
    const called = this.#macros.find(
      ({ relation: { name } }) =>
        REFUSED.test(message) || folded.includes(`with name ${foldCase(name)} does not exist`),
    );
    return called && macroHint(called.relation, this.#query.timeZone);
  }
}

/** As the macro puts it together: a name that needs no escape, and is no file's. */
function viewName(macro: number, given: Given): string {
  return `past ${macro} (${given.map((text) => encodeURIComponent(text ?? "")).join()})`;
}
