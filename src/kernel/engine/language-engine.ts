import type { MimeBundle } from "../../display/mime-bundle.js";

/** Runs the cells of one notebook and answers questions about them. State lives from cell to cell. */
export interface LanguageEngine {
  /** Runs one cell. Never rejects: what goes wrong in the cell is an outcome. One cell at a time. */
  execute(code: string, options: ExecuteOptions): Promise<Outcome>;
  /** What could stand at `offset`, counted in UTF-16 units from the start of the cell. */
  complete(code: string, offset: number): Promise<Completion>;
  /** What stands at `offset`, if it has a name. */
  inspect(code: string, offset: number): Promise<Inspection | undefined>;
  /** Whether the cell is ready to run or wants more lines. */
  isComplete(code: string): Promise<Completeness>;
  /** Forgets every variable and type of earlier cells. */
  reset(): void;
  /** Gives back streams, globals and file watchers. */
  close(): void;
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
  stream(name: "stdout" | "stderr", text: string): void;
  display(bundle: MimeBundle, target?: DisplayTarget): void;
}

/** Names a display so that it can be replaced later. */
export interface DisplayTarget {
  readonly id: string;
  /** True: replace the displays of that id. False: show a new one. */
  readonly update: boolean;
}

/** How a cell ended. `result` is the value of its last expression, unless that is undefined. */
export type Outcome =
  | { readonly status: "ok"; readonly result?: MimeBundle }
  | { readonly status: "error"; readonly error: CellError };

/** An error as Jupyter shows it. `line` and `column` count from 1 in the cell that ran, if it is to blame. */
export interface CellError {
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
  readonly line?: number;
  readonly column?: number;
}

/** `matches` may replace the text from `start` to `end`. */
export interface Completion {
  readonly matches: readonly string[];
  readonly start: number;
  readonly end: number;
}

export interface Inspection {
  readonly signature: string;
  readonly documentation: string;
}

export type Completeness = { readonly status: "complete" } | { readonly status: "incomplete"; readonly indent: string };
