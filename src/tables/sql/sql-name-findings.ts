import type { Finding } from "../../core/finding.js";
import { showValue } from "../../core/show-value.js";
import { foldCase, quotedName, writableName } from "./sql-identifier.js";
import type { SqlRename } from "./sql-names.js";

/** What a user should know of columns that have other names in SQL. */
export function sqlNameFindings(renamed: readonly SqlRename[], where: string): readonly Finding[] {
  return renamed.map(({ names, sqlNames: inSql }) => ({
    code: "sql-name",
    message: `${listNames(names)} ${names.length > 1 ? "differ in case only, which SQL does not tell apart" : "cannot be written in SQL"}: in ${where} ${names.length > 1 ? "they are" : "it is"} ${listNames(inSql)}.`,
    count: names.length,
    facts: { columns: names, sql_names: inSql },
  }));
}

/** What to do about a query that failed because it asked for a name that several columns had. */
export function sqlNameHint(message: string, renamed: readonly SqlRename[]): string | undefined {
  // Behind the first sentence DuckDB lists names that there are.
  const [reason = ""] = foldCase(message).split("\n", 1);
  const [before = ""] = reason.split("candidate bindings:", 1);
  const asked = renamed.filter(({ names }) => before.includes(quotedName(foldCase(writableName(names[0] ?? "")))));
  if (asked.length === 0) return undefined;
  return asked
    .map(
      ({ names, sqlNames: inSql }) =>
        `${listNames(names)} ${names.length > 1 ? "are" : "is"} ${listNames(inSql)} in SQL.`,
    )
    .join(" ");
}

/** Names in a sentence. */
export function listNames(names: readonly string[]): string {
  const shown = names.map((name) => showValue(name));
  const last = shown.pop() ?? "";
  return shown.length > 0 ? `${shown.join(", ")} and ${last}` : last;
}
