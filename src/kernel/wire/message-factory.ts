import { randomUUID } from "node:crypto";
import { type Content, type Header, type Message, protocolVersion } from "./message.js";

/** What a new message needs besides its type and content. */
export interface MessageParts {
  readonly identities?: readonly Uint8Array[];
  readonly parent?: Message["parent"];
  readonly metadata?: Content;
  readonly buffers?: readonly Uint8Array[];
}

/** Makes the messages of one kernel. */
export class MessageFactory {
  readonly #session = randomUUID();
  readonly #clock: () => Date;
  #count = 0;

  constructor(clock: () => Date = () => new Date()) {
    this.#clock = clock;
  }

  create(type: string, content: Content, parts: MessageParts = {}): Message {
    const { identities = [Buffer.from(type)], parent = {}, metadata = {}, buffers = [] } = parts;
    const header: Header = {
      msg_id: `${this.#session}_${++this.#count}`,
      msg_type: type,
      session: this.#session,
      username: "kernel",
      date: this.#clock().toISOString(),
      version: protocolVersion,
    };
    return { identities, header, parent, metadata, content, buffers };
  }
}
