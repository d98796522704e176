import { isName, isWord, type SqlToken } from "./sql-tokens.js";

/** A call of a macro in a query. */
export interface MacroCall {
  readonly start: number;
  readonly end: number;
  /** The literal that it is given; undefined if it is given something else. */
  readonly time: string | undefined;
  /** What stands between its parentheses. */
  readonly argument: string;
}

/** The calls of a macro in a query, however its name is quoted. */
export function macroCalls(query: string, tokens: readonly SqlToken[], name: string): readonly MacroCall[] {
  return tokens.flatMap((token, index) => {
    const [open, ...behind] = tokens.slice(index + 1);
    if (!isName(token, name) || open?.text !== "(") return [];
    const close = behind.find(({ text }) => text === ")");
    const time = givenTime(behind);
    const argument = query.slice(open.end, close?.start).trim();
    return [{ start: token.start, end: close?.end ?? query.length, time, argument }];
  });
}

function givenTime([first, ...others]: readonly SqlToken[]): string | undefined {
  if (isWord(first, "date") && others[0]?.literal !== undefined) return givenTime(others);
  return others[0]?.text === ")" ? first?.literal : undefined;
}
