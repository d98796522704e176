import { createHash } from "node:crypto";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { showValue } from "../../core/show-value.js";
import {
  foldCase,
  listNames,
  type SqlRename,
  sqlNameDiagnostics,
  sqlNameHint,
  writableName,
} from "../../tables/sql/sql-names.js";
import type { Database } from "../database/database.js";
import { GONE_FEATURES } from "../format/manifest.js";
import { tableSchemas } from "../format/table-schema.js";
import { countMentions } from "./sql-tokens.js";

/**
 * Kinds of relations of a semantic type: views of its current features (`present`) and of their intervals (`history`),
 * and macros with a date: the features as of it (`at`), the state of each value (`states`), and the features as of it,
 * as known at a second date (`known`).
 */
export type RelationKind = "present" | "at" | "states" | "history" | "known";

/** Suffixes after the name of a type. */
const suffixes: Readonly<Record<RelationKind, string>> = {
  present: "",
  at: "_AT",
  states: "_STATES",
  history: "_HISTORY",
  known: "_KNOWN_AT",
};

/** A view or macro of a semantic type. */
export interface TypeRelation {
  readonly type: string;
  readonly kind: RelationKind;
  /** Name without conflicts: `TRENCHES_AT`. */
  readonly plainName: string;
  readonly name: string;
}

/** Columns of a view or macro with other names than in a layer. */
export interface ViewColumns {
  readonly view: string;
  readonly renamed: readonly SqlRename[];
}

/** Views, macros and columns with unexpected names. */
export interface ViewNotes {
  /** Relations with the same plain name, none of which has it. */
  readonly renamed: readonly (readonly TypeRelation[])[];
  readonly columns: readonly ViewColumns[];
}

const tables: ReadonlySet<string> = new Set([...tableSchemas.map(({ name }) => name), GONE_FEATURES]);

/** Whether a relation has an unexpected name. */
export function isRenamed({ kind, type, plainName, name }: TypeRelation): boolean {
  return name !== (kind === "present" ? type : plainName);
}

/**
 * Returns the names of the views and macros of semantic types, grouped by plain name in SQL's comparison. If there are
 * several, or a table has the name, each is `NAME (first 8 hex digits of the type's SHA-256)`, independent of other
 * types. A type without a name has none.
 */
export function typeRelations(types: readonly string[]): readonly (readonly TypeRelation[])[] {
  const groups = new Map<string, Omit<TypeRelation, "name">[]>();
  for (const type of types.filter((name) => name !== "").sort()) {
    for (const [kind, suffix] of Object.entries(suffixes) as [RelationKind, string][]) {
      const plainName = `${writableName(type)}${suffix}`;
      const group = groups.get(foldCase(plainName)) ?? [];
      groups.set(foldCase(plainName), [...group, { type, kind, plainName }]);
    }
  }
  return [...groups].map(([folded, group]) => {
    const isFree = group.length === 1 && !tables.has(folded);
    return group.map((relation) => {
      const { plainName, type } = relation;
      return { ...relation, name: isFree ? plainName : `${plainName} (${digest(type)})` };
    });
  });
}

/** Whether a query names relations with one plain name. Naming only the past of a type does not name its present. */
function isNamed([relation]: readonly TypeRelation[], query: string): boolean {
  return relation !== undefined && countMentions(query, relation.plainName) > 0;
}

/** Diagnostics for the views and macros in a query. */
export function viewDiagnostics({ renamed, columns }: ViewNotes): readonly Diagnostic[] {
  return [
    ...renamed.map(renameDiagnostic),
    ...columns.flatMap(({ view, renamed: names }) => sqlNameDiagnostics(names, described(view))),
  ];
}

function renameDiagnostic(group: readonly TypeRelation[]): Diagnostic {
  const names = group.map(({ name }) => name);
  const types = group.map(({ type }) => type);
  const isMany = group.length > 1;
  const what = group.every(({ kind }) => kind === "present")
    ? `The ${isMany ? "views of the semantic types" : "view of the semantic type"} ${listNames(types)} ${isMany ? "are" : "is"}`
    : `${showValue(group[0]?.plainName)} of the ${isMany ? "semantic types" : "semantic type"} ${listNames(types)} is`;
  return withSeverity({
    code: "column-renamed-in-sql",
    message: `${what} called ${listNames(names)}, since the name is used twice in SQL.`,
    count: group.length,
    facts: { semantic_types: types, sql_names: names },
  });
}

function described(view: string): string {
  return `the view ${showValue(view)}`;
}

/** Hint for a query that failed because several views, macros or columns share a name. */
export function viewHint(message: string, { renamed, columns }: ViewNotes): string | undefined {
  const folded = foldCase(message);
  const mentioned = renamed.filter(([relation]) => {
    return folded.includes(` with name ${foldCase(relation?.plainName ?? "")} does not exist`);
  });
  const hints = mentioned.map((group) => {
    const names = group.map(({ name }) => name);
    const what = group.every(isView) ? "views" : group.some(isView) ? "views and macros" : "macros";
    return `The ${what} of ${listNames(group.map(({ type }) => type))} are ${listNames(names)}.`;
  });
  const ofColumns = sqlNameHint(
    message,
    columns.flatMap(({ renamed: names }) => names),
  );
  return [...hints, ...(ofColumns === undefined ? [] : [ofColumns])].join(" ") || undefined;
}

/** Whether a relation has no time argument. */
export function isView({ kind }: TypeRelation): boolean {
  return kind === "present" || kind === "history";
}

function digest(type: string): string {
  return createHash("sha256").update(type).digest("hex").slice(0, 8);
}

const LISTS_TABLES =
  /\bshow\s+(all\s+)?tables\b|\binformation_schema\b|\bduckdb_(tables|views|columns)\b|\b(pg_catalog|pg_class|pg_tables|pg_views|sqlite_master)\b|^\s*(show|describe|desc)\s*;?\s*$/i;

/** A relation, and the way in which a query uses it. */
export interface NamedRelation extends TypeRelation {
  /** Whether the query only lists tables or columns, without naming the relation. */
  readonly isOnlyListed: boolean;
}

/**
 * Returns the relations of semantic types in a query, grouped by plain name. A query that lists tables uses all views.
 */
export async function namedRelations(
  database: Database,
  query: string,
): Promise<readonly (readonly NamedRelation[])[]> {
  const isList = LISTS_TABLES.test(query);
  const isListed = (relation: TypeRelation) => isList && isView(relation);
  return typeRelations(await semanticTypes(database))
    .map((group) => {
      const isOnlyListed = !isNamed(group, query);
      const candidates = isOnlyListed ? group.filter(isListed) : group;
      return candidates.map((relation) => ({ ...relation, isOnlyListed }));
    })
    .filter((group) => group.length > 0);
}

/** The semantic types of a snapshot's features. */
export async function semanticTypes(database: Database): Promise<readonly string[]> {
  if (database.semanticTypes) return database.semanticTypes;
  const rows = await database.rows("SELECT DISTINCT semantic_type FROM layer_features WHERE semantic_type IS NOT NULL");
  return rows.map(([value]) => String(value));
}
