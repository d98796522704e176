import type { MimeBundle } from "./mime-bundle.js";

type Data = Readonly<Record<string, unknown>>;

/** A message that came through a comm. */
export interface CommMessage {
  readonly data: unknown;
  readonly metadata: Data;
  readonly buffers: readonly Uint8Array[];
}

/** What goes with a message through a comm. */
export interface CommExtras {
  readonly metadata?: Data;
  readonly buffers?: readonly Uint8Array[];
}

/** A line between an object in the notebook's page and one in the kernel. */
export interface Comm {
  readonly id: string;
  readonly target: string;
  send(data: unknown, extras?: CommExtras): void;
  close(data?: unknown): void;
  /** The kernel is busy until a promise that it returns has settled. */
  onMessage: ((message: CommMessage) => unknown) | undefined;
  onClose: ((message: CommMessage) => unknown) | undefined;
}

/** The comms of a kernel. */
export interface Comms {
  /** Opens a comm to an object that the page knows as `target`. */
  open(target: string, data?: unknown, extras?: CommExtras): Comm;
  /** Takes comms that the page opens to `target`. Until then they are closed at once. */
  register(target: string, onOpen: (comm: Comm, message: CommMessage) => unknown): void;
}

/** Takes what a callback prints and shows, in its order. */
export interface CallbackSink {
  stream(name: "stdout" | "stderr", text: string): void;
  display(bundle: MimeBundle): void;
  clear(wait: boolean): void;
}

/** How a callback ended. An error is as a cell shows it, with the lines of the cells that it came through. */
export type CallbackEnd =
  | { readonly status: "ok" }
  | { readonly status: "error"; readonly error: { readonly traceback: readonly string[] } };

/** Passes on questions about tables for as long as those live, and knows nothing of what they say. */
export interface TableKeeper {
  /**
   * @param owner the table; it is not kept from being forgotten
   * @param key tells different outputs of one table from each other; with the same key the newer one answers
   * @param answer answers a question with JSON; throws where it cannot
   * @returns the name that a question must know
   */
  keep(owner: object, key: string, answer: (question: unknown) => unknown): string;
  /**
   * What is answered to a message of an output, however it came here; undefined to what is none. An older kernel takes
   * messages through comms only.
   */
  take?(message: unknown): unknown;
}

/** The kernel in which this code runs. */
export interface LiveKernel {
  readonly comms: Comms;
  /** Gives rows that the outputs of tables do not hold. An older kernel has none. */
  readonly tables?: TableKeeper;
  /**
   * Runs a callback as if it were a cell: an interrupt ends it, and what it prints and shows goes to `sink`.
   *
   * @param onEnd called once, also when an interrupt has torn down whoever called
   */
  callBack(callback: () => unknown, sink: CallbackSink, onEnd: (end: CallbackEnd) => void): void;
}

/** Of a registry of symbols, because cells may have another copy of this package than their kernel. */
const key = Symbol.for("siteframe.kernel");

/** The kernel in which this code runs; undefined in a script, and where a notebook runs without a page. */
export function liveKernel(): LiveKernel | undefined {
  return (globalThis as { readonly [key]?: LiveKernel })[key];
}

/** Makes a kernel known to the code that its cells import. Returns the way back. */
export function announceKernel(kernel: LiveKernel): () => void {
  Object.defineProperty(globalThis, key, { value: kernel, configurable: true });
  return () => {
    Reflect.deleteProperty(globalThis, key);
  };
}
