import type { Message, MessageFactory } from "../wire/message.js";
import type { Sockets } from "../wire/sockets.js";

type Parent = Message["parent"];
type Content = Message["content"];

/** How long text is collected before it is sent, so that a loop of `console.log` sends fewer messages. */
const gatherMs = 20;

interface Gathered {
  readonly parent: Parent;
  readonly name: string;
  readonly texts: string[];
}

/** Broadcasts events of the kernel, in order. */
export class Publisher {
  readonly #sockets: Pick<Sockets, "broadcast">;
  readonly #messages: MessageFactory;
  #gathered: Gathered | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(sockets: Pick<Sockets, "broadcast">, messages: MessageFactory) {
    this.#sockets = sockets;
    this.#messages = messages;
  }

  publish(type: string, content: Content, parent: Parent, extras: Partial<Pick<Message, "metadata" | "buffers">> = {}) {
    this.flush();
    this.#sockets.broadcast(this.#messages.create(type, content, { parent, ...extras }));
  }

  status(execution_state: "starting" | "busy" | "idle", parent: Parent): void {
    this.publish("status", { execution_state }, parent);
  }

  stream(name: "stdout" | "stderr", text: string, parent: Parent): void {
    if (this.#gathered?.name !== name || this.#gathered.parent !== parent) this.flush();
    this.#gathered ??= { parent, name, texts: [] };
    this.#gathered.texts.push(text);
    this.#timer ??= setTimeout(() => this.flush(), gatherMs);
  }

  welcome(subscription: string): void {
    const identities = [Buffer.from(subscription)];
    this.#sockets.broadcast(this.#messages.create("iopub_welcome", { subscription }, { identities }));
  }

  /** Sends the collected text. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered = this.#gathered;
    if (!gathered) return;
    this.#gathered = undefined;
    const { name, texts, parent } = gathered;
    this.#sockets.broadcast(this.#messages.create("stream", { name, text: texts.join("") }, { parent }));
  }
}
