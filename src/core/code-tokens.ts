import jsTokens, { type JSXToken, type Token } from "js-tokens";

/** A piece of JavaScript or TypeScript, as js-tokens has it. */
export type CodeToken = Token;

/**
 * Everything that code consists of, in its order, spaces and comments too. Code need not be right. A slash behind a
 * TypeScript `!` looks like the start of a regular expression: one that does not end is a slash.
 */
export function codeTokens(code: string): Generator<CodeToken>;
/** The same of code in which `<a>` may begin an element of JSX. */
export function codeTokens(code: string, options: { readonly jsx: boolean }): Generator<CodeToken | JSXToken>;
export function* codeTokens(code: string, { jsx = false } = {}): Generator<CodeToken | JSXToken> {
  for (const token of jsTokens(code, { jsx })) {
    if (token.type === "RegularExpressionLiteral" && !token.closed) yield* slashTokens(token.value);
    else yield token;
  }
}

/** A slash, and the tokens behind it up to the end of its line. */
function* slashTokens(text: string): Generator<CodeToken> {
  let rest: string | undefined = text;
  while (rest !== undefined) {
    yield { type: "Punctuator", value: "/" };
    const line: string = rest.slice(1);
    rest = undefined;
    for (const token of jsTokens(line)) {
      // It is the last one, since it did not end before the line does.
      if (token.type === "RegularExpressionLiteral" && !token.closed) rest = token.value;
      else yield token;
    }
  }
}
