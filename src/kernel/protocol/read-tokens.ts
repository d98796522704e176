/** A word, a text, or a sign of code. Comments and spaces are left out. */
export interface Token {
  readonly kind: "name" | "text" | "other" | "sign";
  /** Of a text what is between its quotes, as it is written. */
  readonly text: string;
  /** Where it begins, and where it ends. A text without an end ends with its line. */
  readonly start: number;
  readonly end: number;
  readonly isClosed?: boolean;
}

const patterns: readonly (readonly [Token["kind"] | "space", RegExp])[] = [
  ["space", /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))/y],
  ["name", /#?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy],
  ["other", /\.?\d[\w.]*/y],
  ["text", /"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?/y],
  ["sign", /=>|[=!]==?|\?\.(?!\d)|[\s\S]/y],
];
const regularExpression = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const templateText = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
/** After these a slash begins a regular expression. */
const beforeValue = /^(?:[=([{,;:!&|?+\-*%<>~^}]|=>|[=!]==?|return|typeof|case|in|of|await)$/;

/** The tokens of code that need not be right, up to where `offset` is in or after one. */
export function readTokens(code: string, offset: number): readonly Token[] {
  const tokens: Token[] = [];
  /** How many braces are open in each template that is open. */
  const templates: number[] = [];
  for (let at = 0; at < code.length && at < offset; ) {
    const found = tokenAt(code, at, tokens.at(-1));
    at = found.end;
    if (found.kind === "space") continue;
    tokens.push({ ...found, kind: found.kind });
    const depth = templates.length - 1;
    if (found.text === "{" && depth >= 0) templates[depth] = (templates[depth] ?? 0) + 1;
    const isEnd = found.text === "}" && depth >= 0 && templates[depth] === 0;
    if (found.text === "}" && depth >= 0 && !isEnd) templates[depth] = (templates[depth] ?? 0) - 1;
    if (isEnd) templates.pop();
    if (found.text === "`" || isEnd) {
      at = endOf(templateText, code, at);
      if (code.startsWith("${", at)) {
        tokens.push({ kind: "sign", text: "{", start: at, end: at + 2 });
        at += 2;
        templates.push(0);
      } else at += 1;
    }
  }
  return tokens;
}

interface Found extends Omit<Token, "kind"> {
  readonly kind: Token["kind"] | "space";
}

function tokenAt(code: string, start: number, before: Token | undefined): Found {
  if (code[start] === "/" && (!before || (before.kind !== "text" && beforeValue.test(before.text)))) {
    const end = endOf(regularExpression, code, start);
    if (end > start) return { kind: "other", text: "/", start, end };
  }
  for (const [kind, pattern] of patterns) {
    const end = endOf(pattern, code, start);
    if (end === start) continue;
    const text = code.slice(start, end);
    if (kind !== "text") return { kind, text, start, end };
    const isClosed = text.length > 1 && text.endsWith(text[0] ?? "") && !/(?<!\\)(?:\\\\)*\\.$/s.test(text);
    return { kind, text: isClosed ? text.slice(1, -1) : text.slice(1), start, end, isClosed };
  }
  return { kind: "sign", text: code[start] ?? "", start, end: start + 1 };
}

function endOf(pattern: RegExp, code: string, start: number): number {
  pattern.lastIndex = start;
  return start + (pattern.exec(code)?.[0].length ?? 0);
}
