import { type CommEvent, tableTarget } from "../threads/thread-messages.js";
import { contentText, type Message } from "../wire/message.js";

/** The open comms, and the targets that the kernel accepts. Available without a request to the thread of the cells. */
export class CommRegistry {
  readonly #open = new Map<string, string>();
  readonly #targets = new Set<string>([tableTarget]);

  addTarget(name: string): void {
    this.#targets.add(name);
  }

  /** Whether a target in the kernel handles the page's message. */
  accepts({ type, comm_id, target_name = "" }: CommEvent): boolean {
    return type === "comm_open" ? this.#targets.has(target_name) : this.#open.has(comm_id);
  }

  /** Registers an event, from either side, and returns its target. */
  note({ type, comm_id, target_name = "" }: Pick<CommEvent, "type" | "comm_id" | "target_name">): string | undefined {
    if (type === "comm_open") this.#open.set(comm_id, target_name);
    const target = this.#open.get(comm_id);
    if (type === "comm_close") this.#open.delete(comm_id);
    return target;
  }

  /** The open comms, optionally of one target, as `comm_info_reply` lists them. */
  list(target?: unknown): Readonly<Record<string, { readonly target_name: string }>> {
    const chosen = typeof target === "string" && target !== "" ? target : undefined;
    const entries = [...this.#open].filter(([, name]) => chosen === undefined || name === chosen);
    return Object.fromEntries(entries.map(([id, target_name]) => [id, { target_name }]));
  }
}

/** The event in a message, if it is about a comm. */
export function commEvent({ header, content, metadata, buffers }: Message): CommEvent | undefined {
  const type = header.msg_type;
  if (type !== "comm_open" && type !== "comm_msg" && type !== "comm_close") return undefined;
  const target = content["target_name"];
  return {
    type,
    comm_id: contentText(content, "comm_id"),
    ...(typeof target === "string" ? { target_name: target } : {}),
    data: content["data"] ?? {},
    metadata,
    buffers,
  };
}
