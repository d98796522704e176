import { randomUUID } from "node:crypto";
import { isMap, isProxy, isSet, isTypedArray } from "node:util/types";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readSafely, reasonOf } from "../../core/show-value.js";
import {
  announceKernel,
  type CallbackEnd,
  type CallbackSink,
  type Comm,
  type CommMessage,
  type Comms,
  type TableKeeper,
} from "../../tables/display/live-kernel.js";
import { interruptedBefore, interruptedError, NoInputError } from "../engine/cell/cell-errors.js";
import type { CellSink, CompiledCell, ModuleSource, Outcome } from "../engine/cell/language-engine.js";
import { readName, userNames } from "../engine/names/name-sharing.js";
import { CellRunner } from "../engine/run/cell-runner.js";
import { installGlobals } from "../engine/run/install-globals.js";
import { type DebugChannel, debugChannelName, type OutputThrottle } from "../threads/shared-memory.js";
import {
  type CellOutput,
  type CommEvent,
  type FromRunner,
  type ToRunner,
  tableTarget,
} from "../threads/thread-messages.js";
import { KernelComms } from "./kernel-comms.js";
import { sessionCompletions } from "./session-completions.js";

const VERSION = 1;

type Answer = Parameters<TableKeeper["keep"]>[2];

/** One output of a table. */
interface Kept {
  readonly name: string;
  answer: Answer;
}

/** Where to find a kept table. The table may already be collected. */
interface Place {
  readonly owner: WeakRef<object>;
  readonly key: string;
}

/** The parts of a message that this thread reads. */
type Said = Readonly<Record<string, unknown>>;

/**
 * Sends further rows of the tables that outputs of this session show, while those tables are alive. The last table
 * shown stays alive.
 */
export class LiveTables implements TableKeeper {
  /** Held weakly: a lazy result holds its table and must not keep the table alive. */
  readonly #kept = new WeakMap<object, Map<string, Kept>>();
  readonly #places = new Map<string, Place>();
  readonly #forgotten = new FinalizationRegistry<string>((name) => this.#places.delete(name));
  /** The last table shown: a cell that ends with a table seldom names it. */
  readonly #newest = new Set<object>();

  keep(owner: object, key: string, answer: Answer): string {
    this.#newest.clear();
    this.#newest.add(owner);
    const outputs = this.#kept.get(owner) ?? new Map<string, Kept>();
    this.#kept.set(owner, outputs);
    const existing = outputs.get(key);
    if (existing) {
      existing.answer = answer;
      return existing.name;
    }
    const name = randomUUID();
    outputs.set(key, { name, answer });
    this.#places.set(name, { owner: new WeakRef(owner), key });
    this.#forgotten.register(owner, name);
    return name;
  }

  /** Accepts the comms that outputs open. */
  listen(comms: Comms): void {
    comms.register(tableTarget, (comm, opened) => {
      this.#take(comm, opened);
      comm.onMessage = (message) => this.#take(comm, message);
    });
  }

  take(message: unknown): unknown {
    const request = saidIn(message);
    if (!request) return undefined;
    const { table, type, id } = request;
    const envelope = { siteframe: "table", version: VERSION, table };
    const answer = this.#answerOf(String(table));
    if (type === "hello") return { ...envelope, type: answer ? "hello" : "gone" };
    return type === "ask" ? { ...envelope, id, ...answered(answer, request) } : undefined;
  }

  #take(comm: Comm, { data }: CommMessage): void {
    const answer = this.take(data);
    if (answer !== undefined) comm.send(answer);
  }

  #answerOf(name: string): Answer | undefined {
    const place = this.#places.get(name);
    const owner = place?.owner.deref();
    return place && owner && this.#kept.get(owner)?.get(place.key)?.answer;
  }
}

function answered(answer: Answer | undefined, question: Said): Said {
  if (!answer) return { type: "gone" };
  try {
    return { ...Object(answer(question)), type: "answer" };
  } catch (error) {
    return { type: "refusal", text: reasonOf(error) };
  }
}

/** A message of the supported protocol version. */
function saidIn(data: unknown): Said | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const message = data as Said;
  return message["siteframe"] === "table" && message["version"] === VERSION ? message : undefined;
}

const { entries: entriesOfMap } = Map.prototype;
const { values: valuesOfSet } = Set.prototype;
/** The language's built-in methods, even if a value has properties of the same names. */
const sizeOfMap = getter(Map.prototype, "size");
const sizeOfSet = getter(Set.prototype, "size");
const lengthOfTyped = getter(Object.getPrototypeOf(Uint8Array.prototype), "length");

/** Returns the number of entries of a value: elements of a list, map or set, otherwise properties. 0 for a proxy. */
export function sizeOf(value: object): number {
  if (isProxy(value)) return 0;
  if (isMap(value)) return sizeOfMap(value);
  if (isSet(value)) return sizeOfSet(value);
  if (isTypedArray(value)) return lengthOfTyped(value);
  if (Array.isArray(value)) return value.length;
  return Reflect.ownKeys(value).length;
}

/**
 * Entries `from` to `to` of a value, on an object without a prototype. Getters stay getters, so no user code runs.
 * Methods replaced by the user are not called.
 */
export function entriesOf(value: object, from: number, to: number): object {
  const members: object = Object.create(null);
  if (isProxy(value)) return members;
  const add = (key: PropertyKey, described: PropertyDescriptor | undefined) => {
    if (described) Object.defineProperty(members, key, { ...described, enumerable: true, configurable: true });
  };
  if (isMap(value)) {
    for (const [index, [key, member]] of some(Reflect.apply(entriesOfMap, value, []), from, to)) {
      add(index, { value: { key, value: member } });
    }
  } else if (isSet(value)) {
    for (const [index, member] of some(Reflect.apply(valuesOfSet, value, []), from, to)) add(index, { value: member });
  } else if (isTypedArray(value) || Array.isArray(value)) {
    for (let index = from; index < to; index++) add(index, Object.getOwnPropertyDescriptor(value, index));
  } else {
    for (const key of Reflect.ownKeys(value).slice(from, to)) add(key, Object.getOwnPropertyDescriptor(value, key));
  }
  return members;
}

/** Uses `next`: a `for` loop would read properties that a user may have replaced. */
function some<Value>(iterator: Iterator<Value>, from: number, to: number): readonly (readonly [number, Value])[] {
  const entries: (readonly [number, Value])[] = [];
  for (let index = 0; index < to; index++) {
    const next = iterator.next();
    if (next.done) break;
    if (index >= from) entries.push([index, next.value]);
  }
  return entries;
}

function getter(prototype: object, name: string): (value: object) => number {
  const { get = () => 0 } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
  return (value) => Number(Reflect.apply(get, value, []));
}

/** Creates the debugger's channel where the inspector can find it. */
function installDebugChannel(runner: Pick<CellRunner, "names" | "fields" | "sources" | "bundle">): void {
  let lent: readonly string[] = [];
  let takeBack = () => {};
  let member: unknown;
  const channel: DebugChannel = {
    get self() {
      return channel;
    },
    sources: (names) => runner.sources.filter(({ name }) => names?.includes(name) ?? true),
    names: () => {
      const values: Record<string, unknown> = Object.create(null);
      for (const name of userNames(runner.names)) {
        const read = readName(runner.names, name);
        if (read) values[name] = read.value;
      }
      return values;
    },
    lend: (isLent) => {
      for (const name of lent) Reflect.deleteProperty(globalThis, name);
      lent = isLent ? userNames(runner.names).filter((name) => !(name in globalThis)) : [];
      for (const name of lent) lendName(runner, name);
      takeBack();
      takeBack = isLent ? runner.fields.layOut() : () => {};
    },
    holds: (condition) => {
      const takeAway = runner.fields.layOut();
      channel.endCondition = () => {
        takeAway();
        channel.endCondition = () => {};
      };
      try {
        return Boolean(condition());
      } finally {
        channel.endCondition();
      }
    },
    endCondition: () => {},
    display: (value) => runner.fields.display(value),
    size: sizeOf,
    entries: entriesOf,
    hold: (value) => {
      member = value;
    },
    bundleHeld: (isStopped) => {
      const bundle = runner.bundle(member);
      member = undefined;
      if (!(bundle instanceof Promise)) return JSON.stringify(bundle);
      if (isStopped) return JSON.stringify({ "text/plain": "A value that shows itself later." });
      return bundle.then((shownBundle) => JSON.stringify(shownBundle));
    },
  };
  Object.defineProperty(globalThis, Symbol.for(debugChannelName), { value: channel });
}

function lendName({ names }: Pick<CellRunner, "names">, name: string): void {
  Object.defineProperty(globalThis, name, {
    get: () => names[name],
    set: (value: unknown) => {
      Reflect.set(names, name, value);
    },
    configurable: true,
  });
}

const longestMs = 1000;

/**
 * Ends the thread that receives SIGINT, and restores this thread's handler. The other thread's end leaves the process
 * without one.
 *
 * @param words state shared with `SignalSentinel`: whether that thread must end, and whether it has
 */
export function takeSignals(words: SharedArrayBuffer): void {
  const view = new Int32Array(words);
  Atomics.store(view, 0, 1);
  Atomics.notify(view, 0);
  Atomics.wait(view, 1, 0, longestMs);
  // Node sets the system's handler with the first listener.
  const listeners = process.rawListeners("SIGINT");
  process.removeAllListeners("SIGINT");
  for (const listener of listeners) process.on("SIGINT", listener as NodeJS.SignalsListener);
}

const interrupted: Outcome = { status: "error", error: interruptedError };

interface Waiting {
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
}

/** The thread of the sockets, or its replacement in tests. */
export interface SocketLine {
  on(event: "message", take: (message: ToRunner) => void): unknown;
  postMessage(message: FromRunner): void;
}

/** Dependencies of the thread of the cells. */
export interface CellThreadParts {
  readonly directory: string;
  readonly socketThread: SocketLine;
  readonly throttle: OutputThrottle;
  readonly modules: ModuleSource;
}

/** Runs cells in this thread, on requests of the thread of the sockets. */
export class CellThread {
  readonly #runner: CellRunner;
  readonly #socketThread: SocketLine;
  readonly #throttle: OutputThrottle;
  readonly #comms: KernelComms;
  readonly #questions = new Map<number, Waiting>();
  /** The run of each sink. */
  readonly #runs = new WeakMap<CellSink, number>();
  /** Reports the interruption of each run whose end is not yet reported. */
  readonly #interruptions = new Map<number, () => void>();
  #questionCount = 0;

  constructor({ directory, socketThread, throttle, modules }: CellThreadParts) {
    this.#runner = new CellRunner(directory, modules);
    this.#socketThread = socketThread;
    this.#throttle = throttle;
    this.#comms = new KernelComms({
      send: (event) => {
        const sink = this.#runner.currentSink;
        this.#post({ type: "comm", run: sink && this.#runs.get(sink), event });
      },
      target: (name) => this.#post({ type: "commTarget", name }),
    });
    const { global } = this.#comms;
    const tables = new LiveTables();
    tables.listen(global);
    installGlobals({ comms: global });
    installDebugChannel(this.#runner);
    announceKernel({
      comms: global,
      tables,
      callBack: (callback, sink, onEnd) => this.#callBack(callback, sink, onEnd),
    });
  }

  /**
   * @param early what has come already
   */
  listen(early: readonly ToRunner[]): void {
    this.#socketThread.on("message", (message: ToRunner) => this.#take(message));
    // Until a sentinel starts. The signal may be for the compiler. See `SignalSentinel`.
    process.on("SIGINT", () => this.#post({ type: "signal" }));
    this.#post({ type: "ready" });
    for (const message of early) this.#take(message);
  }

  #take(message: ToRunner): void {
    switch (message.type) {
      case "listening":
        return;
      case "load":
        void this.#runner.load(message.modules).then(() => this.#post({ type: "loaded", load: message.load }));
        return;
      case "run":
        this.#run(message.run, message.cell);
        return;
      case "interrupt":
        this.#interrupt();
        this.#post({ type: "interrupted", attempt: message.attempt });
        return;
      case "answer":
        this.#questions.get(message.question)?.resolve(message.text);
        this.#questions.delete(message.question);
        return;
      case "refusal":
        this.#questions.get(message.question)?.reject(new NoInputError());
        this.#questions.delete(message.question);
        return;
      case "comm":
        this.#receive(message.run, message.event);
        return;
      case "names": {
        const { question, query } = message;
        this.#post({
          type: "names",
          question,
          names: readSafely(() => sessionCompletions(this.#runner.names, query), []),
        });
        return;
      }
      case "rest":
        collectGarbage();
        return;
      case "signals":
        takeSignals(message.words);
        return;
      case "exit":
        process.exit();
    }
  }

  #run(run: number, cell: CompiledCell): void {
    const end = this.#endOf(run, cell.name, (outcome) => this.#post({ type: "outcome", run, outcome }));
    this.#runner.start(cell, this.#sink(run), end);
  }

  /** Removed with the report and not before: a termination may strike between the two. See `#interrupt`. */
  #endOf(run: number, name: string, tell: (outcome: Outcome) => void): (outcome: Outcome) => void {
    const end = (outcome: Outcome) => {
      tell(outcome);
      this.#interruptions.delete(run);
    };
    this.#interruptions.set(run, () => end(this.#runner.hasBegun(name) ? interrupted : interruptedBefore));
    return end;
  }

  /** A termination may strike after a run has ended and before its end is reported. */
  #interrupt(): void {
    this.#runner.interrupt();
    this.#questions.clear();
    for (const tell of [...this.#interruptions.values()]) tell();
  }

  #receive(run: number, event: CommEvent): void {
    const sink = this.#sink(run);
    const end = this.#endOf(run, "", (outcome) => {
      if (outcome.status === "error") sink.stream("stderr", `${outcome.error.traceback.join("\n")}\n`);
      this.#post({ type: "commHandled", run });
    });
    this.#runner.callBack(() => this.#comms.receive(event), sink, end);
  }

  /** Comm messages that the callback sends belong to its caller. */
  #callBack(callback: () => unknown, sink: CallbackSink, onEnd: (end: CallbackEnd) => void): void {
    const caller = this.#runner.currentSink;
    const run = caller && this.#runs.get(caller);
    const cellSink: CellSink = {
      stream: (name, text) => sink.stream(name, text),
      display: (bundle) => sink.display(bundle),
      clear: (wait) => sink.clear(wait),
    };
    if (run !== undefined) this.#runs.set(cellSink, run);
    this.#runner.callBack(callback, cellSink, onEnd);
  }

  #sink(run: number): CellSink {
    const show = (output: CellOutput) => this.#post({ type: "output", run, output });
    const sink: CellSink = {
      stream: (name, text) => {
        show({ type: "stream", name, text });
        this.#throttle.added(text.length);
      },
      display: (bundle, target) => show({ type: "display", bundle, target }),
      clear: (wait) => show({ type: "clear", wait }),
      page: (bundle) => show({ type: "page", bundle }),
      input: (prompt) => {
        const question = ++this.#questionCount;
        this.#post({ type: "question", run, question, prompt });
        return new Promise((resolve, reject) => this.#questions.set(question, { resolve, reject }));
      },
    };
    this.#runs.set(sink, run);
    return sink;
  }

  #post(message: FromRunner): void {
    this.#socketThread.postMessage(message);
  }
}

/**
 * Returns the memory of values that no variable holds. An idle V8 does not collect by itself.
 */
export function collectGarbage(): void {
  // Only contexts that are made from now on get the function, and none of the user's is.
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof collect === "function") collect();
}
