import { randomUUID } from "node:crypto";

/** The fields of a message's header. */
export interface Header {
  readonly msg_id: string;
  readonly msg_type: string;
  readonly session: string;
  readonly username: string;
  readonly date: string;
  readonly version: string;
  /** For a request: the subshell; null or absent: the main shell. */
  readonly subshell_id?: string | null;
}

/** The content of a message, depending on its type. */
export type Content = Readonly<Record<string, unknown>>;

/** A member of a content as a string; empty if it is missing. */
export function contentText(content: Content, name: string): string {
  return String(content[name] ?? "");
}

/** A Jupyter message. */
export interface Message {
  /** Identity of the sender in the sockets; for a broadcast, its topic. */
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

/** Properties of a new message besides its type and content. */
interface MessageParts {
  readonly identities?: readonly Uint8Array[];
  readonly parent?: Message["parent"];
  readonly metadata?: Content;
  readonly buffers?: readonly Uint8Array[];
}

/** Creates the messages of one kernel. */
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
