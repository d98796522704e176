import { createHash } from "node:crypto";
import { foldCase, writableName } from "../../columns/export/sql-identifier.js";
import { listNames, sqlNameFindings, sqlNameHint } from "../../columns/export/sql-name-findings.js";
import type { SqlRename } from "../../columns/export/sql-names.js";
import type { Finding } from "../../core/finding.js";
import { showValue } from "../../core/show-value.js";
import { GONE_FEATURES } from "../format/manifest.js";
import { tableSchemas } from "../format/table-schema.js";

/** The columns of a view that are not called what they are called in a layer. */
export interface ViewColumns {
  readonly view: string;
  readonly renamed: readonly SqlRename[];
}

/** Names of views and of their columns that are not what they look like. */
export interface ViewNotes {
  /** Semantic types whose view has another name. */
  readonly types: readonly SqlRename[];
  readonly columns: readonly ViewColumns[];
}

const tables: ReadonlySet<string> = new Set([...tableSchemas.map(({ name }) => name), GONE_FEATURES]);

/**
 * What the views of semantic types are called, types of one name, as SQL reads names, together. Where there are several,
 * or a table is called so, each view is `TYPE (first 8 hex digits of the type's SHA-256)`, whatever other types there
 * are. A type without a name has no view.
 */
export function viewNames(types: readonly string[]): readonly SqlRename[] {
  const groups = new Map<string, string[]>();
  for (const type of types.filter((name) => name !== "").sort()) {
    const view = writableName(type);
    const group = groups.get(foldCase(view));
    if (group) group.push(type);
    else groups.set(foldCase(view), [type]);
  }
  return [...groups].map(([folded, names]) => {
    const isFree = names.length === 1 && !tables.has(folded);
    return {
      names,
      sqlNames: names.map((type) => (isFree ? writableName(type) : `${writableName(type)} (${digest(type)})`)),
    };
  });
}

/** What a user should know of the views that a query names. */
export function viewFindings({ types, columns }: ViewNotes): readonly Finding[] {
  return [
    ...types.map(({ names, sqlNames }) => ({
      code: "sql-name",
      message: `The ${names.length > 1 ? "views of the semantic types" : "view of the semantic type"} ${listNames(names)} ${names.length > 1 ? "are" : "is"} called ${listNames(sqlNames)}, since SQL has that name for something else.`,
      count: names.length,
      facts: { semantic_types: names, sql_names: sqlNames },
    })),
    ...columns.flatMap(({ view, renamed }) => sqlNameFindings(renamed, `the view ${showValue(view)}`)),
  ];
}

/** What to do about a query that failed because it asked for a name that several views or columns had. */
export function viewHint(message: string, { types, columns }: ViewNotes): string | undefined {
  const folded = foldCase(message);
  const asked = types.filter(({ names }) => {
    return folded.includes(`table with name ${foldCase(writableName(names[0] ?? ""))} does not exist`);
  });
  const hints = asked.map(({ names, sqlNames }) => `The views of ${listNames(names)} are ${listNames(sqlNames)}.`);
  const ofColumns = sqlNameHint(
    message,
    columns.flatMap(({ renamed }) => renamed),
  );
  return [...hints, ...(ofColumns === undefined ? [] : [ofColumns])].join(" ") || undefined;
}

function digest(type: string): string {
  return createHash("sha256").update(type).digest("hex").slice(0, 8);
}
