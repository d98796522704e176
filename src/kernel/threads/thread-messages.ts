import type { MessagePort } from "node:worker_threads";
import type { MimeBundle } from "../../tables/display/mime-bundle.js";
import type { EngineName } from "../engine/cell/engine-name.js";
import type { CompiledCell, DisplayTarget, Outcome, Question } from "../engine/cell/language-engine.js";

/** Something that a cell shows. */
export type CellOutput =
  | { readonly type: "stream"; readonly name: "stdout" | "stderr"; readonly text: string }
  | { readonly type: "display"; readonly bundle: MimeBundle; readonly target: DisplayTarget | undefined }
  | { readonly type: "clear"; readonly wait: boolean }
  | { readonly type: "page"; readonly bundle: MimeBundle };

/** What happens to a comm, a line between an object in the notebook's page and one in the kernel. */
export interface CommEvent {
  readonly type: "comm_open" | "comm_msg" | "comm_close";
  readonly comm_id: string;
  /** With `comm_open`. */
  readonly target_name?: string;
  readonly data: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly buffers: readonly Uint8Array[];
}

/** To the thread that runs cells. `run` numbers the runs; each is answered by one `outcome`. */
export type ToRunner =
  /** First of all: the sockets are open. */
  | { readonly type: "listening" }
  /** Modules that a cell will use. Answered by `loaded` when all that can be loaded have been. */
  | { readonly type: "load"; readonly load: number; readonly modules: readonly string[] }
  | { readonly type: "run"; readonly run: number; readonly cell: CompiledCell }
  | { readonly type: "interrupt"; readonly attempt: number }
  | { readonly type: "answer"; readonly question: number; readonly text: string }
  | { readonly type: "refusal"; readonly question: number }
  | { readonly type: "comm"; readonly run: number; readonly event: CommEvent }
  | { readonly type: "names"; readonly question: number; readonly asked: LiveQuestion }
  /** Nothing has run for a while. */
  | { readonly type: "rest" }
  /** See `takeSignals`. */
  | { readonly type: "signals"; readonly words: SharedArrayBuffer }
  | { readonly type: "exit" };

/** From the thread that runs cells. `run` says which cell, also long after its end. */
export type FromRunner =
  /** First of all: where to listen, what understands the cells, and the line to the compiler. */
  | {
      readonly type: "begin";
      readonly connectionFile: string;
      /** What the user wants, which may not be installed, and what is taken. */
      readonly wanted: EngineName;
      readonly engine: EngineName;
      /** Where cells ask the compiler. */
      readonly compilerLine: MessagePort;
    }
  /** It has begun to take messages. */
  | { readonly type: "ready" }
  | { readonly type: "loaded"; readonly load: number }
  | { readonly type: "output"; readonly run: number; readonly output: CellOutput }
  | { readonly type: "outcome"; readonly run: number; readonly outcome: Outcome }
  | { readonly type: "interrupted"; readonly attempt: number }
  | { readonly type: "question"; readonly run: number; readonly question: number; readonly asked: Question }
  | { readonly type: "comm"; readonly run: number | undefined; readonly event: CommEvent }
  | { readonly type: "commTarget"; readonly name: string }
  | { readonly type: "commHandled"; readonly run: number }
  /** SIGINT came. */
  | { readonly type: "signal" }
  | { readonly type: "names"; readonly question: number; readonly found: readonly string[] }
  /** Last of all: the process ends. See `ExitLatch`. */
  | { readonly type: "leaving" };

/** What the thread that owns the sockets is started with. */
export interface SocketThreadData {
  /** See `OutputThrottle`. */
  readonly throttle: SharedArrayBuffer;
  /** See `ExitLatch`. */
  readonly exitLatch: SharedArrayBuffer;
}

/** What the cells are asked for about values that live in their session. Plain data. */
export interface LiveQuestion {
  /** Paths to what may be tables, such as `["layer", "table"]`. */
  readonly tables: readonly (readonly string[])[];
  /** Columns that calls will add. */
  readonly added?: readonly string[];
  /** Whether columns of rows are asked: those of a history are those of its answers. */
  readonly isRow?: boolean;
  /** The column whose values are wanted; else the names of columns are. */
  readonly column?: string;
  /** The same, if a table has a column of this name. */
  readonly key?: string;
}

/** The comm target that outputs of tables ask; see decision 9. Both threads know it: a page asks before cells can run. */
export const tableTarget = "siteframe.table";
