import { type CodeToken, codeTokens } from "../../core/code-tokens.js";
import type { LiveArgument, LivePath, LiveQuestion } from "../threads/thread-messages.js";

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
}

/** What stands in brackets. The last one of its parent may still be open. */
interface Group {
  readonly kind: "group";
  readonly open: string;
  readonly children: Node[];
}

type Node = Token | Group;

/** An expression as the way to its value, and where it begins among its neighbours. */
interface Chain {
  readonly path: LivePath;
  readonly start: number;
}

/** A call that is being written: whose method is called, and the values that are given before the cursor. */
interface OpenCall {
  /** The whole way to the function. */
  readonly callee: LivePath;
  readonly values: readonly LivePath[];
}

/** These take other texts than names of columns. */
const otherKeys =
  /^(from|to|every|dates?|path|file|folder|timeZone|label|caption|subtitle|footer|type|scheme|curve|style)$/;
const otherMethods =
  /^(asOf|states|diff|panel|toCSV|toParquet|toJSON|print|import|require|log|includes|startsWith|endsWith)$/;
const comparison = /^[=!]==?$/;
const keyword =
  /^(return|await|typeof|new|void|delete|in|of|case|const|let|var|if|for|while|else|yield|throw|as|function)$/;
const declaring = /^(?:const|let|var)$/;
/** What these make of a value has its columns. */
const sameColumns =
  /^(filter|orderby|unorder|ungroup|slice|sample|reify|dedupe|impute|relocate|semijoin|antijoin|concat|union|intersect|except|params|objects|object|history|knownAt|sort|toSorted|reverse|toReversed)$/;
/** These hand a function of rows on to the verb that they are given to. */
const wrappers = /^(desc|collate|rolling|escape|frac|bin)$/;
/** These take values of the column that a question is about. */
const valueKeys = /^(open|done|start|blocked)$/;
/** These take names of columns for each of two tables. */
const twoTables = /^(join(_left|_right|_full)?|semijoin|antijoin|lookup|cross)$/;
/** How much behind the cursor is looked at. */
const lookAhead = 300;

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
  const after = isClosed ? readTokens(code.slice(text.end, text.end + lookAhead), lookAhead) : [];
  const question = new Reader(tokens.slice(0, -1)).text(after);
  if (!question) return undefined;
  const start = text.start + 1;
  const end = isClosed ? text.end - 1 : offset;
  return { quote: code[text.start] as string, typed: code.slice(start, offset), start, end, question };
}

/** The tokens of code that need not be right, up to where `offset` is in or after one. */
function readTokens(code: string, offset: number): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const token of codeTokens(code)) {
    const start = end;
    if (start >= offset) break;
    end += token.value.length;
    for (const { kind, text, isClosed } of meaning(token)) tokens.push({ kind, text, start, end, isClosed });
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
  /** From the outermost one, which is the code, to the one that the cursor is in. */
  readonly #open: readonly Group[];
  /** What names stand for that the code itself declares; undefined of others, and while that is looked for. */
  readonly #declared = new Map<string, LivePath | undefined>();

  constructor(tokens: readonly Token[]) {
    const open: Group[] = [{ kind: "group", open: "", children: [] }];
    for (const token of tokens) {
      const isSign = token.kind === "sign";
      if (isSign && /^[)\]}]$/.test(token.text)) {
        if (open.length > 1) open.pop();
      } else if (isSign && /^[([{]$/.test(token.text)) {
        const group: Group = { kind: "group", open: token.text, children: [] };
        open.at(-1)?.children.push(group);
        open.push(group);
      } else open.at(-1)?.children.push(token);
    }
    this.#open = open;
  }

  /** What is asked behind the dot of a row. */
  member(): LiveQuestion | undefined {
    const { children } = this.#innermost;
    const row = this.#chain(children, children.length)?.path;
    const tables = row?.length === 1 ? this.#rowTables(row[0]) : undefined;
    return tables && { tables };
  }

  /**
   * What is asked in a text.
   *
   * @param after what stands behind it
   */
  text(after: readonly Token[]): LiveQuestion | undefined {
    const { open, children } = this.#innermost;
    const owner = open === "[" ? this.#owner(this.#open.length - 1) : undefined;
    const ofRow = owner?.length === 1 && children.length === 0 ? this.#rowTables(owner[0]) : undefined;
    if (ofRow) return { tables: ofRow };
    if (isSign(children.at(-1), comparison)) {
      return this.#valueOf(this.#chain(children, children.length - 1)?.path ?? []);
    }
    const compared = this.#comparedAfter(after, open === "[" && !owner) ?? this.#comparedByOp();
    return compared ? this.#valueOf(compared) : this.#nameOrValue();
  }

  get #innermost(): Group {
    return this.#open.at(-1) as Group;
  }

  #nameOrValue(): LiveQuestion | undefined {
    const tables = this.#calledTables();
    if (tables.length === 0) return undefined;
    const place = this.#open.findLastIndex(({ open }) => open !== "[");
    if (this.#isOfOther(place)) return { tables: [...tables].reverse() };
    const inner = this.#open[place];
    const column = this.#askedColumn(place);
    if (column !== undefined) return { tables, column };
    if (inner?.open === "{") {
      const key = keyOf(lastPart(inner.children));
      return key === undefined || otherKeys.test(key) ? undefined : { tables, key };
    }
    const method = inner?.open === "(" ? this.#owner(place)?.at(-1) : undefined;
    return typeof method === "string" && otherMethods.test(method) ? undefined : { tables };
  }

  /** The column that a question is about, where it takes values of it: `ageing("STATUS", { open: "…" })`. */
  #askedColumn(place: number): string | undefined {
    const inner = this.#open[place];
    const key = inner?.open === "{" ? keyOf(lastPart(inner.children)) : undefined;
    const call = key === undefined ? place : place - 1;
    const given = parts(this.#open[call]?.children ?? []);
    const method = String(this.#call(call)?.callee.at(-1));
    const takesValue = key === undefined ? method === "reached" && given.length === 2 : valueKeys.test(key);
    const isOfTwo = key !== undefined && /^(from|to)$/.test(key) && /^survival/.test(method);
    if (!takesValue && !isOfTwo) return undefined;
    return given.flatMap(([only, ...rest]) => (only?.kind === "text" && rest.length === 0 ? [only.text] : []))[0];
  }

  /** Whether a call takes columns of the other table there: behind the first ones of two lists, or what `lookup` adds. */
  #isOfOther(place: number): boolean {
    const call = this.#call(place);
    const method = call?.callee.at(-1);
    if (typeof method !== "string" || call?.values.length !== 1) return false;
    const argument = parts(this.#open[place]?.children ?? []).length;
    if (method === "lookup" && argument > 2) return true;
    return twoTables.test(method) && parts(this.#open[place + 1]?.children ?? []).length > 1;
  }

  /** Values of a column, which a path to a member of a row names. */
  #valueOf(path: LivePath): LiveQuestion | undefined {
    const column = path.slice(1).at(-1);
    const tables = this.#rowTables(path[0]) ?? this.#calledTables();
    return typeof column === "string" && tables.length > 0 ? { tables, column } : undefined;
  }

  /** The member of a row in `"…" === d.x` and in `["…"].includes(d.x)`. */
  #comparedAfter(after: readonly Token[], isItem: boolean): LivePath | undefined {
    if (isSign(after[0], comparison)) return memberAt(after, 1);
    const end = isItem ? after.findIndex((token) => !isItemToken(token)) : -1;
    const [close, dot, method, bracket] = end < 0 ? [] : after.slice(end);
    const isAsked = isSign(close, /^\]$/) && isSign(dot, /^\.$/) && isSign(bracket, /^\($/);
    return isAsked && /^(includes|indexOf)$/.test(method?.text ?? "") ? memberAt(after, end + 4) : undefined;
  }

  /** The member of a row in `op.equal(d.x, "…")`. */
  #comparedByOp(): LivePath | undefined {
    const call = this.#innermost.open === "(" ? this.#call(this.#open.length - 1) : undefined;
    if (!call?.callee.slice(0, -1).includes("op")) return undefined;
    return call.values.find((path) => path.length === 2 && this.#rowTables(path[0]) !== undefined);
  }

  /** Whose methods are called around the cursor, and what is given to them; the innermost call first. */
  #calledTables(): readonly LivePath[] {
    const calls = this.#open.map((_, place) => this.#call(place)).reverse();
    return calls.flatMap((call) => (call ? tablesOf(call) : []));
  }

  #call(place: number): OpenCall | undefined {
    const group = this.#open[place];
    const callee = group?.open === "(" ? this.#owner(place) : undefined;
    if (!group || !callee) return undefined;
    const given = parts(group.children).slice(0, -1);
    const chains = given.map((part) => this.#chain(part, part.length));
    return { callee, values: chains.flatMap((chain) => (chain ? [chain.path] : [])) };
  }

  /** What stands before a bracket that is open. */
  #owner(place: number): LivePath | undefined {
    const around = this.#open[place - 1]?.children;
    return around && this.#chain(around, calleeEnd(around, around.length - 1))?.path;
  }

  /** What may be the table of which a name is a row; undefined of a name that is no parameter. */
  #rowTables(name: LivePath[number] | undefined): readonly LivePath[] | undefined {
    for (let place = this.#open.length - 1; place >= 0 && typeof name === "string"; place -= 1) {
      const parameter = parameterPlace(lastPart(this.#open[place]?.children ?? []), name);
      if (parameter >= 0) return this.#tablesAround(place, parameter);
    }
    return undefined;
  }

  /** The tables of the call that a function of rows, which begins in a bracket, is given to. */
  #tablesAround(place: number, parameter: number): readonly LivePath[] | undefined {
    for (let around = place; around > 0; around -= 1) {
      const call = this.#call(around);
      if (!call && this.#open[around]?.open === "(" && !isBreak(this.#open[around - 1]?.children.at(-2)))
        return undefined;
      if (!call || wrappers.test(String(call.callee.at(-1)))) continue;
      return parameter === 0 ? tablesOf(call) : call.values.slice(0, 1);
    }
    return undefined;
  }

  /** What a name stands for that gets the value of a path: `const late = layer.table.filter(…)`. */
  #declaration(name: string): LivePath | undefined {
    if (this.#declared.has(name)) return this.#declared.get(name);
    this.#declared.set(name, undefined);
    for (const { children } of [...this.#open].reverse()) {
      const at = children.findLastIndex((node, index) => isWord(node, name) && isWord(children[index - 1], declaring));
      if (at < 0) continue;
      this.#declared.set(name, this.#assigned(children, at + 1));
      break;
    }
    return this.#declared.get(name);
  }

  /** The path behind the name of a declaration, and its type. */
  #assigned(nodes: readonly Node[], start: number): LivePath | undefined {
    const sign = nodes.findIndex((node, index) => index >= start && isSign(node, /^[=;]$/));
    if (!isSign(nodes[sign], /^=$/)) return undefined;
    const chain = this.#chain(nodes, chainEnd(nodes, sign + 1));
    return chain && (chain.start === sign + 1 || isWord(nodes[sign + 1], "await")) ? chain.path : undefined;
  }

  /** The expression that ends before a place. */
  #chain(nodes: readonly Node[], end: number): Chain | undefined {
    let at = end - 1;
    while (at > 0 && isSign(nodes[at], /^!$/)) at -= 1;
    const node = nodes[at];
    if (node?.kind === "name") return this.#named(nodes, at, node.text);
    if (node?.kind !== "group" || node.open === "{") return undefined;
    const before = this.#chain(nodes, calleeEnd(nodes, at));
    if (node.open === "[") return before && { ...before, path: [...before.path, ...indexOf(node)] };
    if (before) return this.#called(before, node);
    if (at > 0 && !isBreak(nodes[at - 1])) return undefined;
    const inner = this.#chain(node.children, node.children.length);
    return inner && { path: inner.path, start: at };
  }

  #named(nodes: readonly Node[], at: number, name: string): Chain | undefined {
    if (isSign(nodes[at - 1], /^(\.|\?\.)$/)) {
      const owner = this.#chain(nodes, at - 1);
      return owner && { ...owner, path: [...owner.path, name] };
    }
    if (keyword.test(name)) return undefined;
    return { path: this.#declaration(name) ?? [name], start: at };
  }

  #called({ path, start }: Chain, { children }: Group): Chain | undefined {
    const [owner, method] = [path.slice(0, -1), path.at(-1)];
    if (owner.length === 0 || typeof method !== "string") return undefined;
    if (sameColumns.test(method)) return { path: owner, start };
    return { path: [...owner, { call: method, given: this.#arguments(children) }], start };
  }

  #arguments(nodes: readonly Node[]): readonly LiveArgument[] {
    return parts(nodes)
      .filter((part) => part.length > 0)
      .map((part) => this.#argument(part));
  }

  #argument(part: readonly Node[]): LiveArgument {
    const [only] = part;
    if (part.length === 1 && only?.kind === "text") return { text: only.text };
    if (part.length === 1 && only?.kind === "group" && only.open === "[") {
      return { items: this.#arguments(only.children) };
    }
    if (part.length === 1 && only?.kind === "group" && only.open === "{") {
      const entries = parts(only.children).flatMap((entry) => {
        const [key, colon] = entry;
        if (key === undefined || (key.kind !== "name" && key.kind !== "text")) return [];
        return [[key.text, isSign(colon, /^:$/) ? this.#argument(entry.slice(2)) : undefined] as const];
      });
      return { entries };
    }
    const chain = this.#chain(part, part.length);
    return chain && (chain.start === 0 || isWord(only, "await")) ? { path: chain.path } : undefined;
  }
}

/** Where the function ends whose arguments stand in a bracket: before `?.` and types. */
function calleeEnd(nodes: readonly Node[], bracket: number): number {
  if (isSign(nodes[bracket - 1], /^\?\.$/)) return bracket - 1;
  if (!isSign(nodes[bracket - 1], /^>$/)) return bracket;
  const types = nodes.findLastIndex((node, index) => index < bracket && isSign(node, /^<$/));
  return types > 0 ? types : bracket;
}

/** Of the candidates for a table, whose method is called and what is given to it. */
function tablesOf({ callee, values }: OpenCall): readonly LivePath[] {
  return [callee.slice(0, -1), ...values].filter((path) => path.length > 0);
}

function isSign(node: Node | undefined, signs: RegExp): boolean {
  return node?.kind === "sign" && signs.test(node.text);
}

function isWord(node: Node | undefined, word: string | RegExp): boolean {
  if (node?.kind !== "name") return false;
  return typeof word === "string" ? node.text === word : word.test(node.text);
}

/** Whether a bracket behind a node begins an expression, and calls nothing. */
function isBreak(node: Node | undefined): boolean {
  return node === undefined || node.kind === "sign" || (node.kind === "name" && keyword.test(node.text));
}

/** What stands between the commas of a bracket. */
function parts(nodes: readonly Node[]): readonly (readonly Node[])[] {
  const found: Node[][] = [[]];
  for (const node of nodes) {
    if (isSign(node, /^,$/)) found.push([]);
    else found.at(-1)?.push(node);
  }
  return found;
}

function lastPart(nodes: readonly Node[]): readonly Node[] {
  return parts(nodes).at(-1) ?? [];
}

/** The key of an entry whose value comes. */
function keyOf([key, colon]: readonly Node[]): string | undefined {
  return isSign(colon, /^:$/) && (key?.kind === "name" || key?.kind === "text") ? key.text : undefined;
}

/** `["North"]` as a name. */
function indexOf({ children }: Group): readonly string[] {
  const [only] = children;
  return children.length === 1 && only?.kind === "text" ? [only.text] : [];
}

/** Where an expression ends that consists of names, calls and brackets. */
function chainEnd(nodes: readonly Node[], start: number): number {
  let at = isWord(nodes[start], "await") ? start + 2 : start + 1;
  for (; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (isSign(node, /^(\.|\?\.)$/)) at += 1;
    else if (!isSign(node, /^!$/) && (node?.kind !== "group" || node.open === "{")) break;
  }
  return Math.min(at, nodes.length);
}

/** Which parameter of a function that begins among nodes has a name; below 0 if none. */
function parameterPlace(nodes: readonly Node[], name: string): number {
  for (let at = nodes.length - 1; at >= 0; at -= 1) {
    const node = nodes[at];
    const isArrow = isSign(node, /^=>$/);
    const isFunction = node?.kind === "name" && node.text === "function";
    if (!isArrow && !isFunction) continue;
    const behind = nodes[at + 1]?.kind === "name" ? at + 2 : at + 1;
    const given = nodes[isArrow ? at - 1 : behind];
    const list = given?.kind === "group" ? parts(given.children) : [given ? [given] : []];
    const place = list.findIndex(([first]) => first?.kind === "name" && first.text === name);
    if (place >= 0) return place;
  }
  return -1;
}

/** Whether a token may stand in a list of values that are written. */
function isItemToken(token: Token): boolean {
  return token.kind === "text" || token.kind === "other" || isSign(token, /^,$/);
}

/** `d.x` or `d["x"]` at a place. */
function memberAt(tokens: readonly Token[], at: number): LivePath | undefined {
  const [row, sign, member] = tokens.slice(at, at + 3);
  if (row?.kind !== "name" || !member) return undefined;
  const isNamed = isSign(sign, /^(\.|\?\.)$/) && member.kind === "name";
  const isIndexed = isSign(sign, /^\[$/) && member.kind === "text";
  return isNamed || isIndexed ? [row.text, member.text] : undefined;
}
