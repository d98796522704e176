import { type CodeToken, codeTokens } from "../../core/code-tokens.js";
import type { RemoteCompiler } from "../compiler/connect-compiler.js";
import type { EngineName } from "../engine/cell/engine-name.js";
import type { Completion } from "../engine/cell/language-engine.js";
import { languageInfo } from "../install/language-info.js";
import type { LiveQuestion } from "../threads/thread-messages.js";
import { type Content, protocolVersion } from "../wire/message.js";
import type { CommRegistry } from "./comm-registry.js";
import type { HistoryEntry, HistoryStore } from "./history-store.js";
import type { RunnerClient } from "./runner-client.js";

/** A word, a text, or a sign of code. */
interface Token {
  readonly kind: "name" | "text" | "other" | "sign";
  /** Of a text what is between its quotes, as it is written. */
  readonly text: string;
  /** Where it begins, and where it ends. A text without an end ends with its line. */
  readonly start: number;
  readonly end: number;
  readonly isClosed?: boolean;
}

/** A text in code, in which someone types, and which values of the session it may be about. */
interface StringPlace {
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

/** Answers a request by the content of its reply. */
export type Answer = (content: Content) => Content | Promise<Content>;

/** What answers are made from. */
export interface AnswerParts {
  readonly version: string;
  readonly engine: EngineName;
  readonly compiler: RemoteCompiler;
  readonly runner: Pick<RunnerClient, "names">;
  readonly history: HistoryStore;
  readonly comms: CommRegistry;
}

/** The requests that can be answered while a cell runs, by type. */
export function createAnswers({
  version,
  engine,
  compiler,
  runner,
  history,
  comms,
}: AnswerParts): Readonly<Record<string, Answer>> {
  return {
    kernel_info_request: () => kernelInfo(version, engine),
    connect_request: () => ({}),
    complete_request: (content) => complete(compiler, runner, content),
    inspect_request: (content) => inspect(compiler, content),
    is_complete_request: async ({ code }) => ({ ...(await compiler.isComplete(String(code ?? ""))) }),
    history_request: (content) => {
      const withOutput = content["output"] === true;
      const entries = searchHistory(history, content);
      return {
        history: entries.map(({ session, line, input, output }) => [
          session,
          line,
          withOutput ? [input, output] : input,
        ]),
      };
    },
    comm_info_request: ({ target_name }) => ({ comms: comms.list(target_name) }),
  };
}

/** The tokens of code that need not be right, up to where `offset` is in or after one. */
function readTokens(code: string, offset: number): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const token of codeTokens(code)) {
    const start = end;
    if (start >= offset) break;
    end += token.value.length;
    tokens.push(...meaning(token).map((each) => ({ ...each, start, end })));
  }
  return tokens;
}

/** What a piece of code is for its reader: an expression in a template stands in braces. */
function meaning(token: CodeToken): readonly Omit<Token, "start" | "end">[] {
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

/** Where in a text the cursor is, if a table that lives in the session may say what could stand there. */
function stringPlace(code: string, offset: number): StringPlace | undefined {
  const tokens = readTokens(code, offset);
  const text = tokens.at(-1);
  if (text?.kind !== "text" || offset <= text.start || (text.isClosed && offset >= text.end)) return undefined;
  const question = new Reader(tokens.slice(0, -1)).question();
  if (!question) return undefined;
  const start = text.start + 1;
  const end = text.isClosed ? text.end - 1 : offset;
  return { quote: code[text.start] as string, typed: code.slice(start, offset), start, end, question };
}

/** What a call's function is a method of. */
function ownerOf(owner: Chain = []): Chain {
  return owner.slice(0, -1);
}

async function complete(compiler: RemoteCompiler, runner: AnswerParts["runner"], content: Content): Promise<Content> {
  const { code, offset } = cursor(content);
  const [offered, live] = await Promise.all([
    compiler.complete(code, offset),
    liveCompletion((asked) => runner.names(asked), code, offset),
  ]);
  const { start, end } = live ?? offered;
  // What the compiler offers may replace another part.
  const taken = (live ? [live, offered] : [offered]).filter((one) => one.start === start);
  const matches = [...new Set(taken.flatMap((one) => one.matches))];
  const place = { start: codePointOffset(code, start), end: codePointOffset(code, end) };
  return {
    matches,
    cursor_start: place.start,
    cursor_end: place.end,
    metadata: typesOf(matches, taken, place),
  };
}

/** What clients draw pictures of, under ipykernel's name; nothing from an engine that does not know. */
function typesOf(matches: readonly string[], from: readonly Completion[], place: object): Content {
  // Of two that offer the same, the first one counts.
  const pairs = from.flatMap((one) => one.matches.map((match, at) => [match, one.kinds?.[at]] as const));
  const kinds = new Map(pairs.reverse());
  if (!matches.some((match) => kinds.get(match))) return {};
  const types = matches.map((text) => ({ ...place, text, type: kinds.get(text) ?? "<unknown>" }));
  return { _jupyter_types_experimental: types };
}

async function inspect(compiler: RemoteCompiler, content: Content): Promise<Content> {
  const { code, offset } = cursor(content);
  const found = await compiler.inspect(code, offset);
  if (!found) return { found: false, data: {}, metadata: {} };
  const { signature, documentation } = found;
  const data = {
    "text/plain": [signature, documentation].filter(Boolean).join("\n\n"),
    "text/markdown": [`\`\`\`typescript\n${signature}\n\`\`\``, documentation].filter(Boolean).join("\n\n"),
  };
  return { found: true, data, metadata: {} };
}

function cursor(content: Content): { readonly code: string; readonly offset: number } {
  const code = String(content["code"] ?? "");
  const position = content["cursor_pos"];
  return { code, offset: typeof position === "number" ? unitOffset(code, position) : code.length };
}

/** Jupyter counts characters of a cell in Unicode code points, JavaScript in UTF-16 units. */
function unitOffset(code: string, codePoints: number): number {
  let units = 0;
  for (let left = codePoints; left > 0 && units < code.length; left--) {
    units += (code.codePointAt(units) as number) > 0xffff ? 2 : 1;
  }
  return units;
}

/** The way back of `unitOffset`. */
function codePointOffset(code: string, units: number): number {
  return [...code.slice(0, units)].length;
}

/** What the kernel says of itself. */
function kernelInfo(version: string, engine: EngineName): Content {
  const language_info = languageInfo(engine);
  return {
    protocol_version: protocolVersion,
    implementation: "siteframe",
    implementation_version: version,
    language_info,
    banner: `Siteframe ${version}: TypeScript ${language_info.version} on Node ${process.versions.node}`,
    debugger: true,
    supported_features: ["debugger", "kernel subshells"],
    help_links: [
      { text: "Arquero", url: "https://idl.uw.edu/arquero/api/" },
      { text: "Observable Plot", url: "https://observablehq.com/plot/" },
      { text: "TypeScript", url: "https://www.typescriptlang.org/docs/handbook/" },
    ],
  };
}

/** What may stand in the text that is typed, as tables that live in the session have it; undefined if nothing. */
export async function liveCompletion(
  ask: (question: LiveQuestion) => Promise<readonly string[]>,
  code: string,
  offset: number,
): Promise<Completion | undefined> {
  const place = stringPlace(code, offset);
  if (!place) return undefined;
  const { quote, typed, start, end, question } = place;
  const found = await ask(question);
  const texts = found.map((name) => JSON.stringify(name).slice(1, -1)).map((text) => quoted(text, quote));
  const matches = texts.filter((text) => text.toLowerCase().startsWith(typed.toLowerCase()));
  return matches.length > 0 ? { matches, kinds: matches.map(() => "text"), start, end } : undefined;
}

/** What JSON writes, between other quotes. */
function quoted(text: string, quote: string): string {
  return quote === '"' ? text : text.replaceAll('\\"', '"').replaceAll("'", "\\'");
}

/** The entries that a `history_request` asks for, oldest first. */
function searchHistory(store: HistoryStore, request: Content): readonly HistoryEntry[] {
  switch (request["hist_access_type"]) {
    case "range":
      return range(store, request);
    case "search":
      return search(store, request);
    default:
      return newest(store, count(request["n"]), () => true);
  }
}

/** Session 0 is this one; negative numbers count back from it. `stop` is not included. */
function range(store: HistoryStore, request: Content): readonly HistoryEntry[] {
  const asked = Number(request["session"] ?? 0);
  const session = asked > 0 ? asked : store.session + asked;
  const start = Number(request["start"] ?? 0);
  const stop = Number(request["stop"] ?? Number.POSITIVE_INFINITY) || Number.POSITIVE_INFINITY;
  return store.read(session).filter(({ line }) => line >= start && line < stop);
}

function search(store: HistoryStore, request: Content): readonly HistoryEntry[] {
  const pattern = globPattern(String(request["pattern"] ?? "*"));
  const seen = new Set<string>();
  const matches = ({ input }: HistoryEntry) => {
    if (!pattern.test(input)) return false;
    if (request["unique"] === true && seen.has(input)) return false;
    seen.add(input);
    return true;
  };
  return newest(store, count(request["n"]), matches);
}

function newest(store: HistoryStore, n: number, matches: (entry: HistoryEntry) => boolean): readonly HistoryEntry[] {
  const found: HistoryEntry[] = [];
  for (const session of store.sessions()) {
    for (const entry of [...store.read(session)].reverse()) {
      if (found.length >= n) return found.reverse();
      if (matches(entry)) found.push(entry);
    }
  }
  return found.reverse();
}

function count(n: unknown): number {
  return typeof n === "number" ? n : Number.POSITIVE_INFINITY;
}

/** `*` stands for any text, `?` for one character, as in a shell. */
function globPattern(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*/g, ".*")
    .replace(/\?/g, ".");
  return new RegExp(`^${source}$`, "su");
}
