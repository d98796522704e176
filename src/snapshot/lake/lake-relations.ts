import type { Diagnostic } from "../../core/diagnostic.js";
import { US_PER_DAY } from "../../core/instant.js";
import { lastKnownAt } from "../../history/questions/engine/log-survey.js";
import { NEVER_US } from "../../history/questions/sql/cell-values.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { type SqlExpression, usLiteral } from "../../history/questions/sql/dialect/literals.js";
import { giveTime, NO_POINT, NO_ZONE } from "../../history/time/valid-time.js";
import { quotedName } from "../../tables/sql/sql-names.js";
import { sqlText } from "../../tables/sql/sql-text.js";
import type { Database } from "../database/database.js";
import type { KnownPart, OpenPast, TypePast } from "../sql/type-past.js";
import { isRenamed, semanticTypes, type TypeRelation, typeRelations, viewDiagnostics } from "../sql/view-names.js";

/** A view or, with parameters, a macro of the lake. */
export interface LakeRelation {
  readonly name: string;
  /** Parameters of a macro. */
  readonly parameters?: readonly string[];
  readonly sql: string;
}

const ASKED_US: SqlExpression = { sql: "(SELECT us FROM asked)" };
const KNOWN: KnownPart = {
  knownUpTo: { sql: "(SELECT known_id FROM asked)" },
  lastKnownUs: { sql: "(SELECT known_us FROM asked)" },
};

/** Later than all times of a log, and earlier than the time of features that are never gone. */
const LATEST_US = NEVER_US / 2;

const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** The view of diagnostics about the other views. No semantic type has a name with this prefix. */
const DIAGNOSTICS = "siteframe_diagnostics";

/**
 * Returns the semantic types of a snapshot as views and macros, with the statements of `siteframe sql`, followed by the
 * diagnostics that the command would print. A column that loses values is followed by a column with all logged values.
 *
 * Tables are named without catalog, since the catalog can be attached under any name. A view finds tables in its own
 * catalog; a macro in the session's current one, which must be this.
 *
 * @param timeZone of calendar dates
 */
export async function lakeRelations(
  database: Database,
  openPast: OpenPast,
  timeZone: string,
): Promise<readonly LakeRelation[]> {
  const relations: LakeRelation[] = [];
  const diagnosed: RelationDiagnostic[] = [];
  const groups = typeRelations(await semanticTypes(database));
  for (const relation of groups.flat()) {
    const past = await openPast(relation.type, true);
    relations.push(...(await relationsOf(relation, past, database, timeZone)));
    if (relation.kind !== "present") continue;
    const { name } = relation;
    const renamed = viewDiagnostics({
      renamed: [],
      columns: [{ view: name, renamed: past.presentRenamed(duckdbDialect) }],
    });
    const diagnostics = [...(await past.mismatches(LATEST_US)), ...past.goneDiagnostics, ...renamed];
    diagnosed.push(...diagnostics.map((diagnostic) => ({ relation: name, diagnostic })));
  }
  const renamed = viewDiagnostics({ renamed: groups.filter((group) => group.some(isRenamed)), columns: [] });
  diagnosed.push(...renamed.map((diagnostic) => ({ relation: null, diagnostic })));
  return [...relations, { name: DIAGNOSTICS, sql: diagnosticsSql(diagnosed) }];
}

/** A diagnostic about a relation; null for several relations. */
interface RelationDiagnostic {
  readonly relation: string | null;
  readonly diagnostic: Diagnostic;
}

function diagnosticsSql(diagnosed: readonly RelationDiagnostic[]): string {
  const select =
    "SELECT relation::VARCHAR AS relation, code::VARCHAR AS code, message::VARCHAR AS message, count::BIGINT AS count";
  const rows = diagnosed.map(({ relation, diagnostic: { code, message, count } }) => {
    return `(${[relation === null ? "NULL" : sqlText(relation), sqlText(code), sqlText(message), count ?? "NULL"].join(", ")})`;
  });
  // VALUES needs a row, which is removed again for an empty list.
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
  const macro = (requested: string, parameters: readonly string[], statement: string) => [
    { name, parameters, sql: `WITH asked AS (SELECT ${requested})\nSELECT * FROM (${statement})` },
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
      const requested = `CASE WHEN known IS NOT NULL THEN ${time} END AS us, ${known} AS known_id, ${knownUs(name, timeZone)} AS known_us`;
      return macro(requested, ["t", "known"], await past.knownBy(KNOWN).asOf(ASKED_US, duckdbDialect));
    }
  }
}

/**
 * Returns the id of the last known change, as in `history.knownAt()`.
 *
 * @param timeless a change whose id has no insertion time, so that no time can be compared
 */
function knownId(macro: string, timeZone: string, timeless: string | undefined): string {
  const text = "CAST(known AS VARCHAR)";
  const why = `${macro}(): the change ${timeless} has no insertion time, since its id is not a UUIDv7. Pass the id of the last known change.`;
  const byTime = timeless === undefined ? lastKnownAt(askedUs(macro, "known", timeZone)).sql : `error(${sqlText(why)})`;
  return `CASE WHEN known IS NULL THEN NULL WHEN regexp_full_match(${text}, '${UUID}') THEN lower(${text}) ELSE ${byTime} END`;
}

/** The last microsecond at which changes were known; the end of time if the id of a change has no time. */
function knownUs(macro: string, timeZone: string): string {
  const text = "lower(CAST(known AS VARCHAR))";
  const ms = duckdbDialect.fromHex(`concat(substr(${text}, 1, 8), substr(${text}, 10, 4))`);
  return `CASE WHEN known IS NULL THEN NULL WHEN NOT regexp_full_match(${text}, '${UUID}') THEN ${askedUs(macro, "known", timeZone).sql}
    WHEN regexp_matches(${text}, '^.{14}7.{4}[89ab]') THEN ${ms} * 1000 + 999 ELSE ${usLiteral(NEVER_US)} END`;
}

const DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
const WITH_ZONE = "[0-9](?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)$";

/**
 * Returns the last microsecond that an argument of a macro includes, as in `resolveTimePoint()`: for a DATE or its
 * text, the last of that day; for a TIMESTAMPTZ or the text of an instant with zone, the value itself. Null for null.
 * Other values end the query with an error.
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
