import type { RemoteCompiler } from "../compiler/compiler-calls.js";
import type { EngineName } from "../engine/cell/engine-name.js";
import type { Completion } from "../engine/cell/language-engine.js";
import type { Content } from "../wire/message.js";
import { codePointOffset, unitOffset } from "./code-points.js";
import type { CommRegistry } from "./comm-registry.js";
import type { HistoryStore } from "./history-store.js";
import { kernelInfo } from "./kernel-info.js";
import { liveCompletion } from "./live-completion.js";
import type { RunnerClient } from "./runner-client.js";
import { searchHistory } from "./search-history.js";

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
