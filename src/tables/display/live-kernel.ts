import type { MimeBundle } from "./mime-bundle.js";

type Data = Readonly<Record<string, unknown>>;

/** A message through a comm. */
export interface CommMessage {
  readonly data: unknown;
  readonly metadata: Data;
  readonly buffers: readonly Uint8Array[];
}

/** Extras of a message through a comm. */
export interface CommExtras {
  readonly metadata?: Data;
  readonly buffers?: readonly Uint8Array[];
}

/** A connection between an object in the notebook's page and one in the kernel. */
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
  /** Opens a comm to the object that the page registered as `target`. */
  open(target: string, data?: unknown, extras?: CommExtras): Comm;
  /** Accepts comms that the page opens to `target`. Without it, they are closed at once. */
  register(target: string, onOpen: (comm: Comm, message: CommMessage) => unknown): void;
}

/** Receives the printed and displayed outputs of a callback, in order. */
export interface CallbackSink {
  stream(name: "stdout" | "stderr", text: string): void;
  display(bundle: MimeBundle): void;
  clear(wait: boolean): void;
}

/** The end of a callback. Errors are formatted as in a cell, with the lines of the cells on the stack. */
export type CallbackEnd =
  | { readonly status: "ok" }
  | { readonly status: "error"; readonly error: { readonly traceback: readonly string[] } };

/** Forwards questions about tables while the tables live, without interpreting them. */
export interface TableKeeper {
  /**
   * @param owner the table; it may still be garbage-collected
   * @param key distinguishes outputs of one table; for the same key, the newer one responds
   * @param answer returns JSON for a question; throws if it cannot
   * @returns the name that a question must contain
   */
  keep(owner: object, key: string, answer: (question: unknown) => unknown): string;
  /**
   * Returns the response to a message of an output, however it arrived; undefined for other messages. Older kernels
   * only receive messages through comms.
   */
  take?(message: unknown): unknown;
}

/** The kernel that runs this code. */
export interface LiveKernel {
  readonly comms: Comms;
  /** Provides rows that the outputs of tables do not contain. Missing in older kernels. */
  readonly tables?: TableKeeper;
  /**
   * Runs a callback as if it were a cell: an interrupt ends it, and its outputs go to `sink`.
   *
   * @param onEnd called once, even if an interrupt has ended the caller
   */
  callBack(callback: () => unknown, sink: CallbackSink, onEnd: (end: CallbackEnd) => void): void;
}

/** A global symbol, because cells may have another copy of this package than their kernel. */
const key = Symbol.for("siteframe.kernel");

/** The kernel in which this code runs; undefined in a script, and for a notebook without a page. */
export function liveKernel(): LiveKernel | undefined {
  return (globalThis as { readonly [key]?: LiveKernel })[key];
}

/** Registers a kernel for the code that its cells import. Returns a function that undoes it. */
export function announceKernel(kernel: LiveKernel): () => void {
  Object.defineProperty(globalThis, key, { value: kernel, configurable: true });
  return () => {
    Reflect.deleteProperty(globalThis, key);
  };
}
