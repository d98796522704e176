import type { Finding } from "../../core/finding.js";
import { US_PER_DAY } from "../../core/instant.js";
import { lastKnownAt } from "../../history/questions/log-survey.js";
import { NEVER_US } from "../../history/questions/sql/cell-values.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { type SqlExpression, usLiteral } from "../../history/questions/sql/dialect/literals.js";
import { giveTime, NO_POINT, NO_ZONE } from "../../history/time/valid-time.js";
import { quotedName } from "../../tables/sql/sql-names.js";
import { sqlText } from "../../tables/sql/sql-text.js";
import type { Database } from "../database/database.js";
import type { KnownPart, OpenPast, TypePast } from "../sql/type-past.js";
import { isRenamed, semanticTypes, type TypeRelation, typeRelations, viewFindings } from "../sql/view-names.js";

/** A view or, with parameters, a macro of the lake. */
export interface LakeRelation {
  readonly name: string;
  /** Of a macro. */
  readonly parameters?: readonly string[];
  readonly sql: string;
}

const ASKED_US: SqlExpression = { sql: "(SELECT us FROM asked)" };
const KNOWN: KnownPart = {
  knownUpTo: { sql: "(SELECT known_id FROM asked)" },
  lastKnownUs: { sql: "(SELECT known_us FROM asked)" },
};

/** After all times of a log, and before that at which a feature is never gone. */
const LATEST_US = NEVER_US / 2;

const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** The view of diagnostics about the other views. No semantic type has a name with this prefix. */
const DIAGNOSTICS = "siteframe_diagnostics";

/**
 * The semantic types of a snapshot as views and macros, by the statements of `siteframe sql`, with a column of all values as they
 * were logged behind each column that loses some; and the diagnostics that the command would print.
 *
 * Tables stand in their texts by their names alone, since nobody knows under which name the catalog will be attached. A view
 * finds them in its own catalog; a macro in the one that the session uses, which has to be this.
 *
 * @param timeZone in which calendar dates end
 */
export async function lakeRelations(
  database: Database,
  openPast: OpenPast,
  timeZone: string,
): Promise<readonly LakeRelation[]> {
  const relations: LakeRelation[] = [];
  const told: Told[] = [];
  const groups = typeRelations(await semanticTypes(database));
  for (const relation of groups.flat()) {
    const past = await openPast(relation.type, true);
    relations.push(...(await relationsOf(relation, past, database, timeZone)));
    if (relation.kind !== "present") continue;
    const { name } = relation;
    const renamed = viewFindings({
      renamed: [],
      columns: [{ view: name, renamed: past.presentRenamed(duckdbDialect) }],
    });
    const found = [...(await past.mismatches(LATEST_US)), ...past.goneFindings, ...renamed];
    told.push(...found.map((finding) => ({ relation: name, finding })));
  }
  const renamed = viewFindings({ renamed: groups.filter((group) => group.some(isRenamed)), columns: [] });
  told.push(...renamed.map((finding) => ({ relation: null, finding })));
  return [...relations, { name: DIAGNOSTICS, sql: diagnosticsSql(told) }];
}

/** A diagnostic about a relation; about several if it is null. */
interface Told {
  readonly relation: string | null;
  readonly finding: Finding;
}

function diagnosticsSql(told: readonly Told[]): string {
  const select =
    "SELECT relation::VARCHAR AS relation, code::VARCHAR AS code, message::VARCHAR AS message, count::BIGINT AS count";
  const rows = told.map(({ relation, finding: { code, message, count } }) => {
    return `(${[relation === null ? "NULL" : sqlText(relation), sqlText(code), sqlText(message), count ?? "NULL"].join(", ")})`;
  });
  // A list of values has a row: that of an empty one is left out again.
  const given = rows.length > 0 ? rows.join(", ") : "(NULL, NULL, NULL, NULL)";
  return `${select} FROM (VALUES ${given}) found(relation, code, message, count)${rows.length > 0 ? "" : " WHERE false"}`;
}

async function relationsOf(
  { kind, name }: TypeRelation,
  past: TypePast,
  database: Database,
  timeZone: string,
): Promise<readonly LakeRelation[]> {
  const time = askedUs(name, "t", timeZone).sql;
  const macro = (asked: string, parameters: readonly string[], statement: string) => [
    { name, parameters, sql: `WITH asked AS (SELECT ${asked})\nSELECT * FROM (${statement})` },
  ];
  switch (kind) {
    case "present":
      return [{ name, sql: past.present(duckdbDialect) }];
    case "history":
      return [
        { name, sql: past.history(duckdbDialect) },
        { name, parameters: [], sql: `SELECT * FROM ${quotedName(name)}` },
      ];
    case "at":
      return macro(`${time} AS us`, ["t"], await past.asOf(ASKED_US, duckdbDialect));
    case "states":
      return macro(`${time} AS us`, ["t"], past.states(ASKED_US, duckdbDialect));
    case "known": {
      const [timeless] = await database.rows(past.timelessId());
      const known = knownId(name, timeZone, typeof timeless?.[0] === "string" ? timeless[0] : undefined);
      const asked = `CASE WHEN known IS NOT NULL THEN ${time} END AS us, ${known} AS known_id, ${knownUs(name, timeZone)} AS known_us`;
      return macro(asked, ["t", "known"], await past.knownBy(KNOWN).asOf(ASKED_US, duckdbDialect));
    }
  }
}

/**
 * The id of the last change that was known, as `history.knownAt()` has it.
 *
 * @param timeless a change whose id does not say when it was inserted, so that none is told by a time
 */
function knownId(macro: string, timeZone: string, timeless: string | undefined): string {
  const text = "CAST(known AS VARCHAR)";
  const why = `${macro}(): the id ${timeless} is no UUIDv7, so that nobody knows when its change was inserted. Give the id of the last change that was known.`;
  const byTime = timeless === undefined ? lastKnownAt(askedUs(macro, "known", timeZone)).sql : `error(${sqlText(why)})`;
  return `CASE WHEN known IS NULL THEN NULL WHEN regexp_full_match(${text}, '${UUID}') THEN lower(${text}) ELSE ${byTime} END`;
}

/** The last microsecond at which something was known; the end of time if the id of a change has no time. */
function knownUs(macro: string, timeZone: string): string {
  const text = "lower(CAST(known AS VARCHAR))";
  const ms = duckdbDialect.fromHex(`concat(substr(${text}, 1, 8), substr(${text}, 10, 4))`);
  return `CASE WHEN known IS NULL THEN NULL WHEN NOT regexp_full_match(${text}, '${UUID}') THEN ${askedUs(macro, "known", timeZone).sql}
    WHEN regexp_matches(${text}, '^.{14}7.{4}[89ab]') THEN ${ms} * 1000 + 999 ELSE ${usLiteral(NEVER_US)} END`;
}

const DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
const WITH_ZONE = "[0-9](?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)$";

/**
 * The last microsecond that an argument of a macro includes, as `resolveTimePoint()` has it: of a DATE, or the text of one,
 * the last of that day; of a TIMESTAMPTZ, or the text of an instant with its zone, itself. Null of null. Whatever else
 * ends the query.
 *
 * @param parameter of the macro, an expression of any type
 */
function askedUs(macro: string, parameter: string, timeZone: string): SqlExpression {
  const text = `CAST(${parameter} AS VARCHAR)`;
  const refused = (what: string) => {
    return `error(${sqlText(`${macro}(): `)} || ${text} || ${sqlText(` ${what}. ${giveTime(timeZone)}.`)})`;
  };
  const day = `TRY_CAST(${text} AS DATE)`;
  const instant = duckdbDialect.instantOf?.(`('"' || ${text} || '"')`) ?? "NULL";
  const none = refused(NO_POINT);
  return {
    sql: `CASE WHEN ${parameter} IS NULL THEN NULL
    WHEN typeof(${parameter}) = 'TIMESTAMP WITH TIME ZONE' THEN epoch_us(CAST(${parameter} AS TIMESTAMPTZ))
    WHEN regexp_full_match(${text}, '${DATE}') THEN CASE WHEN ${day} IS NULL THEN ${none} ELSE (${midnightUs(`CAST(${day} + 1 AS TIMESTAMP)`, timeZone)}) - 1 END
    WHEN NOT regexp_matches(${text}, '${DATE}') THEN ${none}
    WHEN NOT regexp_matches(substr(${text}, 11), '${WITH_ZONE}') THEN ${refused(NO_ZONE)}
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
