import { type CodeToken, codeTokens } from "../../core/code-tokens.js";
import type { CompletionQuery } from "../threads/thread-messages.js";

/** A cursor position that values of the session can complete: in a string, or after the dot of a row. */
export interface CompletionContext {
  /** Undefined after a dot. */
  readonly quote: string | undefined;
  /** The text before the cursor. */
  readonly typed: string;
  readonly start: number;
  readonly end: number;
  readonly question: CompletionQuery;
}

/** A word, a string, or punctuation. */
interface Token {
  readonly kind: "name" | "text" | "other" | "sign";
  /** For a string, the source text between its quotes. */
  readonly text: string;
  /** Start and end. An unterminated string ends with its line. */
  readonly start: number;
  readonly end: number;
  readonly isClosed: boolean | undefined;
  /** Whether it is the first token of its line. */
  readonly isFirst: boolean;
}

/** Functions whose string arguments are not names of columns. */
const otherKeys =
  /^(from|until|at|since|every|dates?|path|file|folder|timeZone|label|caption|subtitle|footer|type|scheme|curve|style)$/;
const otherMethods =
  /^(asOf|states|diff|panel|toCSV|toParquet|toJSON|print|import|require|log|includes|startsWith|endsWith)$/;
/** Functions whose string arguments are values of their column. */
const valueKeys = /^(open|done|start|blocked)$/;
const keyword =
  /^(return|await|typeof|new|void|delete|in|of|case|const|let|var|if|for|while|else|yield|throw|as|function)$/;
const declaring = /^(const|let|var)$/;
/** Functions whose object arguments have columns as keys. */
const keyed = /^(derive|rollup|groupby|table|from)$/;
/** Functions whose string arguments are columns. */
const named = /^(derive|rename|select|count|fold|spread|unroll|lookup)$/;
/** Columns of results. */
const answers: ReadonlyMap<string, readonly string[]> = new Map([
  ["count", ["count"]],
  ["fold", ["key", "value"]],
  ["unroll", ["index"]],
  ["panel", ["date"]],
  ["counts", ["date", "state", "value", "count"]],
]);
/** Methods of a history whose results have the columns of its layer. */
const featureAnswers = /^(asOf|layerAsOf|panel)$/;
/** Number of characters before and after a string that are read for a comparison. */
const near = 300;

const member = String.raw`([\p{ID_Continue}$]+)\s*(?:\??\.\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)|(?:\?\.)?\[\s*["']([^"'\n]+)["']\s*\])`;
/** A member of a row that is compared with the following string, or the preceding one. */
const comparedBefore = [
  new RegExp(String.raw`${member}\s*[=!]==?\s*$`, "u"),
  new RegExp(String.raw`\bop\.\w+\(\s*${member}\s*,\s*$`, "u"),
];
const comparedBehind = [
  new RegExp(String.raw`^\s*[=!]==?\s*${member}`, "u"),
  new RegExp(String.raw`^[^\]]*\]\s*\.\s*(?:includes|indexOf)\(\s*${member}`, "u"),
];

/**
 * Returns the cursor's context in code, if a table in the session may have completions there.
 *
 * @param code may be invalid
 */
export function completionContext(code: string, offset: number): CompletionContext | undefined {
  const tokens = readTokens(code, offset);
  const last = tokens.at(-1);
  if (last?.kind === "text") return textPlace(code, offset, tokens, last);
  const isBegun = last?.kind === "name" && last.end >= offset;
  const dot = isBegun ? tokens.at(-2) : last;
  if (dot?.kind !== "sign" || (dot.text !== "." && dot.text !== "?.") || dot.end > offset) return undefined;
  const start = isBegun ? last.start : offset;
  const question = new Reader(tokens.slice(0, tokens.indexOf(dot))).member();
  return question && { quote: undefined, typed: code.slice(start, offset), start, end: offset, question };
}

function textPlace(code: string, offset: number, tokens: readonly Token[], text: Token): CompletionContext | undefined {
  const { isClosed } = text;
  if (offset <= text.start || (isClosed && offset >= text.end)) return undefined;
  const behind = isClosed ? code.slice(text.end, text.end + near) : "";
  const question = new Reader(tokens.slice(0, -1)).text(code.slice(Math.max(0, text.start - near), text.start), behind);
  if (!question) return undefined;
  const start = text.start + 1;
  const end = isClosed ? text.end - 1 : offset;
  return { quote: code[text.start] as string, typed: code.slice(start, offset), start, end, question };
}

/** The tokens of code that may be invalid, up to the token at or before `offset`. */
function readTokens(code: string, offset: number): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  let isFirst = true;
  for (const token of codeTokens(code)) {
    const start = end;
    if (start >= offset) break;
    end += token.value.length;
    if (token.type === "LineTerminatorSequence") isFirst = true;
    for (const { kind, text, isClosed } of meaning(token)) {
      tokens.push({ kind, text, start, end, isClosed, isFirst });
      isFirst = false;
    }
  }
  return tokens;
}

/** The meaning of a token to a reader: an expression in a template is in braces. */
function meaning(token: CodeToken): readonly (Pick<Token, "kind" | "text"> & { readonly isClosed?: boolean })[] {
  const { type, value } = token;
  const signs = (...texts: readonly string[]) => texts.map((text) => ({ kind: "sign" as const, text }));
  switch (type) {
    case "WhiteSpace":
    case "LineTerminatorSequence":
    case "SingleLineComment":
    case "MultiLineComment":
    case "HashbangComment":
      return [];
    case "IdentifierName":
    case "PrivateIdentifier":
      return [{ kind: "name", text: value }];
    case "StringLiteral":
      return [{ kind: "text", text: value.slice(1, token.closed ? -1 : undefined), isClosed: token.closed }];
    case "NumericLiteral":
    case "RegularExpressionLiteral":
      return [{ kind: "other", text: value }];
    case "TemplateHead":
      return signs("`", "{");
    case "TemplateMiddle":
      return signs("}", "{");
    case "TemplateTail":
      return signs("}");
    case "NoSubstitutionTemplate":
      return signs("`");
    default:
      return signs(value);
  }
}

/** Reads code up to the cursor and determines the context there. */
class Reader {
  readonly #tokens: readonly Token[];
  /** For each token the bracket that contains it; for a closing bracket the bracket that it closes; -1 if none. */
  readonly #around: readonly number[];
  /** The brackets around the cursor, outermost first. */
  readonly #open: readonly number[];
  /** For each token the start of its statement, outside of brackets. */
  readonly #statements: readonly number[];
  /** For each name the starts of the last statements that declare it. */
  readonly #declarations = new Map<string, number>();

  constructor(tokens: readonly Token[]) {
    const open: number[] = [];
    this.#tokens = tokens;
    this.#around = tokens.map((token, at) => {
      const around = open.at(-1) ?? -1;
      if (token.kind !== "sign") return around;
      if (/^[([{]$/.test(token.text)) open.push(at);
      return (/^[)\]}]$/.test(token.text) ? open.pop() : around) ?? -1;
    });
    this.#open = open;
    let start = 0;
    this.#statements = tokens.map(({ kind, text }, at) => {
      if (this.#isBoundary(at)) start = at;
      if (kind === "name" && declaring.test(tokens[at - 1]?.text ?? "")) this.#declarations.set(text, start);
      return start;
    });
  }

  /** Context after a dot: columns, if a row precedes it. */
  member(): CompletionQuery | undefined {
    const at = this.#tokens.length - 1;
    const name = this.#tokens[at];
    return name?.kind === "name" && !this.#isDot(at - 1) && this.#isRow(name.text) ? this.#question(true) : undefined;
  }

  /**
   * Returns the context in a string.
   *
   * @param before the code before it
   * @param behind the code after it
   */
  text(before: string, behind: string): CompletionQuery | undefined {
    const end = this.#tokens.length - 1;
    if (this.#isSign(end, "[") && this.#isRow(this.#tokens[end - 1]?.text) && !this.#isDot(end - 2)) {
      return this.#question(true);
    }
    const compared =
      comparedBefore.map((pattern) => pattern.exec(before)).find(Boolean) ??
      comparedBehind.map((pattern) => pattern.exec(behind)).find(Boolean);
    if (compared && this.#isRow(compared[1])) return this.#question(true, { column: compared[2] ?? compared[3] });
    return /[=!]==?\s*$/.test(before) ? undefined : this.#nameOrValue();
  }

  #nameOrValue(): CompletionQuery | undefined {
    const inner = this.#open.findLast((at) => !this.#isSign(at, "["));
    const call = this.#open.findLast((at) => this.#isCall(at));
    if (inner === undefined || call === undefined) return undefined;
    const method = this.#tokens[call - 1]?.text ?? "";
    const key = this.#isSign(inner, "{") ? this.#key(inner) : undefined;
    const given = this.#parts(call);
    const takesValue = key === undefined ? method === "firstReached" && given.length === 1 : valueKeys.test(key);
    if (takesValue) {
      const column = given.map((at) => this.#tokens[at]).find((token) => token?.kind === "text")?.text;
      if (column !== undefined) return this.#question(false, { column });
    }
    if (inner !== call) return key === undefined || otherKeys.test(key) ? undefined : this.#question(false, { key });
    return otherMethods.test(method) ? undefined : this.#question(false);
  }

  /** @param isRow whether columns of a row are requested, which are columns of results */
  #question(isRow: boolean, more: { readonly column?: string | undefined; readonly key?: string } = {}) {
    const tables = new Map<string, readonly string[]>();
    const added = new Set<string>();
    let isOfAnswer = isRow;
    /** Starts of statements: the statement before the cursor, and the statements that declare its names. */
    const starts = new Set([this.#statements.at(-1) ?? 0]);
    for (const start of starts) {
      for (let at = start; this.#statements[at] === start; at += 1) {
        const name = this.#nameAt(at);
        if (name === undefined) continue;
        if (this.#isSign(at + 1, "(")) {
          for (const column of this.#madeColumns(at, name)) added.add(column);
          isOfAnswer ||= featureAnswers.test(name);
        } else if (!this.#isDot(at - 1)) {
          const declared = this.#declarations.get(name);
          if (declared !== undefined) starts.add(declared);
          const path = this.#path(at);
          tables.set(path.join("."), path);
        }
      }
    }
    const { column, key } = more;
    const question = { ...(column === undefined ? {} : { column }), ...(key === undefined ? {} : { key }) };
    if (tables.size + added.size === 0) return undefined;
    return { tables: [...tables.values()], added: [...added], isRow: isOfAnswer, ...question };
  }

  /** The name of a token, unless it is a keyword, a key or a parameter. */
  #nameAt(at: number): string | undefined {
    const token = this.#tokens[at];
    if (token?.kind !== "name" || keyword.test(token.text) || this.#isSign(at + 1, "=>", ":")) return undefined;
    return token.text;
  }

  /** The members in a path of dots and strings in brackets, without the called method. */
  #path(start: number): readonly string[] {
    const path = [this.#tokens[start]?.text ?? ""];
    for (let at = start + 1; at < this.#tokens.length; ) {
      const [, next, after] = this.#tokens.slice(at, at + 3);
      if (this.#isSign(at, "!")) at += 1;
      else if (this.#isDot(at) && next?.kind === "name" && !this.#isSign(at + 2, "(")) {
        path.push(next.text);
        at += 2;
      } else if (this.#isSign(at, "[") && next?.kind === "text" && after?.text === "]") {
        path.push(next.text);
        at += 3;
      } else break;
    }
    return path;
  }

  /** The columns that a call adds if it ends before the cursor. */
  #madeColumns(method: number, name: string): readonly string[] {
    const open = method + 1;
    const made = [...(answers.get(name) ?? [])];
    if (made.length === 0 && !keyed.test(name) && !named.test(name)) return [];
    for (let at = open + 1; at < this.#tokens.length; at += 1) {
      if (this.#around[at] === open && this.#isSign(at, ")")) return made;
      const token = this.#tokens[at];
      if (!token || (token.kind !== "name" && token.kind !== "text") || !this.#isListed(at, open)) continue;
      const isKey = this.#isSign(at - 1, "{", ",") && this.#isSign(this.#bracket(at), "{");
      const isText = token.kind === "text" && (name !== "derive" || this.#around[at] === open);
      if (isKey ? keyed.test(name) : isText && named.test(name)) made.push(token.text);
    }
    return [];
  }

  /** Whether only objects and lists are between a token and the bracket of a call. */
  #isListed(at: number, call: number): boolean {
    let around = this.#bracket(at);
    while (around > call && this.#isSign(around, "{", "[") && !this.#isSign(around - 1, "=>")) {
      around = this.#bracket(around);
    }
    return around === call;
  }

  /** Whether a statement begins with a token, outside of brackets. */
  #isBoundary(at: number): boolean {
    const [before, token] = [this.#tokens[at - 1], this.#tokens[at]];
    if (!before || !token || this.#around[at] !== -1 || this.#isSign(at, ")", "]", "}")) return false;
    if (this.#isSign(at - 1, ";")) return true;
    const isEnd = before.kind !== "sign" || this.#isSign(at - 1, ")", "]", "}");
    return token.isFirst && token.kind !== "sign" && isEnd && !keyword.test(before.text);
  }

  /**
   * Whether a name is a parameter of a function around the cursor that is passed to a call other than an array method.
   */
  #isRow(name: string | undefined): boolean {
    return this.#tokens.some(({ text }, at) => {
      const isArrow = this.#isSign(at, "=>");
      if (name === undefined || (!isArrow && text !== "function") || !this.#isGivenToTable(at)) return false;
      if (isArrow && this.#tokens[at - 1]?.text === name) return true;
      const list = isArrow ? this.#bracket(at - 1) : this.#isSign(at + 1, "(") ? at + 1 : at + 2;
      return this.#isSign(list, "(") && this.#parts(list).some((each) => this.#tokens[each]?.text === name);
    });
  }

  #isGivenToTable(at: number): boolean {
    const around = this.#bracket(at);
    const call = this.#open.slice(0, this.#open.indexOf(around) + 1).findLast((open) => this.#isCall(open));
    if (call === undefined) return false;
    const list = this.#isSign(call - 3, "]") ? this.#bracket(call - 3) : -1;
    return list < 0 || this.#tokens[list - 1]?.kind === "name" || this.#isSign(list - 1, ")", "]");
  }

  #isCall(at: number): boolean {
    const before = this.#tokens[at - 1];
    return (
      this.#isSign(at, "(") && ((before?.kind === "name" && !keyword.test(before.text)) || this.#isSign(at - 1, "?."))
    );
  }

  /** The first tokens of the comma-separated parts of a bracket. */
  #parts(open: number): readonly number[] {
    const parts: number[] = [];
    for (let at = open + 1; at < this.#tokens.length; at += 1) {
      if (this.#around[at] !== open) continue;
      if (this.#isSign(at, ")")) break;
      if (!this.#isSign(at, ",") && (at === open + 1 || this.#isSign(at - 1, ","))) parts.push(at);
    }
    return parts;
  }

  /** The key whose value contains the cursor. */
  #key(object: number): string | undefined {
    const at = this.#tokens.findLastIndex((_, index) => this.#around[index] === object && this.#isSign(index, ","));
    const start = (at < 0 ? object : at) + 1;
    return this.#isSign(start + 1, ":") ? this.#tokens[start]?.text : undefined;
  }

  /** The bracket that contains a token; -1 if none, or outside of the code. */
  #bracket(at: number): number {
    return this.#around[at] ?? -1;
  }

  #isDot(at: number): boolean {
    return this.#isSign(at, ".", "?.");
  }

  #isSign(at: number, ...signs: readonly string[]): boolean {
    const token = this.#tokens[at];
    return token?.kind === "sign" && signs.includes(token.text);
  }
}
