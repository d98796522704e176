import { foldCase } from "../../columns/export/sql-identifier.js";
import type { Dialect } from "../../questions/sql/dialect/dialect.js";
import { type DatedQuery, macroTime, refusedArgument } from "./macro-time.js";
import type { OpenPast } from "./type-past.js";
import { isNamed, type TypeRelation } from "./view-names.js";

/** Comments and spaces. */
const NOTHING = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*[\s\S]*?\*/)*`;

/**
 * A query as text for an engine that has the tables of a snapshot, but not the views and macros of semantic types: they
 * become members of its `WITH`. The rest stays as it is.
 *
 * @param relations that the query names
 * @throws ArgumentError for a macro whose argument is no literal, or no time
 */
export async function printedQuery(
  relations: readonly TypeRelation[],
  dated: DatedQuery,
  dialect: Dialect,
  openPast: OpenPast,
): Promise<string> {
  const members = new Map<string, Promise<string>>();
  let text = dated.query;
  for (const relation of relations.filter(isMacro)) {
    const past = await openPast(relation.type);
    text = text.replace(callOf(relation.name, String.raw`(?:DATE\s*)?'([^']*)'`), (_, time: string) => {
      const us = macroTime(relation.name, time, dated);
      const name = dialect.identifier(`${relation.name} ${time}`);
      members.set(name, relation.kind === "at" ? past.asOf(us, dialect) : Promise.resolve(past.states(us, dialect)));
      return name;
    });
    const [, left] = callOf(relation.name, "([^)]*)").exec(text) ?? [];
    if (left !== undefined) throw refusedArgument(relation.name, left, dated);
  }
  for (const relation of relations) {
    if (isMacro(relation) || !isNamed([relation], text)) continue;
    const past = await openPast(relation.type);
    const body = relation.kind === "history" ? past.history(dialect) : past.present(dialect);
    members.set(dialect.identifier(relation.name), Promise.resolve(body));
  }
  return withMembers(
    text,
    new Map(await Promise.all([...members].map(async ([name, body]) => [name, await body] as const))),
  );
}

function isMacro({ kind }: TypeRelation): boolean {
  return kind === "at" || kind === "states";
}

/** Calls of a macro, however its name is quoted. */
function callOf(name: string, argument: string): RegExp {
  const plain = escaped(name);
  const doubled = escaped(name.replaceAll('"', '""'));
  return new RegExp(String.raw`(?:"${doubled}"|\x60${plain}\x60|(?<!\w)${plain})\s*\(\s*${argument}\s*\)`, "gi");
}

function withMembers(query: string, members: ReadonlyMap<string, string>): string {
  const [first] = members;
  if (!first) return query;
  const text = query.replace(new RegExp(`${NOTHING};${NOTHING}$`), "");
  const alone = text.replace(new RegExp(`^${NOTHING}(?:(?:select\\s+\\*\\s+)?from\\s+)?`, "i"), "").trim();
  const [name, body] = first;
  if (members.size === 1 && foldCase(alone.replace(/^["\x60]|["\x60]$/g, "")) === foldCase(name.slice(1, -1)))
    return body;
  const defined = [...members].map(([member, sql]) => `${member} AS (\n${sql}\n)`).join(",\n");
  const own = new RegExp(`^(${NOTHING})with\\s+(recursive\\s+)?`, "i").exec(text);
  if (!own) return `WITH ${defined}\n${text}`;
  return `${own[1]}WITH ${own[2] ?? ""}${defined},\n${text.slice(own[0].length)}`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
