import type { MimeBundle, Picture } from "../../../tables/display/mime-bundle.js";

/** Runs the cells of one notebook and answers requests about them. State persists from cell to cell. */
export interface LanguageEngine {
  /**
   * Announces the cells that will run, in order, so that their imports can be loaded before the first one runs and each
   * cell can be checked while earlier ones run. Outcomes are the same as without it. Resolves when everything is
   * loaded.
   *
   * @param loadMore loads other modules that cells will need; never rejects
   */
  prepare(cells: readonly PlannedCell[], loadMore: () => Promise<void>): Promise<void>;
  /** Runs one cell. Never rejects: errors of the cell are an outcome. One cell at a time. */
  execute(code: string, options: ExecuteOptions): Promise<Outcome>;
  /** Returns completions at `offset`, counted in UTF-16 units from the start of the cell. */
  complete(code: string, offset: number): Promise<Completion>;
  /** Describes the name at `offset`, otherwise the function whose arguments are at `offset`. */
  inspect(code: string, offset: number): Promise<Inspection | undefined>;
  /** Returns whether the cell is complete. */
  isComplete(code: string): Promise<Completeness>;
  /** Forgets every variable and type of earlier cells. */
  reset(): void;
  /** Restores streams and globals, and closes file watchers. */
  close(): void;
}

/** A cell that will run unless an earlier one fails. */
export interface PlannedCell {
  readonly code: string;
  /** See `ExecuteOptions`. */
  readonly name: string;
}

/**
 * The half of an engine that checks and compiles cells. It has no access to their values, so it can run in a different
 * thread.
 */
export interface CellLanguage extends ModuleSource {
  /** Checks and compiles a cell. Later cells see its names unless `keep` is false. One cell at a time. */
  compile(code: string, name: string, options?: { readonly keep?: boolean }): Awaitable<Compilation>;
  /**
   * See `LanguageEngine`. Without it, each cell is compiled in its turn. Resolves when the compiler has the first cell
   * that imports something or uses a package's preloaded name, which takes a while, or when no work can be done ahead.
   */
  prepare?(cells: readonly PlannedCell[]): Promise<void>;
  /** See `LanguageEngine`. */
  complete(code: string, offset: number): Awaitable<Completion>;
  /** See `LanguageEngine`. */
  inspect(code: string, offset: number): Awaitable<Inspection | undefined>;
  /** See `LanguageEngine`. */
  isComplete(code: string): Awaitable<Completeness>;
  /** Warnings to show before the first cell, one sentence each, for example errors in `tsconfig.json`. */
  warnings(): Awaitable<readonly string[]>;
  /** Rejects the current and queued requests with InterruptError. */
  interrupt(): Awaitable<void>;
  /** Reverts a cell that was compiled but did not run: its names have their earlier meaning again. */
  retract(name: string): Awaitable<void>;
  /** The state for a replacement, if the compiler runs in a thread that an interrupt ends. */
  readonly state?: string;
  /** Forgets every type of earlier cells. */
  reset(): void;
  close(): void;
}

/** The result of compiling a cell. */
export type Compilation =
  | { readonly status: "ok"; readonly cell: CompiledCell }
  | { readonly status: "error"; readonly error: CellError };

/** A cell without errors, ready to run. Plain data that can be sent to another thread. */
export interface CompiledCell {
  readonly name: string;
  /** The user's code. */
  readonly code: string;
  /** See `wrapScript`. */
  readonly script: string;
  /** Maps from the script to the cell, step by step: JSON, or code that ends with a map. */
  readonly sourceMaps: readonly string[];
  /** Number of lines before the cell in the code that the last map leads to. */
  readonly linesBefore: number;
  /** Declared names that could not be read if the cell failed before setting them. */
  readonly names: readonly string[];
  /** The name in `exports` that holds the value of the script's last expression. */
  readonly resultName: string | undefined;
}

export interface ExecuteOptions {
  readonly sink: CellSink;
  /** The cell's name in errors, for example `Cell 3`. Default: a count. */
  readonly name?: string;
  /** Stops waiting for the cell. A loop without `await` must be stopped from another thread. */
  readonly signal?: AbortSignal;
}

/** Receives a cell's output in order. */
export interface CellSink {
  /** True if it renders pictures in results itself. See `Outcome`. */
  readonly paints?: boolean;
  stream(name: "stdout" | "stderr", text: string): void;
  display(bundle: MimeBundle, target?: DisplayTarget): void;
  /** Removes the output so far, or with `wait` when the next output arrives. */
  clear?(wait: boolean): void;
  /** Shows a value in the pager of the notebook. */
  page?(bundle: MimeBundle): void;
  /** Asks the user for a line. Rejects if no user is available. */
  input?(question: Question): Promise<string>;
}

/** A cell's question to the user. */
export interface Question {
  readonly prompt: string;
  /** True if the input must be hidden. */
  readonly password: boolean;
}

/** Names a display so that it can be replaced. */
export interface DisplayTarget {
  readonly id: string;
  /** True: replaces the displays with that id. False: shows a new one. */
  readonly update: boolean;
}

/**
 * How a cell ended. `result` is the value of its last expression, unless that is undefined; `pictures` are the parts to
 * be rendered: see `paintBundle`. `hasRun` is false if the cell ended before its first statement: then it has declared
 * nothing.
 */
export type Outcome =
  | { readonly status: "ok"; readonly result?: MimeBundle; readonly pictures?: readonly Picture[] }
  | { readonly status: "error"; readonly error: CellError; readonly hasRun?: false };

/**
 * An error as Jupyter shows it. `line` and `column` count from 1 and refer to the cell that ran, if the error is in it.
 */
export interface CellError {
  readonly ename: string;
  readonly evalue: string;
  /** How to fix it, if available; also part of the traceback. */
  readonly hint?: string;
  readonly traceback: readonly string[];
  readonly line?: number;
  readonly column?: number;
}

/** `matches` can replace the text from `start` to `end`. */
export interface Completion {
  readonly matches: readonly string[];
  /** Kinds of the matches, in order. Absent if the engine has none. */
  readonly kinds?: readonly CompletionKind[];
  readonly start: number;
  readonly end: number;
}

export interface Inspection {
  readonly signature: string;
  readonly documentation: string;
}

/** `invalid`: no further line can complete it. */
export type Completeness =
  | { readonly status: "complete" | "invalid" }
  | { readonly status: "incomplete"; readonly indent: string };

/** A local file that a module specifier leads to. */
export interface LocalFile {
  readonly path: string;
  /** Node itself loads `javascript`. */
  readonly kind: "typescript" | "json" | "javascript";
}

/** A TypeScript file that is ready to run. Plain data that can be sent to another thread. */
export interface CompiledModule {
  readonly path: string;
  /** See `fileVersion`. */
  readonly version: string | undefined;
  readonly code: string;
  /** See `wrapScript`. */
  readonly script: string;
  /** Maps from the script to the file, step by step, as JSON. */
  readonly sourceMaps: readonly string[];
}

/** The result of compiling a file. */
export type ModuleCompilation =
  | { readonly status: "ok"; readonly module: CompiledModule }
  | { readonly status: "error"; readonly message: string };

/** Finds and compiles modules to run. */
export interface ModuleSource {
  /** The local file that `specifier` leads to from the file `from`, if any. */
  findModule(specifier: string, from: string): Awaitable<LocalFile | undefined>;
  compileModule(path: string): Awaitable<ModuleCompilation>;
}

/** A value, or a promise of it. */
type Awaitable<Value> = Value | Promise<Value>;

/** Kinds of completions: Jupyter's names as in ipykernel, and VS Code's for kinds that Python lacks. */
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

/** A script that runs or has run, with the maps to the user's code. Plain data. */
export interface SourceText {
  /** Its name in stack frames. */
  readonly name: string;
  /** The file of a local module. */
  readonly path?: string;
  readonly code: string;
  /** See `CompiledCell`. */
  readonly sourceMaps: readonly string[];
  readonly linesBefore: number;
}
