import { type ArgumentError, QueryError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import type { Dialect } from "../../history/questions/sql/dialect/dialect.js";
import { foldCase } from "../../tables/sql/sql-names.js";
import { type DatedQuery, macroPoint, macroTime, refusedArgument } from "./past-macros.js";
import { isName, isWord, macroCalls, type SqlToken, sqlTokens } from "./sql-tokens.js";
import type { OpenPast, TypePast } from "./type-past.js";
import { isView, type TypeRelation, type ViewColumns } from "./view-names.js";

/** A query as text, with the columns that were renamed. */
export interface PrintedQuery {
  readonly text: string;
  /** Columns of its views and macros that have other names in them. */
  readonly columns: readonly ViewColumns[];
}

/** A position in a query where a CTE is read. */
interface ReadMember {
  readonly start: number;
  readonly end: number;
  /** Name of the CTE, as written. */
  readonly name: string;
  /** Replacement text. */
  readonly written: string;
  /** Statement of the CTE. */
  readonly body: (past: TypePast) => string | Promise<string>;
}

/**
 * Returns a query as text for an engine that has the tables of a snapshot, but not the views and macros of semantic
 * types: they become CTEs. The rest stays unchanged.
 *
 * @param relations that the query may name
 * @throws ArgumentError for a macro whose argument is not a literal or not a time
 * @throws QueryError for a CTE of the query with the name of a view that it reads
 */
export async function printedQuery(
  relations: readonly TypeRelation[],
  dated: DatedQuery,
  dialect: Dialect,
  openPast: OpenPast,
): Promise<PrintedQuery> {
  const tokens = withoutSemicolons(sqlTokens(dated.query, dialect));
  const reads: ReadMember[] = [];
  const members = new Map<string, string>();
  const columns: ViewColumns[] = [];
  for (const relation of relations) {
    const edits = isView(relation)
      ? mentions(relation, dated, tokens, dialect)
      : calls(relation, dated, tokens, dialect);
    if (edits.length === 0) continue;
    const past = await openPast(relation.type, dated.asLogged);
    for (const { name, body } of edits) if (!members.has(name)) members.set(name, await body(past));
    if (relation.kind === "present") columns.push({ view: relation.name, renamed: past.presentRenamed(dialect) });
    if (relation.kind === "at" || relation.kind === "known")
      columns.push({ view: relation.name, renamed: past.renamed(dialect) });
    reads.push(...edits);
  }
  const [read, ...others] = reads;
  const isAlone = read !== undefined && others.length === 0 && isOnly(tokens, read);
  const text = isAlone ? (members.get(read.name) ?? "") : withMembers(dated.query, tokens, members, reads);
  return { text, columns };
}

function calls(
  macro: TypeRelation,
  dated: DatedQuery,
  tokens: readonly SqlToken[],
  dialect: Dialect,
): readonly ReadMember[] {
  const { name, kind } = macro;
  return macroCalls(dated.query, tokens, name).map(({ start, end, given, argument }) => {
    const [time, knownPoint] = given;
    if (time === undefined || given.length > 2 || (kind === "known") !== (knownPoint !== undefined)) {
      throw refusedArgument(macro, argument, dated);
    }
    const us = macroTime(macro, time, dated);
    const point = knownPoint === undefined ? undefined : macroPoint(macro, knownPoint, dated);
    const body = async (past: TypePast) => {
      const then = point === undefined ? past : await past.knownAt(point);
      return kind === "states" ? then.states(us, dialect) : then.asOf(us, dialect);
    };
    const member = dialect.identifier([name, time, ...(knownPoint === undefined ? [] : [knownPoint])].join(" "));
    return { start, end, name: member, written: member, body };
  });
}

function mentions(
  { name, kind }: TypeRelation,
  { query }: DatedQuery,
  tokens: readonly SqlToken[],
  dialect: Dialect,
): readonly ReadMember[] {
  const ownMember = ownMembers(tokens).find((member) => member.name === foldCase(name));
  if (ownMember?.hidesRelation) throw hiddenView(name, query);
  if (ownMember) return [];
  const body = (past: TypePast) => (kind === "history" ? past.history(dialect) : past.present(dialect));
  const named = tokens.filter((token) => isName(token, name));
  const member = dialect.identifier(name);
  const isPlain = dialect.writable(name) === name;
  return named.map(({ start, end, text }) => ({ start, end, name: member, written: isPlain ? text : member, body }));
}

function hiddenView(name: string, query: string): ArgumentError {
  return new QueryError(`toSQL(): a CTE of the query has the same name as the view ${showValue(name)}.`, {
    hint: "Rename the CTE.",
    facts: { query, view: name },
  });
}

function withoutSemicolons(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const last = tokens.findLastIndex(({ text }) => text !== ";");
  return tokens.slice(0, last + 1);
}

/** Whether a query only reads one CTE: `FROM TRENCHES`, or its name alone. */
function isOnly(tokens: readonly SqlToken[], { start, end }: ReadMember): boolean {
  const before = tokens.filter((token) => token.start < start).map(({ text }) => foldCase(text));
  return tokens.at(-1)?.end === end && ["", "from", "select * from"].includes(before.join(" "));
}

/** The query with the new CTEs before its own. */
function withMembers(
  query: string,
  tokens: readonly SqlToken[],
  members: ReadonlyMap<string, string>,
  reads: readonly ReadMember[],
): string {
  if (members.size === 0) return query;
  const defined = [...members].map(([name, sql]) => `${name} AS (\n${sql}\n)`).join(",\n");
  const hasOwn = isWord(tokens[0], "with");
  const begin = hasOwn ? tokens[isWord(tokens[1], "recursive") ? 2 : 1]?.start : 0;
  let text = hasOwn ? `${query.slice(0, begin)}${defined},\n` : `WITH ${defined}\n`;
  let at = begin ?? query.length;
  for (const { start, end, written } of reads.toSorted((a, b) => a.start - b.start)) {
    text += query.slice(at, start) + written;
    at = end;
  }
  return text + query.slice(at, tokens.at(-1)?.end);
}

/** A CTE in the query itself. */
interface OwnMember {
  /** Its name, in lower case. */
  readonly name: string;
  /** Whether a relation of the same name is read before the CTE or within it. */
  readonly hidesRelation: boolean;
}

/** The CTEs of a query, without those in parentheses. */
function ownMembers(tokens: readonly SqlToken[]): readonly OwnMember[] {
  const members: OwnMember[] = [];
  if (!isWord(tokens[0], "with")) return members;
  const isRecursive = isWord(tokens[1], "recursive");
  for (let at = isRecursive ? 2 : 1; ; ) {
    const start = at;
    const name = tokens[start]?.name;
    while (at < tokens.length && !isWord(tokens[at], "as")) at = behindPart(tokens, at);
    at += 1;
    while (isWord(tokens[at], "not", "materialized")) at += 1;
    if (name === undefined || tokens[at]?.text !== "(") return members;
    at = behindPart(tokens, at);
    const before = [...tokens.slice(0, start), ...tokens.slice(start + 1, at)];
    members.push({ name: foldCase(name), hidesRelation: !isRecursive && isRead(before, name) });
    if (tokens[at]?.text !== ",") return members;
    at += 1;
  }
}

/** Index after a token, or after a parenthesized part. */
function behindPart(tokens: readonly SqlToken[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at += 1) {
    const text = tokens[at]?.text;
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    if (depth <= 0) return at + 1;
  }
  return tokens.length;
}

function isRead(tokens: readonly SqlToken[], name: string): boolean {
  return tokens.some((token, index) => isName(token, name) && isWord(tokens[index - 1], "from", "join", ","));
}
