import { foldCase } from "../../tables/sql/sql-identifier.js";
import { isName, isWord, type SqlToken } from "./sql-tokens.js";

/** A member of a query's own `WITH`. */
export interface OwnMember {
  /** Its name, in lower case. */
  readonly name: string;
  /** Whether a relation of the same name is read before the member is there, or in what it is made of. */
  readonly hidesRelation: boolean;
}

/** The members of a query's own `WITH`, not of those in parentheses. */
export function ownMembers(tokens: readonly SqlToken[]): readonly OwnMember[] {
  const members: OwnMember[] = [];
  if (!isWord(tokens[0], "with")) return members;
  const isRecursive = isWord(tokens[1], "recursive");
  for (let at = isRecursive ? 2 : 1; ; ) {
    const place = at;
    const name = tokens[place]?.name;
    while (at < tokens.length && !isWord(tokens[at], "as")) at = behindPart(tokens, at);
    at += 1;
    while (isWord(tokens[at], "not", "materialized")) at += 1;
    if (name === undefined || tokens[at]?.text !== "(") return members;
    at = behindPart(tokens, at);
    const before = [...tokens.slice(0, place), ...tokens.slice(place + 1, at)];
    members.push({ name: foldCase(name), hidesRelation: !isRecursive && isRead(before, name) });
    if (tokens[at]?.text !== ",") return members;
    at += 1;
  }
}

/** The place behind a token, or behind what a parenthesis encloses. */
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
