/** The fields of a message's header. */
export interface Header {
  readonly msg_id: string;
  readonly msg_type: string;
  readonly session: string;
  readonly username: string;
  readonly date: string;
  readonly version: string;
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
