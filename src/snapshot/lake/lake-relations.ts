import { lastKnownAt } from "../../history/questions/log-survey.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import type { SqlExpression } from "../../history/questions/sql/dialect/literals.js";
import { quotedName } from "../../tables/sql/sql-names.js";
import type { Database } from "../database/database.js";
import { sqlText } from "../format/sql-text.js";
import type { OpenPast, TypePast } from "../sql/type-past.js";
import { semanticTypes, suffixes, type TypeRelation, typeRelations } from "../sql/view-names.js";
import { askedUs } from "./asked-time.js";

/** A view or, with parameters, a macro of the lake. */
export interface LakeRelation {
  readonly name: string;
  /** Of a macro. */
  readonly parameters?: readonly string[];
  readonly sql: string;
}

/** What a lake has of each semantic type. */
const kinds = { ...suffixes, known: "_KNOWN_AT" };

type LakeKind = keyof typeof kinds;

const ASKED_US: SqlExpression = { sql: "(SELECT us FROM asked)" };
const KNOWN_ID: SqlExpression = { sql: "(SELECT known_id FROM asked)" };

const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/**
 * The semantic types of a snapshot as views and macros, by the statements of `siteframe sql`.
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
  const types = await semanticTypes(database);
  for (const relation of typeRelations(types, kinds).flat()) {
    const past = await openPast(relation.type, false);
    relations.push(...(await relationsOf(relation, past, database, timeZone)));
  }
  return relations;
}

async function relationsOf(
  { kind, name }: TypeRelation<LakeKind>,
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
      const asked = `CASE WHEN known IS NOT NULL THEN ${time} END AS us, ${known} AS known_id`;
      return macro(asked, ["t", "known"], await past.asOf(ASKED_US, duckdbDialect, KNOWN_ID));
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
