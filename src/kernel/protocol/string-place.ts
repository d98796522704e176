import type { LiveQuestion } from "../threads/live-question.js";
import { readTokens, type Token } from "./read-tokens.js";

/** A text in code, in which someone types, and which values of the session it may be about. */
export interface StringPlace {
  readonly quote: string;
  /** What stands before the cursor in it. */
  readonly typed: string;
  /** Between the quotes. */
  readonly start: number;
  readonly end: number;
  readonly question: LiveQuestion;
}

/** An expression as the names that lead to its value: `layer.table`. What calls make of a value is taken for it. */
type Chain = readonly string[];

interface Bracket {
  readonly open: string;
  /** What stands before it. */
  readonly owner: Chain | undefined;
  /** Of a call what its arguments are, as far as they are names. */
  readonly values: Chain[];
  /** Of an object the key whose value comes. */
  key: string | undefined;
  /** The only text in it. */
  only: string | undefined;
}

/** These take other texts than names of columns. */
const otherKeys =
  /^(from|to|every|dates?|path|file|folder|timeZone|label|caption|subtitle|footer|type|scheme|curve|style)$/;
const otherMethods =
  /^(asOf|states|diff|panel|toCSV|toParquet|toJSON|print|import|require|log|includes|startsWith|endsWith)$/;
const comparison = /^[=!]==?$/;
const keyword = /^(return|await|typeof|new|void|delete|in|of|case|const|let|var|if|for|while|else|yield|throw)$/;

/** Where in a text the cursor is, if a table that lives in the session may say what could stand there. */
export function stringPlace(code: string, offset: number): StringPlace | undefined {
  const tokens = readTokens(code, offset);
  const text = tokens.at(-1);
  if (text?.kind !== "text" || offset <= text.start || (text.isClosed && offset >= text.end)) return undefined;
  const question = new Reader(tokens.slice(0, -1)).question();
  if (!question) return undefined;
  const start = text.start + 1;
  const end = text.isClosed ? text.end - 1 : offset;
  return { quote: code[text.start] ?? '"', typed: code.slice(start, offset), start, end, question };
}

/** Reads code from its start, and keeps what is open at its end. */
class Reader {
  readonly #open: Bracket[] = [];
  readonly #tokens: readonly Token[];
  #chain: Chain | undefined;
  #left: Chain | undefined;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    for (const [index, token] of tokens.entries()) this.#take(token, tokens[index - 1]);
  }

  question(): LiveQuestion | undefined {
    const calls = this.#open.filter(({ open, owner }) => open === "(" && owner).reverse();
    const tables = calls.flatMap(({ owner, values }) =>
      [ownerOf(owner), ...values].filter((chain) => chain.length > 0),
    );
    if (tables.length === 0) return undefined;
    if (this.#isCompared()) {
      const column = this.#left?.slice(1).at(-1);
      return column === undefined ? undefined : { tables, column };
    }
    const inner = this.#open.filter(({ open }) => open !== "[").at(-1);
    if (inner?.open === "{") {
      const { key } = inner;
      return key === undefined || otherKeys.test(key) ? undefined : { tables, key };
    }
    return otherMethods.test(inner?.owner?.at(-1) ?? "") ? undefined : { tables };
  }

  #isCompared(): boolean {
    return comparison.test(this.#tokens.at(-1)?.text ?? "");
  }

  #take(token: Token, before: Token | undefined): void {
    const { kind, text } = token;
    const top = this.#open.at(-1);
    if (top?.open === "[" && text !== "]") top.only = kind === "text" && before?.text === "[" ? text : undefined;
    if (kind === "name") this.#name(text, before);
    else if (kind === "sign") this.#sign(text, before);
    else this.#chain = undefined;
  }

  #name(name: string, before: Token | undefined): void {
    const isMember = before?.kind === "sign" && (before.text === "." || before.text === "?.");
    if (isMember) this.#chain = this.#chain && [...this.#chain, name];
    else this.#chain = keyword.test(name) ? undefined : [name];
  }

  #sign(sign: string, before: Token | undefined): void {
    const top = this.#open.at(-1);
    switch (sign) {
      case "(":
      case "[":
      case "{":
        this.#open.push({ open: sign, owner: this.#chain, values: [], key: undefined, only: undefined });
        this.#chain = undefined;
        return;
      case ")":
      case "]":
      case "}":
        this.#close();
        return;
      case ",":
        this.#endValue(top);
        return;
      case ":":
        if (top?.open === "{" && (before?.kind === "name" || before?.kind === "text")) top.key = before.text;
        this.#chain = undefined;
        return;
      case ".":
      case "?.":
      case "!":
        return;
      default:
        if (comparison.test(sign)) this.#left = this.#chain;
        this.#chain = undefined;
    }
  }

  #endValue(top: Bracket | undefined): void {
    if (top && this.#chain) top.values.push(this.#chain);
    if (top) top.key = undefined;
    this.#chain = undefined;
  }

  #close(): void {
    const { open, owner, only } = this.#open.pop() ?? {};
    if (open === "(" && !owner) return;
    if (!owner || open === "{") this.#chain = undefined;
    else if (open === "[") this.#chain = only === undefined ? owner : [...owner, only];
    else this.#chain = owner.length > 1 ? ownerOf(owner) : undefined;
  }
}

/** What a call's function is a method of. */
function ownerOf(owner: Chain = []): Chain {
  return owner.slice(0, -1);
}
