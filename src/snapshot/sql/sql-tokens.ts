import type { Dialect } from "../../history/questions/sql/dialect/dialect.js";
import { foldCase } from "../../tables/sql/sql-names.js";

/** A word, a name in quotes, a text or a sign of a query. */
export interface SqlToken {
  /** As it is written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** What a word or a name in quotes says; undefined for all else. */
  readonly name: string | undefined;
  /** What a text says, with backslashes as they are; undefined for all else, and for DuckDB's `e'…'`. */
  readonly literal: string | undefined;
}

/** What a word without quotes is made of: engines take letters of all scripts, but no spaces, visible or not. */
const WORD_SIGN = String.raw`(?:[\w$]|[^\x00-\x7f\s\u200b-\u200d\u2060])`;

const COMMENT = String.raw`--[^\n]*|/\*[\s\S]*?\*/`;

/** The tokens of a query, without spaces and comments. It need not be valid: what is open at its end is a sign. */
export function sqlTokens(query: string, { quotes }: Dialect): readonly SqlToken[] {
  const pattern = new RegExp(`(?<comment>${COMMENT})|${quotes}|(?<word>${WORD_SIGN}+)|\\S`, "g");
  const tokens: SqlToken[] = [];
  for (const { 0: text, index: start, groups = {} } of query.matchAll(pattern)) {
    const { comment: remark, word, quoted, text: said, inner } = groups;
    if (remark !== undefined) continue;
    const name = word ?? (quoted === undefined ? undefined : withoutQuotes(quoted));
    const literal = inner ?? (said === undefined ? undefined : withoutQuotes(said));
    tokens.push({ text, start, end: start + text.length, name, literal });
  }
  return tokens;
}

/** Whether a token is a name, however it is quoted, as SQL reads names. */
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
  /** The literals that it is given; undefined instead of an expression. */
  readonly given: readonly (string | undefined)[];
  /** What stands between its parentheses. */
  readonly argument: string;
}

/** The calls of a macro in a query, however its name is quoted. */
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

/** The literals between commas, also those behind a word: `DATE '2025-06-30'`. */
function givenLiterals(tokens: readonly SqlToken[]): readonly (string | undefined)[] {
  const comma = tokens.findIndex(({ text }) => text === ",");
  const [first, second, ...others] = comma < 0 ? tokens : tokens.slice(0, comma);
  const isTyped = isWord(first, "date", "timestamptz") && second !== undefined;
  const literal = isTyped && others.length === 0 ? second.literal : second === undefined ? first?.literal : undefined;
  return comma < 0 ? [literal] : [literal, ...givenLiterals(tokens.slice(comma + 1))];
}

/**
 * How often a name stands in a query as a whole: never less often than it is meant. It is also counted in texts,
 * comments and longer names in quotes, since what those are is for the database to say.
 */
export function countMentions(query: string, name: string): number {
  // A name in quotes has those that are its own twice.
  const forms = [name.replaceAll('"', '""'), name].map((form) =>
    foldCase(form).replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
  );
  const mention = new RegExp(`(?<!${WORD_SIGN})(?:${forms.join("|")})(?!${WORD_SIGN})`, "g");
  return foldCase(query).match(mention)?.length ?? 0;
}
