import { cpus, freemem, hostname, totalmem } from "node:os";
import { depthProblem } from "../../core/code-depth.js";
import type { RemoteCompiler } from "../compiler/connect-compiler.js";
import type { EngineName } from "../engine/cell/engine-name.js";
import type { Completion } from "../engine/cell/language-engine.js";
import { languageInfo } from "../install/language-info.js";
import type { CompletionQuery } from "../threads/thread-messages.js";
import { type Content, contentText, protocolVersion } from "../wire/message.js";
import type { CommRegistry } from "./comm-registry.js";
import { type CompletionContext, completionContext } from "./completion-context.js";
import type { HistoryEntry, HistoryStore } from "./history-store.js";
import type { RunnerClient } from "./runner-client.js";

/** Returns the content of the reply to a request. */
export type Reply = (content: Content) => Content | Promise<Content>;

/** Dependencies of the replies. */
export interface ReplyParts {
  readonly version: string;
  readonly engine: EngineName;
  readonly compiler: RemoteCompiler;
  readonly runner: Pick<RunnerClient, "names">;
  readonly history: HistoryStore;
  readonly comms: CommRegistry;
}

/** The requests that are handled while a cell runs, by type. */
export function createReplies({
  version,
  engine,
  compiler,
  runner,
  history,
  comms,
}: ReplyParts): Readonly<Record<string, Reply>> {
  const usage = new Usage();
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
    usage_request: () => usage.read(),
  };
}

async function complete(compiler: RemoteCompiler, runner: ReplyParts["runner"], content: Content): Promise<Content> {
  const { code, offset } = cursor(content);
  if (depthProblem(code)) {
    const span = codePointOffset(code, offset);
    return { matches: [], cursor_start: span, cursor_end: span, metadata: {} };
  }
  const [offered, live] = await Promise.all([
    compiler.complete(code, offset),
    liveCompletion((question) => runner.names(question), code, offset),
  ]);
  const { start, end } = live ?? offered;
  // The compiler's completions may replace a different part.
  const taken = (live ? [live, offered] : [offered]).filter((one) => one.start === start);
  const matches = [...new Set(taken.flatMap((one) => one.matches))];
  const span = { start: codePointOffset(code, start), end: codePointOffset(code, end) };
  return {
    matches,
    cursor_start: span.start,
    cursor_end: span.end,
    metadata: typesOf(matches, taken, span),
  };
}

/** The kinds that clients draw icons for, under ipykernel's name; absent if the engine has none. */
function typesOf(matches: readonly string[], from: readonly Completion[], span: object): Content {
  // The first of equal completions counts.
  const pairs = from.flatMap((one) => one.matches.map((match, at) => [match, one.kinds?.[at]] as const));
  const kinds = new Map(pairs.reverse());
  if (!matches.some((match) => kinds.get(match))) return {};
  const types = matches.map((text) => ({ ...span, text, type: kinds.get(text) ?? "<unknown>" }));
  return { _jupyter_types_experimental: types };
}

async function inspect(compiler: RemoteCompiler, content: Content): Promise<Content> {
  const { code, offset } = cursor(content);
  const inspection = await compiler.inspect(code, offset);
  if (!inspection) return { found: false, data: {}, metadata: {} };
  const { signature, documentation } = inspection;
  const data = {
    "text/plain": [signature, documentation].filter(Boolean).join("\n\n"),
    "text/markdown": [`\`\`\`typescript\n${signature}\n\`\`\``, documentation].filter(Boolean).join("\n\n"),
  };
  return { found: true, data, metadata: {} };
}

function cursor(content: Content): { readonly code: string; readonly offset: number } {
  const code = contentText(content, "code");
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

/** The inverse of `unitOffset`. */
function codePointOffset(code: string, units: number): number {
  return [...code.slice(0, units)].length;
}

/** The kernel's `kernel_info_reply`. */
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

/** Completions from tables in the session; undefined if the list is empty. */
export async function liveCompletion(
  ask: (question: CompletionQuery) => Promise<readonly string[]>,
  code: string,
  offset: number,
): Promise<Completion | undefined> {
  const context = completionContext(code, offset);
  if (!context) return undefined;
  const { typed, start, end, question } = context;
  const names = await ask(question);
  const matches = written(names, context).filter((text) => text.toLowerCase().startsWith(typed.toLowerCase()));
  const kind = context.quote === undefined ? "property" : "text";
  return matches.length > 0 ? { matches, kinds: matches.map(() => kind), start, end } : undefined;
}

/** Names after a dot must be identifiers; in quotes they are escaped as JSON. */
function written(names: readonly string[], { quote }: CompletionContext): readonly string[] {
  if (quote === undefined) return names.filter((name) => word.test(name));
  const texts = names.map((name) => JSON.stringify(name).slice(1, -1));
  return quote === '"' ? texts : texts.map((text) => text.replaceAll('\\"', '"').replaceAll("'", "\\'"));
}

const word = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** The entries for a `history_request`, oldest first. */
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
  const sessionId = Number(request["session"] ?? 0);
  const session = sessionId > 0 ? sessionId : store.session + sessionId;
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
  const entries: HistoryEntry[] = [];
  for (const session of store.sessions()) {
    for (const entry of [...store.read(session)].reverse()) {
      if (entries.length >= n) return entries.reverse();
      if (matches(entry)) entries.push(entry);
    }
  }
  return entries.reverse();
}

function count(n: unknown): number {
  return typeof n === "number" ? n : Number.POSITIVE_INFINITY;
}

/** `*` matches any string, `?` matches one character, as in a shell. */
function globPattern(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*/g, ".*")
    .replace(/\?/g, ".");
  return new RegExp(`^${source}$`, "su");
}

/** Processor time in milliseconds, and when it was read. */
interface Reading {
  readonly at: number;
  /** Processor time of the kernel's process. */
  readonly ownTicks: number;
  /** Processor time of all processors, busy and total. */
  readonly busy: number;
  readonly all: number;
}

/**
 * The kernel process's use of the computer, under ipykernel's names. Shares of processor time are since the last
 * request; `host_cpu_percent` is absent the first time, as in ipykernel. Memory is in bytes.
 */
class Usage {
  #last: Reading = readProcessors();
  #isFirst = true;

  read(): Content {
    const { ownTicks, busy, all, at } = readProcessors();
    const last = this.#last;
    const elapsed = Math.max(at - last.at, 1);
    const shares =
      all > last.all && !this.#isFirst ? { host_cpu_percent: (100 * (busy - last.busy)) / (all - last.all) } : {};
    this.#last = { ownTicks, busy, all, at };
    this.#isFirst = false;
    const [total, available] = [totalmem(), freemem()];
    return {
      hostname: hostname(),
      pid: process.pid,
      kernel_cpu: (100 * (ownTicks - last.ownTicks)) / elapsed,
      kernel_memory: process.memoryUsage.rss(),
      cpu_count: cpus().length,
      ...shares,
      host_virtual_memory: {
        total,
        available,
        free: available,
        used: total - available,
        percent: (100 * (total - available)) / total,
      },
    };
  }
}

function readProcessors(): Reading {
  const { user, system } = process.cpuUsage();
  const times = cpus().map(({ times }) => times);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  const idle = times.reduce((sum, time) => sum + time.idle, 0);
  return { at: performance.now(), ownTicks: (user + system) / 1000, busy: all - idle, all };
}
