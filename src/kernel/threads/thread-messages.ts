import type { MessagePort } from "node:worker_threads";
import type { MimeBundle } from "../../tables/display/mime-bundle.js";
import type { EngineName } from "../engine/cell/engine-name.js";
import type { CompiledCell, DisplayTarget, Outcome, Question } from "../engine/cell/language-engine.js";

/** An output of a cell. */
export type CellOutput =
  | { readonly type: "stream"; readonly name: "stdout" | "stderr"; readonly text: string }
  | { readonly type: "display"; readonly bundle: MimeBundle; readonly target: DisplayTarget | undefined }
  | { readonly type: "clear"; readonly wait: boolean }
  | { readonly type: "page"; readonly bundle: MimeBundle };

/** An event of a comm, a connection between an object in the notebook's page and one in the kernel. */
export interface CommEvent {
  readonly type: "comm_open" | "comm_msg" | "comm_close";
  readonly comm_id: string;
  /** With `comm_open`. */
  readonly target_name?: string;
  readonly data: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly buffers: readonly Uint8Array[];
}

/** Messages to the thread that runs cells. `run` numbers the runs; each gets one `outcome`. */
export type ToRunner =
  /** First message: the sockets are open. */
  | { readonly type: "listening" }
  /** Modules that a cell will use. Answered by `loaded` when all available modules have been loaded. */
  | { readonly type: "load"; readonly load: number; readonly modules: readonly string[] }
  | { readonly type: "run"; readonly run: number; readonly cell: CompiledCell }
  | { readonly type: "interrupt"; readonly attempt: number }
  | { readonly type: "answer"; readonly question: number; readonly text: string }
  | { readonly type: "refusal"; readonly question: number }
  | { readonly type: "comm"; readonly run: number; readonly event: CommEvent }
  | { readonly type: "names"; readonly question: number; readonly query: CompletionQuery }
  /** The thread has been idle for a while. */
  | { readonly type: "rest" }
  /** See `takeSignals`. */
  | { readonly type: "signals"; readonly words: SharedArrayBuffer }
  | { readonly type: "exit" };

/** Messages from the thread that runs cells. `run` identifies the cell, including after its end. */
export type FromRunner =
  /** First message: the connection file, the engine, and the port of the compiler. */
  | {
      readonly type: "begin";
      readonly connectionFile: string;
      /** The requested engine, which may be missing, and the chosen engine. */
      readonly requested: EngineName;
      readonly engine: EngineName;
      /** The port through which cells call the compiler. */
      readonly compilerLine: MessagePort;
    }
  /** It handles messages from now on. */
  | { readonly type: "ready" }
  | { readonly type: "loaded"; readonly load: number }
  | { readonly type: "output"; readonly run: number; readonly output: CellOutput }
  | { readonly type: "outcome"; readonly run: number; readonly outcome: Outcome }
  | { readonly type: "interrupted"; readonly attempt: number }
  | { readonly type: "question"; readonly run: number; readonly question: number; readonly prompt: Question }
  | { readonly type: "comm"; readonly run: number | undefined; readonly event: CommEvent }
  | { readonly type: "commTarget"; readonly name: string }
  | { readonly type: "commHandled"; readonly run: number }
  /** SIGINT arrived. */
  | { readonly type: "signal" }
  | { readonly type: "names"; readonly question: number; readonly names: readonly string[] }
  /** Last message: the process ends. See `ExitLatch`. */
  | { readonly type: "leaving" };

/** Initial data of the thread that owns the sockets. */
export interface SocketThreadData {
  /** See `OutputThrottle`. */
  readonly throttle: SharedArrayBuffer;
  /** See `ExitLatch`. */
  readonly exitLatch: SharedArrayBuffer;
}

/** A request about values in the session of the cells. Plain data. */
export interface CompletionQuery {
  /** Paths to what may be tables, such as `["layer", "table"]`. */
  readonly tables: readonly (readonly string[])[];
  /** Columns that calls will add. */
  readonly added?: readonly string[];
  /** Whether columns of rows are requested: for a history, these are the columns of its results. */
  readonly isRow?: boolean;
  /** The column whose values are requested; if absent, names of columns are. */
  readonly column?: string;
  /** The same, if a table has a column with this name. */
  readonly key?: string;
}

/**
 * The comm target for requests of table outputs; see decision 9. Defined for both threads: a page may send requests
 * before cells can run.
 */
export const tableTarget = "siteframe.table";
