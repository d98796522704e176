import { type CommEvent, tableTarget } from "../threads/thread-messages.js";
import type { Message } from "../wire/message.js";

/** Which comms are open, and which targets the kernel takes. Known without asking the thread of the cells. */
export class CommRegistry {
  readonly #open = new Map<string, string>();
  readonly #targets = new Set<string>([tableTarget]);

  addTarget(name: string): void {
    this.#targets.add(name);
  }

  /** Whether someone in the kernel listens to what the page sent. */
  accepts({ type, comm_id, target_name = "" }: CommEvent): boolean {
    return type === "comm_open" ? this.#targets.has(target_name) : this.#open.has(comm_id);
  }

  /** Takes note of an event, whichever side it comes from, and says which target it is for. */
  note({ type, comm_id, target_name = "" }: Pick<CommEvent, "type" | "comm_id" | "target_name">): string | undefined {
    if (type === "comm_open") this.#open.set(comm_id, target_name);
    const target = this.#open.get(comm_id);
    if (type === "comm_close") this.#open.delete(comm_id);
    return target;
  }

  /** The open comms, of one target if one is named, as `comm_info_reply` lists them. */
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
    comm_id: String(content["comm_id"] ?? ""),
    ...(typeof target === "string" ? { target_name: target } : {}),
    data: content["data"] ?? {},
    metadata,
    buffers,
  };
}
