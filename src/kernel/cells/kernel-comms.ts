import { randomUUID } from "node:crypto";
import { ArgumentError } from "../../core/errors.js";
import { plainJson } from "../../core/json.js";
import { showValue } from "../../core/show-value.js";
import type { Comm, CommExtras, Comms } from "../../tables/display/live-kernel.js";
import type { CommEvent } from "../threads/thread-messages.js";

type Data = Readonly<Record<string, unknown>>;

/** How a comm reaches the page. */
export interface CommOutlet {
  send(event: CommEvent): void;
  target(name: string): void;
}

/** The comms of a kernel, in the thread of the cells. */
export class KernelComms {
  readonly #outlet: CommOutlet;
  readonly #open = new Map<string, Comm>();
  readonly #targets = new Map<string, Parameters<Comms["register"]>[1]>();

  constructor(outlet: CommOutlet) {
    this.#outlet = outlet;
  }

  get global(): Comms {
    return {
      open: (target, data = {}, extras = {}) => {
        const id = randomUUID();
        const event = {
          type: "comm_open",
          comm_id: id,
          target_name: String(target),
          ...payload(data, extras),
        } as const;
        const comm = this.#add(id, target);
        this.#outlet.send(event);
        return comm;
      },
      register: (target, onOpen) => {
        this.#targets.set(target, onOpen);
        this.#outlet.target(target);
      },
    };
  }

  /** Handles a message of the page. Returns the result of the callback. */
  receive({ type, comm_id, target_name = "", data, metadata, buffers }: CommEvent): unknown {
    const message = { data, metadata, buffers };
    if (type === "comm_open") return this.#targets.get(target_name)?.(this.#add(comm_id, target_name), message);
    const comm = this.#open.get(comm_id);
    if (type === "comm_msg") return comm?.onMessage?.(message);
    this.#open.delete(comm_id);
    return comm?.onClose?.(message);
  }

  #add(id: string, target: string): Comm {
    const send = (type: CommEvent["type"], data: unknown, extras: CommExtras = {}) =>
      this.#outlet.send({ type, comm_id: id, ...payload(data, extras) });
    const comm: Comm = {
      id,
      target,
      send: (data, extras) => send("comm_msg", data, extras),
      close: (data = {}) => {
        if (this.#open.delete(id)) send("comm_close", data);
      },
      onMessage: undefined,
      onClose: undefined,
    };
    this.#open.set(id, comm);
    return comm;
  }
}

/** A cell's message in a form that can be sent. Errors are thrown at the line of the cell that sends. */
function payload(
  data: unknown,
  { metadata = {}, buffers = [] }: CommExtras,
): Pick<CommEvent, "data" | "metadata" | "buffers"> {
  const sound: unknown = buffers;
  if (!Array.isArray(sound) || !sound.every((buffer) => buffer instanceof Uint8Array)) {
    throw new ArgumentError(`The comm's buffers must be a list of Uint8Array, not ${showValue(buffers)}.`);
  }
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
    throw new ArgumentError(`The comm's metadata must be an object, not ${showValue(metadata)}.`);
  }
  return {
    data: plainJson(data, "The comm's data"),
    metadata: plainJson(metadata, "The comm's metadata") as Data,
    buffers,
  };
}
