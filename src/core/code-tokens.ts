import jsTokens, { type Token } from "js-tokens";

/** A piece of JavaScript or TypeScript, as js-tokens has it. */
export type CodeToken = Token;

/**
 * Everything that code consists of, in its order, spaces and comments too. Code need not be right. A slash behind a
 * TypeScript `!` looks like the start of a regular expression: one that does not end is a slash.
 */
export function* codeTokens(code: string): Generator<CodeToken> {
  for (const token of jsTokens(code)) {
    if (token.type === "RegularExpressionLiteral" && !token.closed) {
      yield { type: "Punctuator", value: "/" };
      yield* codeTokens(token.value.slice(1));
    } else yield token;
  }
}
