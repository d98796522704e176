import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { packageFolder } from "../../core/package-folder.js";
import { engineFlags } from "../../kernel/engine/cell/engine-flags.js";
import type { EngineName } from "../../kernel/engine/cell/engine-name.js";
import type { CellSink, Outcome, PlannedCell } from "../../kernel/engine/cell/language-engine.js";
import { removeFolders } from "../../kernel/engine/typescript/check/stale-folders.js";
import type { CellMessage, ToCellsMessage } from "./cell-messages.js";
import type { SourceRead } from "./run-record.js";

/** How the process of a notebook is started. */
export interface CellProcessOptions {
  readonly cwd: string;
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly engine: EngineName;
  /** The cells that will run, so that the process can prepare for them. */
  readonly cells: readonly PlannedCell[];
}

/** How a cell ended, or what became of the process in which it ran. */
export type CellEnd =
  | { readonly type: "outcome"; readonly outcome: Outcome }
  | { readonly type: "exit"; readonly code: number | null; readonly signal: string | null }
  | { readonly type: "timeout" };

/**
 * A process in which the cells of one notebook run, so that a cell that ends, blocks or crashes its process harms
 * nothing else.
 */
export class CellProcess {
  readonly #child: ChildProcess;
  /** By the names of the cells, which may write long after their end. */
  readonly #sinks = new Map<string, CellSink>();
  readonly #sources = new Map<string, SourceRead>();
  #exit: CellEnd | undefined;

  private constructor(child: ChildProcess) {
    this.#child = child;
    // A character may come in pieces.
    child.stdout?.setEncoding("utf8");
    child.stderr?.setEncoding("utf8");
    child.on("message", (message: CellMessage) => this.#take(message));
    child.on("exit", (code, signal) => {
      this.#exit = { type: "exit", code, signal };
      if (child.pid !== undefined) removeFolders(child.pid);
    });
  }

  /** Starts the process and waits until it can run cells. */
  static async start({ cwd, env, engine, cells }: CellProcessOptions): Promise<CellProcess> {
    // Always the built program, also when this file runs from source under a test.
    const child = fork(join(packageFolder, "dist", "notebook", "run", "cell-process-main.js"), [engine], {
      cwd,
      env: { ...process.env, SITEFRAME_PROGRESS: "off", ...env },
      execArgv: [...engineFlags],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const cellProcess = new CellProcess(child);
    const complaint = collect(child);
    await Promise.race([once(child, "message"), once(child, "close")]);
    if (cellProcess.#exit) throw new Error(`The process for notebook cells did not start.\n${complaint()}`);
    cellProcess.#send({ type: "prepare", cells });
    return cellProcess;
  }

  /** Runs one cell. Never rejects. What the cell shows later, while others run, goes to its `sink` too. */
  execute(cell: PlannedCell, sink: CellSink, timeoutMs: number): Promise<CellEnd> {
    if (this.#exit) return Promise.resolve(this.#exit);
    this.#sinks.set(cell.name, sink);
    return new Promise((resolve) => {
      const child = this.#child;
      const end = (how: CellEnd) => {
        clearTimeout(timer);
        child.off("message", receive).off("close", closed);
        child.stdout?.off("data", writeOut);
        child.stderr?.off("data", writeError);
        resolve(how);
      };
      const receive = (received: CellMessage) => {
        // What programs printed before may have come with this, and be read after it.
        if (received?.type === "outcome") setImmediate(() => end(received));
      };
      const closed = (code: number | null, signal: string | null) => end({ type: "exit", code, signal });
      // What did not pass through the engine: programs that a cell started, and Node's last words.
      const writeOut = (text: string) => sink.stream("stdout", text);
      const writeError = (text: string) => sink.stream("stderr", text);
      const timer = Number.isFinite(timeoutMs) ? setTimeout(() => end({ type: "timeout" }), timeoutMs) : undefined;
      child.on("message", receive).on("close", closed);
      child.stdout?.on("data", writeOut);
      child.stderr?.on("data", writeError);
      this.#send({ type: "execute", cell });
    });
  }

  #send(message: ToCellsMessage): void {
    this.#child.send(message);
  }

  #take(message: CellMessage): void {
    // A cell can send something itself.
    if (typeof message !== "object" || message === null) return;
    const sink = "cell" in message ? this.#sinks.get(message.cell) : undefined;
    if (message.type === "stream") sink?.stream(message.name, message.text);
    else if (message.type === "display") sink?.display(message.bundle, message.target);
    else if (message.type === "clear") sink?.clear?.(false);
    else if (message.type === "source") this.#addSource(message.source);
  }

  /** What the cells have read from so far. */
  get sources(): readonly SourceRead[] {
    return [...this.#sources.values()];
  }

  #addSource(source: SourceRead): void {
    const { origin, generation, read_at } = source;
    const key = JSON.stringify([origin.kind, origin.name, generation]);
    const known = this.#sources.get(key);
    if (!known || read_at < known.read_at) this.#sources.set(key, source);
  }

  /** Ends the process, whatever it is doing. */
  close(): void {
    this.#child.kill("SIGKILL");
  }
}

/** Gathers what a child writes to stderr until it is ready, to explain why it is not. */
function collect(child: ChildProcess): () => string {
  let text = "";
  const add = (chunk: string) => {
    text += chunk;
  };
  child.stderr?.on("data", add);
  child.once("message", () => child.stderr?.off("data", add));
  return () => text.trim();
}
