import type { Diagnostic } from "../../core/diagnostic.js";
import { lastKnownAt } from "../../history/questions/engine/log-survey.js";
import { NEVER_US } from "../../history/questions/sql/cell-values.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { type SqlExpression, usLiteral } from "../../history/questions/sql/dialect/literals.js";
import { timePointSql } from "../../history/time/time-point-sql.js";
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
      const idSql = knownId(name, timeZone, typeof timeless?.[0] === "string" ? timeless[0] : undefined);
      const requested = `CASE WHEN known IS NOT NULL THEN ${time} END AS us, ${idSql} AS known_id, ${knownUs(name, timeZone)} AS known_us`;
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

/**
 * Returns the last microsecond that an argument of a macro includes; null for null. Values that are not points in time
 * end the query with an error.
 *
 * @param parameter of the macro, an expression of any type
 */
function askedUs(macro: string, parameter: string, timeZone: string): SqlExpression {
  const text = `CAST(${parameter} AS VARCHAR)`;
  const refused = (what: string) => {
    return `error(${sqlText(`${macro}(): `)} || ${text} || ${sqlText(` ${what}. ${giveTime(timeZone)}.`)})`;
  };
  return { sql: timePointSql(parameter, timeZone, { noPoint: refused(NO_POINT), noZone: refused(NO_ZONE) }) };
}
