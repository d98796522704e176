import { randomUUID } from "node:crypto";

/** The fields of a message's header. */
export interface Header {
  readonly msg_id: string;
  readonly msg_type: string;
  readonly session: string;
  readonly username: string;
  readonly date: string;
  readonly version: string;
  /** Of a request: the subshell that it is for; null or absent: the shell itself. */
  readonly subshell_id?: string | null;
}

/** What a message says, depending on its type. */
export type Content = Readonly<Record<string, unknown>>;

/** A Jupyter message. */
export interface Message {
  /** Who sent it, as the sockets know them; the topic of a broadcast. */
  readonly identities: readonly Uint8Array[];
  readonly header: Header;
  /** The header of the message that led to this one, or `{}`. */
  readonly parent: Header | Readonly<Record<string, never>>;
  readonly metadata: Content;
  readonly content: Content;
  readonly buffers: readonly Uint8Array[];
}

/** The version of the protocol that this kernel speaks. */
export const protocolVersion = "5.4";

/** What a new message needs besides its type and content. */
interface MessageParts {
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
