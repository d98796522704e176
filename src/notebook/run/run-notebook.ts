import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import { packageFolder } from "../../core/package-folder.js";
import { reasonOf } from "../../core/show-value.js";
import { colouredTraceback, exitError, sourceExcerpt, timeoutError } from "../../kernel/engine/cell/cell-errors.js";
import { type EngineName, engineFlags, engineNames } from "../../kernel/engine/cell/engine-name.js";
import type {
  CellError,
  CellSink,
  DisplayTarget,
  Outcome,
  PlannedCell,
} from "../../kernel/engine/cell/language-engine.js";
import { chooseEngine } from "../../kernel/engine/choose-engine.js";
import { removeFolders } from "../../kernel/engine/typescript/check/stale-folders.js";
import { languageInfo } from "../../kernel/install/language-info.js";
import { type MimeBundle, type Picture, paintBundle, type UnpaintedBundle } from "../../tables/display/mime-bundle.js";
import { injectParameters, type Parameters } from "../file/inject-parameters.js";
import {
  type Cell,
  type CodeCell,
  cellTags,
  type Notebook,
  type NotebookFailure,
  NotebookRunError,
  type Output,
  type ResultOutput,
} from "../file/notebook.js";
import { readNotebook } from "../file/notebook-file.js";
import type { CellMessage, ToCellsMessage } from "./cell-messages.js";
import { paint } from "./painter.js";
import { runRecord, type SourceRead } from "./run-record.js";

/** Positions of displays with an id, so that any cell can replace them. */
type Displays = Map<string, { readonly outputs: Output[]; readonly index: number }[]>;

/** Called with the output of cells to their streams, as it is written. */
type StreamListener = (name: "stdout" | "stderr", text: string) => void;

/** Collects a notebook's outputs, cell by cell, in the form of nbformat. */
export class OutputCollector {
  readonly #displays: Displays = new Map();
  readonly #onStream: StreamListener;

  constructor(onStream: StreamListener = () => undefined) {
    this.#onStream = onStream;
  }

  startCell(): CellOutputs {
    return new CellOutputs(this.#displays, this.#onStream);
  }
}

/** The outputs of one cell, including those after its end. */
class CellOutputs implements CellSink {
  readonly #displays: Displays;
  readonly #onStream: StreamListener;
  readonly #outputs: Output[] = [];

  constructor(displays: Displays, onStream: StreamListener) {
    this.#displays = displays;
    this.#onStream = onStream;
  }

  /** The collected outputs; the list grows. */
  get outputs(): readonly Output[] {
    return this.#outputs;
  }

  stream(name: "stdout" | "stderr", text: string): void {
    this.#onStream(name, text);
    const last = this.#outputs.at(-1);
    if (last?.output_type === "stream" && last.name === name) {
      this.#outputs[this.#outputs.length - 1] = { ...last, text: last.text + text };
    } else {
      this.#outputs.push({ output_type: "stream", name, text });
    }
  }

  display(bundle: MimeBundle, target?: DisplayTarget): void {
    const output: Output = { output_type: "display_data", data: bundle, metadata: {} };
    if (target?.update) {
      for (const { outputs, index } of this.#displays.get(target.id) ?? []) outputs[index] = output;
      return;
    }
    const index = this.#outputs.push(output) - 1;
    if (!target) return;
    const displays = this.#displays.get(target.id) ?? [];
    this.#displays.set(target.id, [...displays, { outputs: this.#outputs, index }]);
  }

  /** The argument `wait`, about the time of the next output, is irrelevant in a file. */
  clear(): void {
    this.#outputs.length = 0;
    for (const [id, displays] of this.#displays) {
      this.#displays.set(
        id,
        displays.filter(({ outputs }) => outputs !== this.#outputs),
      );
    }
  }

  add(output: Output): void {
    this.#outputs.push(output);
  }

  /** Replaces an added output, unless it has been removed. */
  replace(output: Output, by: Output): void {
    const index = this.#outputs.indexOf(output);
    if (index !== -1) this.#outputs[index] = by;
  }
}

/** Options of the process of a notebook. */
interface CellProcessOptions {
  readonly cwd: string;
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly engine: EngineName;
  /** The cells that will run, so that the process can prepare for them. */
  readonly cells: readonly PlannedCell[];
}

/** End of a cell, or of the process in which it ran. */
type CellEnd = { readonly type: "outcome"; readonly outcome: Outcome } | ProcessExit | { readonly type: "timeout" };

interface ProcessExit {
  readonly type: "exit";
  readonly code: number | null;
  readonly signal: string | null;
}

/**
 * The process for the cells of one notebook, so that a cell that exits, blocks or crashes affects nothing else.
 */
class CellProcess {
  readonly #child: ChildProcess;
  /** By cell name; cells may write long after their end. */
  readonly #sinks = new Map<string, CellSink>();
  readonly #sources = new Map<string, SourceRead>();
  readonly #sites = new Set<string>();
  #exit: ProcessExit | undefined;

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
    const program = join(packageFolder, "dist", "notebook", "run", "cell-process-main.js");
    try {
      const child = fork(program, [engine], {
        cwd,
        env: { ...process.env, SITEFRAME_PROGRESS: "off", ...env },
        execArgv: [...engineFlags],
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
      const cellProcess = new CellProcess(child);
      const complaint = collect(child);
      await Promise.race([once(child, "message"), once(child, "close")]);
      if (cellProcess.#exit) throw earlyExit(cellProcess.#exit, complaint());
      cellProcess.#send({ type: "prepare", cells });
      return cellProcess;
    } catch (cause) {
      throw new Error(`The process for notebook cells did not start: ${reasonOf(cause)}`, { cause });
    }
  }

  /** Runs one cell. Never rejects. Later output of the cell, while others run, also goes to its `sink`. */
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
        // Earlier output of programs may be read after this message.
        if (received?.type === "outcome") setImmediate(() => end(received));
      };
      const closed = (code: number | null, signal: string | null) => end({ type: "exit", code, signal });
      // Output outside of the engine: programs started by a cell, and fatal errors of Node.
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
    // The code of a cell can send messages, too.
    if (typeof message !== "object" || message === null) return;
    const sink = "cell" in message ? this.#sinks.get(message.cell) : undefined;
    if (message.type === "stream") sink?.stream(message.name, message.text);
    else if (message.type === "display") sink?.display(message.bundle, message.target);
    else if (message.type === "clear") sink?.clear?.(false);
    else if (message.type === "source") this.#addSource(message.source);
    else if (message.type === "site") this.#sites.add(String(message.name));
  }

  /** The sources that the cells have read from so far. */
  get sources(): readonly SourceRead[] {
    return [...this.#sources.values()];
  }

  /** Names of the sites that the cells have requested. */
  get sites(): readonly string[] {
    return [...this.#sites];
  }

  #addSource(source: SourceRead): void {
    const { origin, generation, read_at } = source;
    const key = JSON.stringify([origin.kind, origin.name, generation]);
    const cached = this.#sources.get(key);
    if (!cached || read_at < cached.read_at) this.#sources.set(key, source);
  }

  /** Ends the process at any time. */
  close(): void {
    this.#child.kill("SIGKILL");
  }
}

/** The error of a process that ended before it was ready, with the line of its output that contains its own error. */
function earlyExit(exit: ProcessExit, stderr: string): Error {
  const { code, signal } = exit;
  const lines = stderr.split("\n");
  const reason = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines[0];
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  return new Error(reason ? `${reason.trim()} (${how})` : how, { cause: stderr });
}

/** Collects stderr of a child until it is ready, to explain a failed start. */
function collect(child: ChildProcess): () => string {
  let text = "";
  const add = (chunk: string) => {
    text += chunk;
  };
  child.stderr?.on("data", add);
  child.once("message", () => child.stderr?.off("data", add));
  return () => text.trim();
}

/** Results whose pictures are painted while later cells run. */
class LatePictures {
  readonly #painting: Promise<void>[] = [];

  /** Paints the pictures of an output, which then replace it. */
  add(output: ResultOutput, { pictures }: Pick<UnpaintedBundle, "pictures">, outputs: CellOutputs): void {
    if (pictures.length === 0) return;
    const painted = paintedOrTold({ bundle: output.data, pictures });
    this.#painting.push(painted.then((data) => outputs.replace(output, { ...output, data })));
  }

  /** Resolves when all pictures are painted. */
  async painted(): Promise<void> {
    await Promise.all(this.#painting);
  }
}

/** As for a figure that fails to display: the bundle contains the reason. */
async function paintedOrTold(unpainted: UnpaintedBundle): Promise<MimeBundle> {
  try {
    return await paintBundle(unpainted, paint);
  } catch (error) {
    return { "text/plain": `[could not show itself: ${reasonOf(error)}]\n${unpainted.bundle["text/plain"]}` };
  }
}

/** Options of `runNotebook`. */
export interface RunNotebookOptions {
  /** Working directory of the cells, which also resolves modules. Default: the notebook's folder, else the current directory. */
  readonly cwd?: string;
  /** Values for the notebook's variables. See `injectParameters`. */
  readonly parameters?: Parameters;
  /** Maximum time for one cell, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number;
  /** Added to the environment of the cells. */
  readonly env?: Readonly<Record<string, string>>;
  /** Language engine of the cells. Default: typescript. */
  readonly engine?: EngineName;
  /** Called before each code cell, and at the end. */
  readonly onProgress?: (progress: NotebookProgress) => void;
  /** Called with the output of cells to `stdout` and `stderr`, as it is written. */
  readonly onStream?: (name: "stdout" | "stderr", text: string) => void;
  readonly now?: () => Date;
}

/** Progress of a run: `done` of `total` code cells. */
export interface NotebookProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * Runs a notebook from top to bottom in a separate process, and stops at the first error, unless its cell is tagged
 * `raises-exception`.
 *
 * @param input the path of a notebook, or a notebook
 * @returns the notebook with its outputs, and `metadata.siteframe` about the run; the input is not changed
 * @throws NotebookRunError if a cell fails, times out or ends its process; ArgumentError and NotebookFormatError
 *   for an invalid notebook or invalid parameters; see `chooseEngine` for an engine that is not installed
 */
export async function runNotebook(input: string | Notebook, options: RunNotebookOptions = {}): Promise<Notebook> {
  const {
    parameters = {},
    timeoutMs = Number.POSITIVE_INFINITY,
    env = {},
    engine: requested = engineNames[0],
    onProgress = () => undefined,
    onStream = () => undefined,
  } = options;
  const executedAt = (options.now ?? (() => new Date()))();
  const cwd = options.cwd ?? (typeof input === "string" ? dirname(resolve(input)) : process.cwd());
  const name = typeof input === "string" ? input : "The notebook";
  const notebook = injectParameters(typeof input === "string" ? await readNotebook(input) : input, parameters);
  const { engine } = chooseEngine(requested);
  const cellProcess = await CellProcess.start({ cwd, env, engine: requested, cells: plannedCells(notebook) });
  try {
    return await runCells(notebook, { name, engine, cellProcess, timeoutMs, onProgress, onStream, executedAt });
  } finally {
    cellProcess.close();
  }
}

interface Run {
  readonly name: string;
  readonly engine: EngineName;
  readonly cellProcess: CellProcess;
  readonly timeoutMs: number;
  readonly onProgress: (progress: NotebookProgress) => void;
  readonly onStream: StreamListener;
  readonly executedAt: Date;
}

async function runCells(
  notebook: Notebook,
  { name, engine, cellProcess, timeoutMs, onProgress, onStream, executedAt }: Run,
): Promise<Notebook> {
  const collector = new OutputCollector(onStream);
  const late = new LatePictures();
  const cells: Cell[] = notebook.cells.map((cell) => (cell.cell_type === "code" ? cleared(cell) : cell));
  const executed = (): Notebook => ({
    ...notebook,
    cells,
    metadata: {
      language_info: languageInfo(engine),
      ...notebook.metadata,
      siteframe: runRecord(executedAt, cellProcess.sources, cellProcess.sites),
    },
  });
  const planned = plannedCells(notebook);
  const total = planned.length;
  let done = 0;

  for (const [index, cell] of cells.entries()) {
    const next = planned[done];
    if (next === undefined || !runs(cell)) continue;
    onProgress({ done, total });
    const count = ++done;
    const outputs = collector.startCell();
    cells[index] = { ...cell, execution_count: count, outputs: outputs.outputs };
    const end = await cellProcess.execute(next, outputs, timeoutMs);
    const output = endOutput(end, count, timeoutMs);
    if (output) outputs.add(output);
    if (output?.output_type === "execute_result") late.add(output, { pictures: picturesOf(end) }, outputs);
    if (output?.output_type === "error" && !mayFail(cell, end)) {
      await late.painted();
      const message = `${name}: cell [${count}] failed: ${output.ename}: ${output.evalue}`;
      throw new NotebookRunError(message, failure(end, executed(), index, cell.source));
    }
  }
  await late.painted();
  onProgress({ done, total });
  return executed();
}

function runs(cell: Cell): cell is CodeCell {
  return cell.cell_type === "code" && cell.source.trim() !== "";
}

function plannedCells({ cells }: Notebook): readonly PlannedCell[] {
  return cells.filter(runs).map(({ source }, index) => ({ code: source, name: `Cell ${index + 1}` }));
}

/** As in Jupyter, the tag allows an error, but not the end of the process or a timeout. */
function mayFail(cell: Cell, end: CellEnd): boolean {
  return end.type === "outcome" && cellTags(cell).includes("raises-exception");
}

function cleared(cell: CodeCell): CodeCell {
  return { ...cell, execution_count: null, outputs: [] };
}

/** The additional output for the end of a cell. */
function endOutput(end: CellEnd, execution_count: number, timeoutMs: number): Output | undefined {
  if (end.type === "timeout") return errorOutput(timeoutError(timeoutMs));
  if (end.type === "exit") return errorOutput(exitError(end.code, end.signal));
  const { outcome } = end;
  if (outcome.status === "error") return errorOutput(outcome.error);
  if (!outcome.result) return undefined;
  return { output_type: "execute_result", data: outcome.result, metadata: {}, execution_count };
}

function picturesOf(end: CellEnd): readonly Picture[] {
  return end.type === "outcome" && end.outcome.status === "ok" ? (end.outcome.pictures ?? []) : [];
}

function errorOutput(error: CellError): Output {
  const { ename, evalue } = error;
  return { output_type: "error", ename, evalue, traceback: colouredTraceback(error) };
}

function failure(end: CellEnd, notebook: Notebook, cellIndex: number, source: string): NotebookFailure {
  const error = end.type === "outcome" && end.outcome.status === "error" ? end.outcome.error : undefined;
  const excerpt =
    error?.line !== undefined
      ? sourceExcerpt(source, { line: error.line, column: error.column ?? 1 }, 3)
      : source.split("\n");
  return { reason: end.type === "outcome" ? "error" : end.type, notebook, cellIndex, excerpt, hint: error?.hint };
}
