import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "undici";

/** Path of the installed Firefox, if any. @throws if `SITEFRAME_REQUIRE_ALL` is set and Firefox is missing */
export function findFirefox(): string | undefined {
  const found = ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find(existsSync);
  if (found) return found;
  const reason = "no Firefox was found. Run .ci/full firefox";
  if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
  return undefined;
}

/** A page in Firefox, or a frame in it. */
export interface FirefoxFrame {
  /** Returns the value of an expression in the page, which must be JSON. */
  evaluate(expression: string): Promise<unknown>;
  /** Moves the pointer. */
  point(x: number, y: number): Promise<void>;
  frames(): Promise<readonly FirefoxFrame[]>;
  /** The whole page, as a PNG in base64. */
  screenshot(): Promise<string>;
}

/** A headless Firefox, driven by WebDriver BiDi: Playwright would need a patched Firefox. */
export interface Firefox {
  open(url: string, viewport: { readonly width: number; readonly height: number }): Promise<FirefoxFrame>;
  /** Errors in consoles, and requests other than for files. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

type Fields = Readonly<Record<string, unknown>>;
type Call = (method: string, params: Fields) => Promise<Fields>;

interface Tree {
  readonly context: string;
  readonly children: readonly Tree[];
}

/** Starts a Firefox with a new profile. */
export async function startFirefox(program: string): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), "siteframe-firefox-"));
  const args = ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile];
  const env = { ...process.env, HOME: profile };
  const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const exit = new Promise((done) => child.once("exit", done));
  const address = await new Promise<string>((found, failed) => {
    let output = "";
    child.stderr.on("data", (data) => {
      output += data;
      const [, url] = /BiDi listening on (ws:\S+)/.exec(output) ?? [];
      if (url) found(url);
    });
    void exit.then(() => failed(new Error(`Firefox has ended: ${output}`)));
  });
  const problems: string[] = [];
  const socket = new WebSocket(`${address}/session`);
  const call = await caller(socket, (method, params) => problems.push(...problemsOf(method, params)));
  await call("session.new", { capabilities: {} });
  await call("session.subscribe", { events: ["log.entryAdded", "network.beforeRequestSent"] });
  return {
    problems,
    async open(url, viewport) {
      const { context } = (await call("browsingContext.create", { type: "tab" })) as unknown as Tree;
      await call("browsingContext.setViewport", { context, viewport });
      await call("browsingContext.navigate", { context, url, wait: "complete" });
      return frameOf(call, context);
    },
    async close() {
      socket.close();
      child.kill("SIGTERM");
      await exit;
      // Processes of its pages may still write files.
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function caller(socket: WebSocket, onEvent: (method: string, params: Fields) => void): Promise<Call> {
  const waiting = new Map<number, (answer: Fields) => void>();
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as { id?: number; method?: string; params?: Fields };
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else onEvent(message.method ?? "", message.params ?? {});
  });
  await new Promise((open) => socket.addEventListener("open", open));
  return async (method, params) => {
    const id = waiting.size + 1;
    const answered = new Promise<Fields>((take) => waiting.set(id, take));
    socket.send(JSON.stringify({ id, method, params }));
    const { error, message, result } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${String(message)}`);
    return result as Fields;
  };
}

function problemsOf(method: string, { level, text, request }: Fields): readonly string[] {
  if (method === "log.entryAdded") return level === "error" ? [String(text)] : [];
  const { url } = request as { url: string };
  return /^(file|data|blob|about|resource|chrome|moz-extension):/.test(url) ? [] : [`requests ${url}`];
}

function frameOf(call: Call, context: string): FirefoxFrame {
  return {
    async evaluate(expression) {
      const json = `(async () => JSON.stringify(await (${expression})))()`;
      const { result } = await call("script.evaluate", { expression: json, target: { context }, awaitPromise: true });
      const { value } = (result ?? {}) as { value?: unknown };
      return typeof value === "string" ? JSON.parse(value) : undefined;
    },
    async point(x, y) {
      const move = { type: "pointerMove", x: Math.round(x), y: Math.round(y) };
      const actions = [{ type: "pointer", id: "mouse", actions: [move, { ...move, x: move.x + 1 }] }];
      await call("input.performActions", { context, actions });
    },
    async frames() {
      const { contexts } = await call("browsingContext.getTree", { root: context });
      const [tree] = contexts as readonly Tree[];
      return (tree?.children ?? []).map((child) => frameOf(call, child.context));
    },
    async screenshot() {
      const { data } = await call("browsingContext.captureScreenshot", { context, origin: "document" });
      return String(data);
    },
  };
}
