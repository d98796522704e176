import type { Database } from "../database/database.js";
import { isNamed, type TypeRelation, typeRelations } from "./view-names.js";

const LISTS_TABLES =
  /\bshow\s+(all\s+)?tables\b|\binformation_schema\b|\bduckdb_(tables|views|columns)\b|\b(pg_catalog|pg_class|pg_tables|pg_views|sqlite_master)\b|^\s*(show|describe|desc)\s*;?\s*$/i;

/** A relation, and how a query comes to it. */
export interface NamedRelation extends TypeRelation {
  /** Whether the query does not name it, but asks which tables and columns there are. */
  readonly isOnlyListed: boolean;
}

/**
 * The relations of semantic types that a query names, those of one plain name together. One that asks which tables there
 * are names all views.
 *
 * @param hasPast whether there are views of the past
 */
export async function namedRelations(
  database: Database,
  query: string,
  hasPast: boolean,
): Promise<readonly (readonly NamedRelation[])[]> {
  const isList = LISTS_TABLES.test(query);
  const isListed = ({ kind }: TypeRelation) => isList && (kind === "present" || (kind === "history" && hasPast));
  return typeRelations(await semanticTypes(database))
    .map((group) => {
      const isOnlyListed = !isNamed(group, query);
      const found = isOnlyListed ? group.filter(isListed) : group;
      return found.map((relation) => ({ ...relation, isOnlyListed }));
    })
    .filter((group) => group.length > 0);
}

async function semanticTypes(database: Database): Promise<readonly string[]> {
  const rows = await database.rows("SELECT DISTINCT semantic_type FROM layer_features WHERE semantic_type IS NOT NULL");
  return rows.map(([value]) => String(value));
}
