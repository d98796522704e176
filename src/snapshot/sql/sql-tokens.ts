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
