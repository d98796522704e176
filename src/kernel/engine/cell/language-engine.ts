import type { MimeBundle, Picture } from "../../../tables/display/mime-bundle.js";

/** Runs the cells of one notebook and answers questions about them. State lives from cell to cell. */
export interface LanguageEngine {
  /**
   * Says which cells will run, in their order, so that what they import can be loaded before the first of them runs, and
   * each be checked while those before it run. What becomes of each cell stays as it is without. Resolves when all is loaded.
   *
   * @param loadMore loads what else cells will need; never rejects
   */
  prepare(cells: readonly PlannedCell[], loadMore: () => Promise<void>): Promise<void>;
  /** Runs one cell. Never rejects: what goes wrong in the cell is an outcome. One cell at a time. */
  execute(code: string, options: ExecuteOptions): Promise<Outcome>;
  /** What could stand at `offset`, counted in UTF-16 units from the start of the cell. */
  complete(code: string, offset: number): Promise<Completion>;
  /** What stands at `offset`, if it has a name; else the function whose arguments stand there. */
  inspect(code: string, offset: number): Promise<Inspection | undefined>;
  /** Whether the cell is ready to run or wants more lines. */
  isComplete(code: string): Promise<Completeness>;
  /** Forgets every variable and type of earlier cells. */
  reset(): void;
  /** Gives back streams, globals and file watchers. */
  close(): void;
}

/** A cell that will run, unless one before it fails. */
export interface PlannedCell {
  readonly code: string;
  /** See `ExecuteOptions`. */
  readonly name: string;
}

/**
 * The half of an engine that understands cells. It knows nothing of their values, so that it can live in another
 * thread than the one that runs them.
 */
export interface CellLanguage extends ModuleSource {
  /** Checks and compiles a cell. Later cells know its names, unless `keep` is false. One cell at a time. */
  compile(code: string, name: string, options?: { readonly keep?: boolean }): Awaitable<Compilation>;
  /**
   * See `LanguageEngine`; where there is none, each cell is compiled when its turn has come. Resolves when the compiler has
   * the first cell that imports something or uses a package's ready-made name, which takes it a while, or when nothing can
   * be done ahead.
   */
  prepare?(cells: readonly PlannedCell[]): Promise<void>;
  /** See `LanguageEngine`. */
  complete(code: string, offset: number): Awaitable<Completion>;
  /** See `LanguageEngine`. */
  inspect(code: string, offset: number): Awaitable<Inspection | undefined>;
  /** See `LanguageEngine`. */
  isComplete(code: string): Awaitable<Completeness>;
  /** What the user should know before the first cell, a sentence each: what is wrong with `tsconfig.json`. */
  warnings(): Awaitable<readonly string[]>;
  /** Rejects the current request, and requests that wait for their turn, with InterruptError. */
  interrupt(): Awaitable<void>;
  /** Takes back a cell that was compiled and did not run: its names mean what they meant before. */
  retract(name: string): Awaitable<void>;
  /** What its replacement must be created with, if it runs in a thread that an interrupt ends. */
  readonly state?: string;
  /** Forgets every type of earlier cells. */
  reset(): void;
  close(): void;
}

/** What became of a cell before it runs. */
export type Compilation =
  | { readonly status: "ok"; readonly cell: CompiledCell }
  | { readonly status: "error"; readonly error: CellError };

/** A cell without errors, ready to run. Plain data, so that it can be sent to another thread. */
export interface CompiledCell {
  readonly name: string;
  /** What the user wrote. */
  readonly code: string;
  /** See `wrapScript`. */
  readonly script: string;
  /** From the script back to the cell, step by step: maps as JSON, or code that ends with one. */
  readonly sourceMaps: readonly string[];
  /** How many lines stand before the cell in what the last map leads to. */
  readonly linesBefore: number;
  /** What it declares that could not be read if the cell failed before it was set. */
  readonly names: readonly string[];
  /** The name in `exports` under which the script leaves the value of its last expression. */
  readonly resultName: string | undefined;
}

export interface ExecuteOptions {
  readonly sink: CellSink;
  /** What the cell is called in errors, for example `Cell 3`. By default the engine counts. */
  readonly name?: string;
  /** Stops waiting for the cell. A loop that never awaits must be stopped from another thread. */
  readonly signal?: AbortSignal;
}

/** Where a cell's output goes, in the order in which the cell made it. */
export interface CellSink {
  /** True if it paints the pictures of results itself. See `Outcome`. */
  readonly paints?: boolean;
  stream(name: "stdout" | "stderr", text: string): void;
  display(bundle: MimeBundle, target?: DisplayTarget): void;
  /** Removes the output so far; with `wait`, when the next output comes. */
  clear?(wait: boolean): void;
  /** Shows something beside the notebook. */
  page?(bundle: MimeBundle): void;
  /** Asks the user for a line. Rejects if there is no user. */
  input?(question: Question): Promise<string>;
}

/** What a cell asks its user. */
export interface Question {
  readonly prompt: string;
  /** True if the answer must not be seen. */
  readonly password: boolean;
}

/** Names a display so that it can be replaced later. */
export interface DisplayTarget {
  readonly id: string;
  /** True: replace the displays of that id. False: show a new one. */
  readonly update: boolean;
}

/**
 * How a cell ended. `result` is the value of its last expression, unless that is undefined; `pictures` is what is still
 * to be painted in it: see `paintBundle`. `hasRun` is false if the cell ended before its first statement: then it has
 * declared nothing.
 */
export type Outcome =
  | { readonly status: "ok"; readonly result?: MimeBundle; readonly pictures?: readonly Picture[] }
  | { readonly status: "error"; readonly error: CellError; readonly hasRun?: false };

/** An error as Jupyter shows it. `line` and `column` count from 1 in the cell that ran, if it is to blame. */
export interface CellError {
  readonly ename: string;
  readonly evalue: string;
  /** What to do about it, if the error says; it stands in the traceback, too. */
  readonly hint?: string;
  readonly traceback: readonly string[];
  readonly line?: number;
  readonly column?: number;
}

/** `matches` may replace the text from `start` to `end`. */
export interface Completion {
  readonly matches: readonly string[];
  /** What each match is, in their order. An engine that does not know leaves it out. */
  readonly kinds?: readonly CompletionKind[];
  readonly start: number;
  readonly end: number;
}

export interface Inspection {
  readonly signature: string;
  readonly documentation: string;
}

/** `invalid`: no further line can make it right. */
export type Completeness =
  | { readonly status: "complete" | "invalid" }
  | { readonly status: "incomplete"; readonly indent: string };

/** A file beside a notebook that a module specifier stands for. */
export interface LocalFile {
  readonly path: string;
  /** `javascript` is loaded by Node itself. */
  readonly kind: "typescript" | "json" | "javascript";
}

/** A TypeScript file that is ready to run. Plain data, so that it can be sent to another thread. */
export interface CompiledModule {
  readonly path: string;
  /** See `fileVersion`. */
  readonly version: string | undefined;
  readonly code: string;
  /** See `wrapScript`. */
  readonly script: string;
  /** From the script back to the file, step by step, as JSON. */
  readonly sourceMaps: readonly string[];
}

/** What became of a file before it runs. */
export type ModuleCompilation =
  | { readonly status: "ok"; readonly module: CompiledModule }
  | { readonly status: "error"; readonly message: string };

/** Finds and compiles modules for those who run them. */
export interface ModuleSource {
  /** What `specifier` means in the file `from`, if it is a local file. */
  findModule(specifier: string, from: string): Awaitable<LocalFile | undefined>;
  compileModule(path: string): Awaitable<ModuleCompilation>;
}

/** A value, or a promise of it. */
type Awaitable<Value> = Value | Promise<Value>;

/** What is offered: Jupyter's words, as ipykernel has them, and VS Code's where Python has no such thing. */
export type CompletionKind =
  | "class"
  | "enum"
  | "enumMember"
  | "function"
  | "instance"
  | "interface"
  | "keyword"
  | "method"
  | "module"
  | "path"
  | "property"
  | "text"
  | "typeParameter"
  | "<unknown>";

/** A script that runs, or has run, and what leads back to what the user wrote. Plain data. */
export interface SourceText {
  /** What its stack frames bear. */
  readonly name: string;
  /** Of a local module: its file. */
  readonly path?: string;
  readonly code: string;
  /** See `CompiledCell`. */
  readonly sourceMaps: readonly string[];
  readonly linesBefore: number;
}
