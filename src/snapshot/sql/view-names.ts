import { createHash } from "node:crypto";
import type { Finding } from "../../core/finding.js";
import { showValue } from "../../core/show-value.js";
import {
  foldCase,
  listNames,
  type SqlRename,
  sqlNameFindings,
  sqlNameHint,
  writableName,
} from "../../tables/sql/sql-names.js";
import type { Database } from "../database/database.js";
import { GONE_FEATURES } from "../format/manifest.js";
import { tableSchemas } from "../format/table-schema.js";
import { countMentions } from "./sql-tokens.js";

/**
 * What SQL has of a semantic type: views of its features at `present` and of their `history`, and macros that take a
 * date: the features as of it (`at`), how each value is known (`states`), and the features as of it by what was known at
 * another (`known`).
 */
export type RelationKind = "present" | "at" | "states" | "history" | "known";

/** What stands behind the name of a type. */
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
  /** What it is called where nothing else is called so: `TRENCHES_AT`. */
  readonly plainName: string;
  readonly name: string;
}

/** The columns of a view or macro that are not called what they are called in a layer. */
export interface ViewColumns {
  readonly view: string;
  readonly renamed: readonly SqlRename[];
}

/** Names of views, macros and their columns that are not what they look like. */
export interface ViewNotes {
  /** Relations of one plain name, none of which has it. */
  readonly renamed: readonly (readonly TypeRelation[])[];
  readonly columns: readonly ViewColumns[];
}

const tables: ReadonlySet<string> = new Set([...tableSchemas.map(({ name }) => name), GONE_FEATURES]);

/** Whether something has not the name that it looks to have. */
export function isRenamed({ kind, type, plainName, name }: TypeRelation): boolean {
  return name !== (kind === "present" ? type : plainName);
}

/**
 * What the views and macros of semantic types are called, those of one plain name, as SQL reads names, together. Where
 * there are several, or a table is called so, each is `NAME (first 8 hex digits of the type's SHA-256)`, whatever other
 * types there are. A type without a name has none.
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

/** Whether a query names relations of one plain name. What only names the past of a type does not name its present. */
function isNamed([relation]: readonly TypeRelation[], query: string): boolean {
  return relation !== undefined && countMentions(query, relation.plainName) > 0;
}

/** What a user should know of the views and macros that a query names. */
export function viewFindings({ renamed, columns }: ViewNotes): readonly Finding[] {
  return [
    ...renamed.map(renameFinding),
    ...columns.flatMap(({ view, renamed: names }) => sqlNameFindings(names, described(view))),
  ];
}

function renameFinding(group: readonly TypeRelation[]): Finding {
  const names = group.map(({ name }) => name);
  const types = group.map(({ type }) => type);
  const isMany = group.length > 1;
  const what = group.every(({ kind }) => kind === "present")
    ? `The ${isMany ? "views of the semantic types" : "view of the semantic type"} ${listNames(types)} ${isMany ? "are" : "is"}`
    : `What could be ${showValue(group[0]?.plainName)}, of the ${isMany ? "semantic types" : "semantic type"} ${listNames(types)}, is`;
  return {
    code: "sql-name",
    message: `${what} called ${listNames(names)}, since SQL has that name for something else.`,
    count: group.length,
    facts: { semantic_types: types, sql_names: names },
  };
}

function described(view: string): string {
  return `the view ${showValue(view)}`;
}

/** What to do about a query that failed because it asked for a name that several views, macros or columns had. */
export function viewHint(message: string, { renamed, columns }: ViewNotes): string | undefined {
  const folded = foldCase(message);
  const asked = renamed.filter(([relation]) => {
    return folded.includes(` with name ${foldCase(relation?.plainName ?? "")} does not exist`);
  });
  const hints = asked.map((group) => {
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

/** Whether a relation takes no time. */
export function isView({ kind }: TypeRelation): boolean {
  return kind === "present" || kind === "history";
}

function digest(type: string): string {
  return createHash("sha256").update(type).digest("hex").slice(0, 8);
}

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
      const found = isOnlyListed ? group.filter(isListed) : group;
      return found.map((relation) => ({ ...relation, isOnlyListed }));
    })
    .filter((group) => group.length > 0);
}

/** The semantic types of a snapshot's features. */
export async function semanticTypes(database: Database): Promise<readonly string[]> {
  if (database.semanticTypes) return database.semanticTypes;
  const rows = await database.rows("SELECT DISTINCT semantic_type FROM layer_features WHERE semantic_type IS NOT NULL");
  return rows.map(([value]) => String(value));
}
