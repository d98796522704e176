import jsTokens, { type JSXToken, type Token } from "js-tokens";

/** A piece of JavaScript or TypeScript, as js-tokens has it. */
export type CodeToken = Token;

/**
 * All tokens of code in order, including spaces and comments. Code may be invalid. A slash after a TypeScript `!` looks
 * like the start of a regular expression: an unterminated one is a slash.
 */
export function codeTokens(code: string): Generator<CodeToken>;
/** The same for code in which `<a>` may begin a JSX element. */
export function codeTokens(code: string, options: { readonly jsx: boolean }): Generator<CodeToken | JSXToken>;
export function* codeTokens(code: string, { jsx = false } = {}): Generator<CodeToken | JSXToken> {
  for (const token of jsTokens(code, { jsx })) {
    if (token.type === "RegularExpressionLiteral" && !token.closed) yield* slashTokens(token.value);
    else yield token;
  }
}

/** A slash, and the tokens after it up to the end of its line. */
function* slashTokens(text: string): Generator<CodeToken> {
  let rest: string | undefined = text;
  while (rest !== undefined) {
    yield { type: "Punctuator", value: "/" };
    const line: string = rest.slice(1);
    rest = undefined;
    for (const token of jsTokens(line)) {
      // It is the last token, since it did not end before its line.
      if (token.type === "RegularExpressionLiteral" && !token.closed) rest = token.value;
      else yield token;
    }
  }
}
