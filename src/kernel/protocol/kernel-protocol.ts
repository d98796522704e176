import type { MessagePort } from "node:worker_threads";
import type { RemoteCompiler } from "../compiler/compiler-calls.js";
import { KernelDebugger } from "../debugger/kernel-debugger.js";
import { kernelError, plainError } from "../engine/cell/cell-errors.js";
import type { EngineName } from "../engine/cell/engine-name.js";
import type { Connection } from "../wire/connection.js";
import type { Content, Message } from "../wire/message.js";
import { MessageFactory } from "../wire/message-factory.js";
import { type Channel, Sockets } from "../wire/sockets.js";
import { type Answer, createAnswers } from "./answers.js";
import { CommRegistry, commEvent } from "./comm-registry.js";
import { Executor } from "./executor.js";
import { HistoryStore } from "./history-store.js";
import { InputDesk } from "./input-desk.js";
import { Publisher } from "./publisher.js";
import { RunnerClient } from "./runner-client.js";
import { SignalSentinel } from "./signal-sentinel.js";

/** What a kernel is made of. */
export interface ProtocolParts {
  readonly connection: Connection;
  readonly version: string;
  readonly engine: EngineName;
  readonly compiler: RemoteCompiler;
  /** The thread of the cells. */
  readonly runnerPort: MessagePort;
  readonly historyFolder: string | undefined;
  /** Called with the length of each text that a cell printed, when it was taken. */
  onTaken(length: number): void;
  /** Called when the sockets are closed, since the process ends. */
  onClosed(): void;
  /** Ends the process, whatever its cells are doing. */
  exit(): void;
}

/** The kernel as Jupyter sees it: takes messages, has cells executed, answers and publishes. */
export class KernelProtocol {
  readonly #parts: ProtocolParts;
  readonly #messages = new MessageFactory();
  readonly #comms = new CommRegistry();
  readonly #sockets: Sockets;
  readonly #publisher: Publisher;
  readonly #runner: RunnerClient;
  readonly #executor: Executor;
  readonly #desk: InputDesk;
  readonly #debugger: KernelDebugger;
  readonly #sentinel = new SignalSentinel(
    () => void this.#interrupt(),
    (words) => this.#runner.takeSignals(words),
  );
  readonly #answers: Readonly<Record<string, Answer>>;

  private constructor(parts: ProtocolParts, sockets: Sockets) {
    this.#parts = parts;
    this.#sockets = sockets;
    const history = new HistoryStore(parts.historyFolder);
    this.#publisher = new Publisher(sockets, this.#messages);
    this.#runner = this.#connectRunner();
    this.#debugger = new KernelDebugger((event) => this.#publisher.publish("debug_event", event, {}));
    this.#executor = new Executor({
      compiler: parts.compiler,
      runner: this.#runner,
      prepare: (cell) => this.#debugger.prepare(cell),
      publisher: this.#publisher,
      history,
      reply: (request, content) => this.#reply("shell", request, content),
    });
    this.#desk = new InputDesk(sockets, this.#messages, () => this.#runner);
    this.#answers = createAnswers({ ...parts, runner: this.#runner, history, comms: this.#comms });
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

  /** Stops what the kernel is doing. Variables stay. */
  async #interrupt(): Promise<void> {
    this.#desk.clear();
    await this.#debugger.release(() => this.#executor.interrupt());
  }

  #connectRunner(): RunnerClient {
    return new RunnerClient(this.#parts.runnerPort, {
      output: (run, output) => {
        if (output.type === "stream") this.#parts.onTaken(output.text.length);
        this.#executor.show(run, output);
      },
      question: (question) => {
        const request = this.#executor.requestOf(question.run);
        if (request?.allowStdin) this.#desk.ask(question, request.message);
        else this.#runner.refuse(question.question);
      },
      comm: (run, event) => {
        this.#comms.note(event);
        const { type, comm_id, target_name, data, metadata, buffers } = event;
        const parent = run === undefined ? undefined : this.#executor.requestOf(run)?.message.header;
        const content = { comm_id, data, ...(target_name === undefined ? {} : { target_name }) };
        this.#publisher.publish(type, content, parent ?? {}, { metadata, buffers });
      },
      commTarget: (name) => this.#comms.addTarget(name),
      unsent: (run, error) => {
        if (run !== undefined) this.#executor.unsent(run, error);
      },
      busy: (isBusy) => this.#sentinel.watch(isBusy),
      leaving: () => {
        this.#publisher.flush();
        this.#debugger.close();
        void this.#sockets.close().then(() => this.#parts.onClosed());
        // A cell's own handler may keep the process from ending, deaf and dumb as it is from here on.
        this.#parts.exit();
      },
    });
  }

  #take(channel: Channel, message: Message): void {
    const type = message.header.msg_type;
    if (channel === "stdin") {
      if (type === "input_reply") this.#desk.reply(message);
    } else if (type === "execute_request") {
      this.#executor.add(message);
    } else {
      void this.#busy(message, () => this.#handle(channel, message)).then(() => {
        if (type === "shutdown_request") void this.#shutDown();
      });
    }
  }

  /** Publishes that the message is being handled. A cell that runs meanwhile leaves the kernel busy. */
  async #busy(message: Message, handle: () => Promise<void>): Promise<void> {
    this.#publisher.status("busy", message.header);
    await handle();
    this.#publisher.status("idle", message.header);
    const running = this.#executor.current;
    if (running) this.#publisher.status("busy", running.header);
  }

  async #handle(channel: Channel, message: Message): Promise<void> {
    const type = message.header.msg_type;
    if (commEvent(message)) return this.#takeComm(message);
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
    const answer = this.#answers[type];
    if (answer) return reply(await answered(answer, message.content));
    if (type.endsWith("_request")) {
      reply({ status: "error", ...plainError("UnknownMessage", `Siteframe's kernel knows no ${type}.`) });
    }
  }

  async #takeComm(message: Message): Promise<void> {
    const event = commEvent(message);
    if (!event) return;
    if (this.#comms.accepts(event)) {
      this.#comms.note(event);
      const run = this.#runner.nextRun();
      this.#executor.adopt(run, message);
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
    await this.#sockets.close();
    this.#runner.exit();
    this.#parts.exit();
  }
}

async function answered(answer: Answer, content: Content): Promise<Content> {
  try {
    return { status: "ok", ...(await answer(content)) };
  } catch (error) {
    return { status: "error", ...kernelError(error) };
  }
}
