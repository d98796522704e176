import { foldCase } from "../../tables/sql/sql-names.js";
import { isName, isWord, type SqlToken } from "./sql-tokens.js";

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
