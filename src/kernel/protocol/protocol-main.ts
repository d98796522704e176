/** The program of the thread that owns the sockets. */

import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { dataFolder } from "../../core/data-folder.js";
import { startCompiler } from "../compiler/compiler-thread.js";
import { ownCompiler, type RemoteCompiler, serveCompiler } from "../compiler/connect-compiler.js";
import { KernelDebugger } from "../debugger/kernel-debugger.js";
import { ignoreInterrupt, kernelError, plainError, unsentError } from "../engine/cell/cell-errors.js";
import type { EngineName } from "../engine/cell/engine-name.js";
import type { CellLanguage } from "../engine/cell/language-engine.js";
import { ExitLatch, OutputThrottle } from "../threads/shared-memory.js";
import type { CommEvent, FromRunner, SocketThreadData, ToRunner } from "../threads/thread-messages.js";
import { type Content, contentText, type Message, MessageFactory } from "../wire/message.js";
import { type Channel, type Connection, readConnection, Sockets } from "../wire/sockets.js";
import { CommRegistry, commEvent } from "./comm-registry.js";
import { Executor, type ExecutorParts, Subshells } from "./executor.js";
import { HistoryStore } from "./history-store.js";
import { LanguageRelay, languageTarget } from "./language-relay.js";
import { Publisher } from "./publisher.js";
import { createReplies, type Reply } from "./replies.js";
import { RunnerClient } from "./runner-client.js";
import { Runs } from "./runs.js";
import { SignalSentinel } from "./signal-sentinel.js";

type Question = Extract<FromRunner, { readonly type: "question" }>;

/** Passes questions of cells to the client, one at a time. */
class InputQueue {
  readonly #sockets: Sockets;
  readonly #messages: MessageFactory;
  readonly #runner: () => RunnerClient;
  readonly #waiting: { readonly question: Question; readonly request: Message }[] = [];

  constructor(sockets: Sockets, messages: MessageFactory, runner: () => RunnerClient) {
    this.#sockets = sockets;
    this.#messages = messages;
    this.#runner = runner;
  }

  ask(question: Question, request: Message): void {
    this.#waiting.push({ question, request });
    if (this.#waiting.length === 1) this.#next();
  }

  reply({ content }: Message): void {
    const answered = this.#waiting.shift();
    if (!answered) return;
    this.#runner().answer(answered.question.question, contentText(content, "value"));
    this.#next();
  }

  /** Discards all questions; their cells were interrupted. */
  clear(): void {
    this.#waiting.length = 0;
  }

  #next(): void {
    const next = this.#waiting[0];
    if (!next) return;
    const { identities, header: parent } = next.request;
    this.#sockets.send(
      "stdin",
      this.#messages.create("input_request", { ...next.question.prompt }, { identities, parent }),
    );
  }
}

/** Dependencies of a kernel. */
interface ProtocolParts {
  readonly connection: Connection;
  readonly version: string;
  readonly engine: EngineName;
  readonly compiler: RemoteCompiler;
  /** The thread of the cells. */
  readonly runnerPort: MessagePort;
  readonly historyFolder: string | undefined;
  /** Called with the length of each string that a cell printed, after it was read. */
  onTaken(length: number): void;
  /** Called when the sockets are closed because the process ends. */
  onClosed(): void;
  /** Ends the process, even if cells are running. */
  exit(): void;
}

/** The kernel's side of the Jupyter protocol: receives messages, executes cells, replies and publishes. */
class KernelProtocol {
  readonly #parts: ProtocolParts;
  readonly #messages = new MessageFactory();
  readonly #comms = new CommRegistry();
  readonly #sockets: Sockets;
  readonly #publisher: Publisher;
  readonly #runner: RunnerClient;
  readonly #runs: Runs;
  readonly #shells: Subshells;
  readonly #inputs: InputQueue;
  readonly #language = new LanguageRelay((event) => {
    this.#comms.note(event);
    const { type, ...content } = event;
    this.#publisher.publish(type, content, {});
  });
  readonly #debugger: KernelDebugger;
  readonly #sentinel = new SignalSentinel(
    () => void this.#interrupt(),
    (words) => this.#runner.takeSignals(words),
  );
  readonly #answers: Readonly<Record<string, Reply>>;
  #onAnswered = () => {};
  /** Resolves after a reply was sent. */
  readonly answered = new Promise<void>((resolve) => {
    this.#onAnswered = resolve;
  });
  /** Requests that are only allowed on the control channel. */
  readonly #controls: Readonly<Record<string, Reply>> = {
    create_subshell_request: () => ({ subshell_id: this.#shells.add() }),
    delete_subshell_request: ({ subshell_id }) => {
      this.#shells.delete(subshell_id);
      return {};
    },
    list_subshell_request: () => ({ subshell_id: this.#shells.ids }),
  };

  private constructor(parts: ProtocolParts, sockets: Sockets) {
    this.#parts = parts;
    this.#sockets = sockets;
    const history = new HistoryStore(parts.historyFolder);
    this.#publisher = new Publisher(sockets, this.#messages);
    this.#runs = new Runs(this.#publisher);
    this.#runner = this.#connectRunner();
    this.#debugger = new KernelDebugger((event) => this.#publisher.publish("debug_event", event, {}));
    const executorParts: ExecutorParts = {
      compiler: parts.compiler,
      runner: this.#runner,
      prepare: (cell) => this.#debugger.prepare(cell),
      publisher: this.#publisher,
      history,
      runs: this.#runs,
      reply: (request, content) => this.#reply("shell", request, content),
    };
    this.#shells = new Subshells(() => new Executor(executorParts));
    this.#inputs = new InputQueue(sockets, this.#messages, () => this.#runner);
    // The language server's results apply only to cells checked by the native compiler.
    if (parts.engine === "typescript") this.#comms.addTarget(languageTarget);
    this.#answers = createReplies({ ...parts, runner: this.#runner, history, comms: this.#comms });
  }

  static async start(parts: ProtocolParts): Promise<KernelProtocol> {
    const sockets = await Sockets.open(parts.connection);
    const protocol = new KernelProtocol(parts, sockets);
    sockets.listen({
      message: (channel, message) => protocol.#take(channel, message),
      subscribed: (topic) => protocol.#publisher.welcome(topic),
    });
    protocol.#publisher.status("starting", {});
    return protocol;
  }

  /** Stops running code. Variables stay. */
  async #interrupt(): Promise<void> {
    this.#inputs.clear();
    this.#parts.compiler.interrupt().catch(() => undefined);
    await this.#debugger.release(() => this.#shells.interrupt());
  }

  #connectRunner(): RunnerClient {
    return new RunnerClient(this.#parts.runnerPort, {
      output: (run, output) => {
        if (output.type === "stream") this.#parts.onTaken(output.text.length);
        this.#runs.show(run, output);
      },
      question: (question) => {
        const request = this.#runs.requestOf(question.run);
        if (request?.allowStdin) this.#inputs.ask(question, request.message);
        else this.#runner.refuse(question.question);
      },
      comm: (run, event) => {
        this.#comms.note(event);
        const { type, comm_id, target_name, data, metadata, buffers } = event;
        const parent = run === undefined ? undefined : this.#runs.requestOf(run)?.message.header;
        const content = { comm_id, data, ...(target_name === undefined ? {} : { target_name }) };
        this.#publisher.publish(type, content, parent ?? {}, { metadata, buffers });
      },
      commTarget: (name) => this.#comms.addTarget(name),
      unsent: (run, error) => {
        if (run !== undefined) this.#runs.unsent(run, error);
      },
      busy: (isBusy) => this.#sentinel.watch(isBusy),
      signal: () => void this.#interrupt(),
      leaving: () => {
        this.#publisher.flush();
        this.#debugger.close();
        this.#language.close();
        void this.#sockets.close().then(() => this.#parts.onClosed());
        // A cell's own handler may keep the process alive, although it no longer handles messages.
        this.#parts.exit();
      },
    });
  }

  #take(channel: Channel, message: Message): void {
    const type = message.header.msg_type;
    if (channel === "stdin") {
      if (type === "input_reply") this.#inputs.reply(message);
    } else if (type === "execute_request") {
      this.#execute(channel, message);
    } else {
      void this.#busy(channel, message).then(() => {
        if (type === "shutdown_request") void this.#shutDown();
      });
    }
  }

  #execute(channel: Channel, message: Message): void {
    try {
      this.#shells.execute(message);
    } catch (error) {
      this.#publisher.status("busy", message.header);
      this.#reply(channel, message, { status: "error", ...kernelError(error), execution_count: this.#runs.count });
      this.#publisher.status("idle", message.header);
    }
  }

  /** Publishes that the message is being handled. If a cell runs meanwhile, the kernel stays busy. */
  async #busy(channel: Channel, message: Message): Promise<void> {
    const type = message.header.msg_type;
    this.#publisher.status("busy", message.header);
    await this.#handle(channel, message).catch((error: unknown) => {
      // The reply cannot be sent, for example because a value is nested too deeply.
      if (type.endsWith("_request")) this.#reply(channel, message, { status: "error", ...unsentError(error) });
    });
    this.#publisher.status("idle", message.header);
    this.#onAnswered();
    const running = this.#shells.current;
    if (running) this.#publisher.status("busy", running.header);
  }

  async #handle(channel: Channel, message: Message): Promise<void> {
    const type = message.header.msg_type;
    const event = commEvent(message);
    if (event) return this.#takeComm(message, event);
    const reply = (content: Content) => this.#reply(channel, message, content);
    if (type === "interrupt_request") {
      await this.#interrupt();
      return reply({ status: "ok" });
    }
    if (type === "shutdown_request") {
      const content = { status: "ok", restart: message.content["restart"] === true };
      this.#publisher.publish("shutdown_reply", content, message.header);
      return reply(content);
    }
    if (type === "debug_request") return reply(await this.#debugger.handle(message.content));
    const answer = this.#answers[type] ?? (channel === "control" ? this.#controls[type] : undefined);
    if (answer) return reply(await contentOf(answer, message.content));
    if (type.endsWith("_request")) {
      reply({ status: "error", ...plainError("UnknownMessage", `Unsupported message type: ${type}.`) });
    }
  }

  async #takeComm(message: Message, event: CommEvent): Promise<void> {
    if (this.#comms.accepts(event)) {
      const target = this.#comms.note(event);
      if (target === languageTarget) return this.#language.take(event);
      const run = this.#runner.nextRun();
      this.#runs.adopt(run, message);
      await this.#runner.comm(run, event);
    } else if (event.type === "comm_open") {
      this.#publisher.publish("comm_close", { comm_id: event.comm_id, data: {} }, message.header);
    }
  }

  #reply(channel: Channel, { identities, header }: Message, content: Content): void {
    const type = header.msg_type.replace(/_request$/, "_reply");
    this.#sockets.send(channel, this.#messages.create(type, content, { identities, parent: header }));
  }

  async #shutDown(): Promise<void> {
    this.#debugger.close();
    this.#language.close();
    await this.#sockets.close();
    this.#runner.exit();
    this.#parts.exit();
  }
}

async function contentOf(answer: Reply, content: Content): Promise<Content> {
  try {
    return { status: "ok", ...(await answer(content)) };
  } catch (error) {
    return { status: "error", ...kernelError(error) };
  }
}

/** Timeout of the first request. */
const firstQuestionMs = 15;

const everyMs = 2000;

/** Calls back when the parent process has ended, so that no orphaned kernel remains. */
function watchParent(onGone: () => void): void {
  if (!process.env["JPY_PARENT_PID"] || process.platform === "win32") return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, everyMs);
  timer.unref();
}

const { throttle, exitLatch } = workerData as SocketThreadData;

/** The language and settings for this thread, determined while the thread starts. */
async function beginning(port: MessagePort): Promise<Extract<FromRunner, { type: "begin" }>> {
  const [first] = (await once(port, "message")) as [FromRunner];
  if (first.type !== "begin") throw new Error(`The thread of the cells begins with ${first.type}.`);
  return first;
}

/** Cells may delay an orderly end indefinitely. */
function exit(): void {
  setTimeout(() => process.kill(process.pid, "SIGKILL"), 1500);
}

let loading: Promise<CellLanguage> | undefined;

/** The compiler process, and its part in this thread. */
function loadLanguage(): Promise<CellLanguage> {
  loading ??= import("../engine/typescript/typescript-language.js").then(
    ({ TypeScriptLanguage }) => new TypeScriptLanguage(process.cwd()),
  );
  return loading;
}

async function serve(port: MessagePort): Promise<void> {
  const { version } = createRequire(import.meta.url)("siteframe/package.json") as { readonly version: string };
  const outputThrottle = new OutputThrottle(throttle);
  const { connectionFile, requested, engine, compilerLine } = await beginning(port);
  const isOwn = engine === "typescript";
  const compiler = isOwn ? ownCompiler(loadLanguage) : startCompiler({ directory: process.cwd(), engine: requested });
  serveCompiler(compiler, compilerLine);
  const { answered } = await KernelProtocol.start({
    connection: readConnection(connectionFile),
    version,
    engine,
    compiler,
    runnerPort: port,
    historyFolder: historyFolder(),
    onTaken: (length) => outputThrottle.taken(length),
    onClosed: () => new ExitLatch(exitLatch).closed(),
    exit,
  });
  port.postMessage({ type: "listening" } satisfies ToRunner);
  watchParent(() => process.kill(process.pid, "SIGKILL"));
  // Clients that wait for the kernel send a request at once, and get the first reply before this thread is busy.
  await Promise.race([answered, pause(firstQuestionMs)]);
  await compiler.warnings().catch(ignoreInterrupt);
}

if (!parentPort) throw new Error("protocol-main.cjs must run in a worker.");
serve(parentPort).catch((error: unknown) => {
  // An unhandled rejection ends this thread with any setting of Node, and the thread of the cells is notified.
  setImmediate(() => {
    throw error;
  });
});

/** The folder of sessions. `SITEFRAME_HISTORY` sets another folder or `off`. */
function historyFolder(): string | undefined {
  const chosen = process.env["SITEFRAME_HISTORY"] || join(dataFolder(), "history");
  return chosen === "off" ? undefined : chosen;
}
