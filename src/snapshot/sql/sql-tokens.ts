import type { Dialect } from "../../history/questions/sql/dialect/dialect.js";
import { foldCase } from "../../tables/sql/sql-names.js";

/** A word, quoted name, string or sign of a query. */
export interface SqlToken {
  /** The original text. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The name of a word or quoted name; undefined for others. */
  readonly name: string | undefined;
  /** The value of a string, with backslashes unchanged; undefined for others, and for DuckDB's `e'…'`. */
  readonly literal: string | undefined;
}

/** Characters of a word without quotes: engines accept letters of all scripts, but no visible or invisible spaces. */
const WORD_SIGN = String.raw`(?:[\w$]|[^\x00-\x7f\s\u200b-\u200d\u2060])`;

const COMMENT = String.raw`--[^\n]*|/\*[\s\S]*?\*/`;

/**
 * Returns the tokens of a query, without spaces and comments. The query need not be valid: an open quote at its end is
 * a sign.
 */
export function sqlTokens(query: string, { quotes }: Dialect): readonly SqlToken[] {
  const pattern = new RegExp(`(?<comment>${COMMENT})|${quotes}|(?<word>${WORD_SIGN}+)|\\S`, "g");
  const tokens: SqlToken[] = [];
  for (const { 0: text, index: start, groups = {} } of query.matchAll(pattern)) {
    const { comment: remark, word, quoted, text: content, inner } = groups;
    if (remark !== undefined) continue;
    const name = word ?? (quoted === undefined ? undefined : withoutQuotes(quoted));
    const literal = inner ?? (content === undefined ? undefined : withoutQuotes(content));
    tokens.push({ text, start, end: start + text.length, name, literal });
  }
  return tokens;
}

/** Whether a token is the given name, in any quotes, by SQL's rules. */
export function isName(token: SqlToken | undefined, name: string): boolean {
  return token?.name !== undefined && foldCase(token.name) === foldCase(name);
}

/** Whether a token is one of some words of SQL. */
export function isWord(token: SqlToken | undefined, ...words: readonly string[]): boolean {
  return token !== undefined && words.includes(foldCase(token.text));
}

function withoutQuotes(text: string): string {
  const quote = text.slice(0, 1);
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}

/** A call of a macro in a query. */
interface MacroCall {
  readonly start: number;
  readonly end: number;
  /** Literals of the call; undefined for other expressions. */
  readonly given: readonly (string | undefined)[];
  /** Text between the parentheses. */
  readonly argument: string;
}

/** The calls of a macro in a query, in any quotes. */
export function macroCalls(query: string, tokens: readonly SqlToken[], name: string): readonly MacroCall[] {
  return tokens.flatMap((token, index) => {
    const [open, ...behind] = tokens.slice(index + 1);
    if (!isName(token, name) || open?.text !== "(") return [];
    const close = behind.find(({ text }) => text === ")");
    const argument = query.slice(open.end, close?.start).trim();
    const given = close ? givenLiterals(behind.slice(0, behind.indexOf(close))) : [];
    return [{ start: token.start, end: close?.end ?? query.length, given, argument }];
  });
}

/** The literals between commas, also after a word: `DATE '2025-06-30'`. */
function givenLiterals(tokens: readonly SqlToken[]): readonly (string | undefined)[] {
  const comma = tokens.findIndex(({ text }) => text === ",");
  const [first, second, ...others] = comma < 0 ? tokens : tokens.slice(0, comma);
  const isTyped = isWord(first, "date", "timestamptz") && second !== undefined;
  const literal = isTyped && others.length === 0 ? second.literal : second === undefined ? first?.literal : undefined;
  return comma < 0 ? [literal] : [literal, ...givenLiterals(tokens.slice(comma + 1))];
}

/**
 * Returns how often a name occurs in a query as a whole, which is never too low. Occurrences in strings, comments and
 * longer quoted names count, too, since only the database can parse those.
 */
export function countMentions(query: string, name: string): number {
  // A quoted name doubles its own quotes.
  const forms = [name.replaceAll('"', '""'), name].map((form) =>
    foldCase(form).replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
  );
  const mention = new RegExp(`(?<!${WORD_SIGN})(?:${forms.join("|")})(?!${WORD_SIGN})`, "g");
  return foldCase(query).match(mention)?.length ?? 0;
}

/** Words of queries that read all columns of a relation, or columns without naming them. */
const wholeWords = ["columns", "natural", "pivot", "unpivot", "summarize", "describe", "table", "show"];
/** Tokens before a FROM without a SELECT, which reads all columns. */
const beforeQueries = ["(", ";", "union", "all", "except", "intersect"];
/** Words after a relation that are not its alias. */
const notAliases =
  "where group order limit join left right full inner cross asof positional semi anti on using union except intersect window qualify having offset sample select lateral tablesample at".split(
    " ",
  );

/**
 * Returns a test of whether a query may read a column of a relation, by the layer's name of the column. A query reads a
 * column if it names it, or reads all columns, as `*` does. If uncertain, the test returns true.
 *
 * @param tokens of the query
 * @param relation name of the view or macro
 */
export function columnsInUse(tokens: readonly SqlToken[], relation: string): (column: string) => boolean {
  const names = new Set(tokens.flatMap((_, index) => columnName(tokens, index) ?? []));
  const rows = new Set(
    tokens.flatMap((token, at) => (isName(token, relation) ? [relation, ...aliasAt(tokens, at)] : [])),
  );
  const readsAll = tokens.some((_, index) => isOfAll(tokens, index) || isRow(tokens, index, rows));
  return (column) =>
    readsAll || names.has(foldCase(column)) || [...names].some((name) => name.startsWith(`${foldCase(column)} (`));
}

/** A name that may be a column's: `count(` calls a function, even if a column has that name. */
function columnName(tokens: readonly SqlToken[], index: number): string | undefined {
  const token = tokens[index];
  if (token?.name === undefined) return undefined;
  return token.text === token.name && tokens[index + 1]?.text === "(" ? undefined : foldCase(token.name);
}

function isOfAll(tokens: readonly SqlToken[], index: number): boolean {
  const [before, token, behind] = [tokens[index - 1], tokens[index], tokens[index + 1]];
  // `count(*)` alone reads no column.
  if (token?.text === "*") return !(before?.text === "(" && behind?.text === ")" && isWord(tokens[index - 2], "count"));
  if (isWord(token, ...wholeWords)) return true;
  return isWord(token, "from") && (before === undefined || isWord(before, ...beforeQueries));
}

/** Whether a name is the whole row of a relation: its name or alias, without a column after it. */
function isRow(tokens: readonly SqlToken[], index: number, rows: ReadonlySet<string>): boolean {
  const [before, token, behind] = [tokens[index - 1], tokens[index], tokens[index + 1]];
  if (token?.name === undefined || behind?.text === "." || ![...rows].some((name) => isName(token, name))) return false;
  const isSource = isWord(before, "from", "join", ",", "as", ")") || [...rows].some((name) => isName(before, name));
  return !isSource;
}

/** The alias of a relation at an index, if there is one. */
function aliasAt(tokens: readonly SqlToken[], at: number): readonly string[] {
  let next = at + 1;
  // The argument of a macro.
  if (tokens[next]?.text === "(") while (next < tokens.length && tokens[next++]?.text !== ")");
  if (isWord(tokens[next], "as")) next += 1;
  const alias = tokens[next];
  return alias?.name === undefined || isWord(alias, ...notAliases) ? [] : [alias.name];
}
