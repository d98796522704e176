import { type CodeToken, codeTokens } from "../../core/code-tokens.js";
import type { LiveQuestion } from "../threads/thread-messages.js";

/** Where someone types what a value of the session may tell: in a text, or behind the dot of a row. */
export interface CompletionPlace {
  /** Undefined behind a dot. */
  readonly quote: string | undefined;
  /** What stands before the cursor. */
  readonly typed: string;
  readonly start: number;
  readonly end: number;
  readonly question: LiveQuestion;
}

/** A word, a text, or a sign of code. */
interface Token {
  readonly kind: "name" | "text" | "other" | "sign";
  /** Of a text what is between its quotes, as it is written. */
  readonly text: string;
  /** Where it begins, and where it ends. A text without an end ends with its line. */
  readonly start: number;
  readonly end: number;
  readonly isClosed: boolean | undefined;
  /** Whether it is the first one of its line. */
  readonly isFirst: boolean;
}

/** These take other texts than names of columns. */
const otherKeys =
  /^(from|to|every|dates?|path|file|folder|timeZone|label|caption|subtitle|footer|type|scheme|curve|style)$/;
const otherMethods =
  /^(asOf|states|diff|panel|toCSV|toParquet|toJSON|print|import|require|log|includes|startsWith|endsWith)$/;
/** These take values of the column that a question is about. */
const valueKeys = /^(open|done|start|blocked)$/;
const keyword =
  /^(return|await|typeof|new|void|delete|in|of|case|const|let|var|if|for|while|else|yield|throw|as|function)$/;
const declaring = /^(const|let|var)$/;
/** Keys of objects that are given to these functions are columns. */
const keyed = /^(derive|rollup|groupby|table|from)$/;
/** Strings that are given to these functions are columns. */
const named = /^(derive|rename|select|count|fold|spread|unroll|follow)$/;
/** Columns of answers. */
const answers: ReadonlyMap<string, readonly string[]> = new Map([
  ["count", ["count"]],
  ["fold", ["key", "value"]],
  ["unroll", ["index"]],
  ["panel", ["date"]],
  ["counts", ["date", "state", "value", "count"]],
]);
/** Questions to a history whose answers have the columns of its layer. */
const featureAnswers = /^(asOf|layerAt|panel)$/;
/** How many characters before and behind a string are read for a comparison. */
const near = 300;

const member = String.raw`([\p{ID_Continue}$]+)\s*(?:\??\.\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)|(?:\?\.)?\[\s*["']([^"'\n]+)["']\s*\])`;
/** A member of a row before a string that is compared with it, and behind it. */
const comparedBefore = [
  new RegExp(String.raw`${member}\s*[=!]==?\s*$`, "u"),
  new RegExp(String.raw`\bop\.\w+\(\s*${member}\s*,\s*$`, "u"),
];
const comparedBehind = [
  new RegExp(String.raw`^\s*[=!]==?\s*${member}`, "u"),
  new RegExp(String.raw`^[^\]]*\]\s*\.\s*(?:includes|indexOf)\(\s*${member}`, "u"),
];

/**
 * Where in code the cursor is, if a table that lives in the session may say what could stand there.
 *
 * @param code that need not be right
 */
export function completionPlace(code: string, offset: number): CompletionPlace | undefined {
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

function textPlace(code: string, offset: number, tokens: readonly Token[], text: Token): CompletionPlace | undefined {
  const { isClosed } = text;
  if (offset <= text.start || (isClosed && offset >= text.end)) return undefined;
  const behind = isClosed ? code.slice(text.end, text.end + near) : "";
  const question = new Reader(tokens.slice(0, -1)).text(code.slice(Math.max(0, text.start - near), text.start), behind);
  if (!question) return undefined;
  const start = text.start + 1;
  const end = isClosed ? text.end - 1 : offset;
  return { quote: code[text.start] as string, typed: code.slice(start, offset), start, end, question };
}

/** The tokens of code that need not be right, up to where `offset` is in or after one. */
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

/** What a piece of code is for its reader: an expression in a template stands in braces. */
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

/** Reads code up to the cursor, and says what it is about there. */
class Reader {
  readonly #tokens: readonly Token[];
  /** Of each token the bracket that it is in, of a closing bracket the bracket that it closes; -1 if none. */
  readonly #around: readonly number[];
  /** The brackets that the cursor is in, the outermost one first. */
  readonly #open: readonly number[];
  /** Of each token the start of its statement, outside of brackets. */
  readonly #statements: readonly number[];
  /** Of names that the code declares the starts of the last statements that do so. */
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

  /** What is asked behind a dot: columns, if a row is before it. */
  member(): LiveQuestion | undefined {
    const at = this.#tokens.length - 1;
    const name = this.#tokens[at];
    return name?.kind === "name" && !this.#isDot(at - 1) && this.#isRow(name.text) ? this.#question(true) : undefined;
  }

  /**
   * What is asked in a text.
   *
   * @param before the code before it
   * @param behind the code behind it
   */
  text(before: string, behind: string): LiveQuestion | undefined {
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

  #nameOrValue(): LiveQuestion | undefined {
    const inner = this.#open.findLast((at) => !this.#isSign(at, "["));
    const call = this.#open.findLast((at) => this.#isCall(at));
    if (inner === undefined || call === undefined) return undefined;
    const method = this.#tokens[call - 1]?.text ?? "";
    const key = this.#isSign(inner, "{") ? this.#key(inner) : undefined;
    const given = this.#parts(call);
    const takesValue = key === undefined ? method === "reached" && given.length === 1 : valueKeys.test(key);
    if (takesValue || (/^survival/.test(method) && /^(from|to)$/.test(key ?? ""))) {
      const column = given.map((at) => this.#tokens[at]).find((token) => token?.kind === "text")?.text;
      if (column !== undefined) return this.#question(false, { column });
    }
    if (inner !== call) return key === undefined || otherKeys.test(key) ? undefined : this.#question(false, { key });
    return otherMethods.test(method) ? undefined : this.#question(false);
  }

  /** @param isRow whether columns of a row are asked, which are those of answers */
  #question(isRow: boolean, more: { readonly column?: string | undefined; readonly key?: string } = {}) {
    const tables = new Map<string, readonly string[]>();
    const added = new Set<string>();
    let isOfAnswer = isRow;
    /** Where statements start: the one before the cursor, and the statements that declare its names. */
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
    const asked = { ...(column === undefined ? {} : { column }), ...(key === undefined ? {} : { key }) };
    if (tables.size + added.size === 0) return undefined;
    return { tables: [...tables.values()], added: [...added], isRow: isOfAnswer, ...asked };
  }

  /** The name that a token is, unless it is a keyword, a key or a parameter. */
  #nameAt(at: number): string | undefined {
    const token = this.#tokens[at];
    if (token?.kind !== "name" || keyword.test(token.text) || this.#isSign(at + 1, "=>", ":")) return undefined;
    return token.text;
  }

  /** The members that a name and dots, or texts in brackets, lead to; not the method that is called. */
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

  /** Whether a name is a parameter of a function that the cursor is in, and that is given to a call of no list's. */
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

  /** The first tokens of the parts of a bracket, which commas divide. */
  #parts(open: number): readonly number[] {
    const parts: number[] = [];
    for (let at = open + 1; at < this.#tokens.length; at += 1) {
      if (this.#around[at] !== open) continue;
      if (this.#isSign(at, ")")) break;
      if (!this.#isSign(at, ",") && (at === open + 1 || this.#isSign(at - 1, ","))) parts.push(at);
    }
    return parts;
  }

  /** The key whose value the cursor is in. */
  #key(object: number): string | undefined {
    const at = this.#tokens.findLastIndex((_, index) => this.#around[index] === object && this.#isSign(index, ","));
    const start = (at < 0 ? object : at) + 1;
    return this.#isSign(start + 1, ":") ? this.#tokens[start]?.text : undefined;
  }

  /** The bracket that a token is in; -1 if none, as outside of the code. */
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
