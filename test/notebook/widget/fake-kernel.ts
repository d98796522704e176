import {
  announceKernel,
  type Comm,
  type CommExtras,
  type LiveKernel,
} from "../../../src/tables/display/live-kernel.js";

/** A message of a kernel to pages. */
export interface Sent {
  readonly type: "open" | "msg" | "close";
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly extras: CommExtras;
}

/** A kernel without sockets, and the page at its other end. */
export class FakeKernel implements LiveKernel {
  readonly sent: Sent[] = [];
  readonly #comms = new Map<string, Comm>();
  readonly #targets = new Map<string, (comm: Comm, message: never) => unknown>();
  readonly #forget: () => void;

  constructor() {
    this.#forget = announceKernel(this);
  }

  readonly comms: LiveKernel["comms"] = {
    open: (target, data, extras = {}) => {
      const comm = this.#add(target);
      this.sent.push({ type: "open", id: comm.id, data: Object(data), extras });
      return comm;
    },
    register: (target, onOpen) => void this.#targets.set(target, onOpen),
  };

  readonly callBack: LiveKernel["callBack"] = (callback, _sink, onEnd) => {
    const failed = (error: Error) =>
      onEnd({ status: "error", error: { traceback: [`${error.name}: ${error.message}`] } });
    void Promise.resolve()
      .then(callback)
      .then(() => onEnd({ status: "ok" }), failed);
  };

  /** The page sends a message through a comm. */
  async say(id: string, data: unknown, buffers: readonly Uint8Array[] = []): Promise<void> {
    await this.#comms.get(id)?.onMessage?.({ data, metadata: {}, buffers });
  }

  /** The page opens a comm. Returns its id, or undefined without a listener. */
  open(target: string): string | undefined {
    const take = this.#targets.get(target);
    if (!take) return undefined;
    const comm = this.#add(target);
    take(comm, {} as never);
    return comm.id;
  }

  /** The page closes a comm. */
  async hangUp(id: string): Promise<void> {
    await this.#comms.get(id)?.onClose?.({ data: {}, metadata: {}, buffers: [] });
  }

  /** The messages through a comm since it was opened. */
  messages(id: string): readonly Sent["data"][] {
    return this.sent.filter((sent) => sent.id === id && sent.type === "msg").map(({ data }) => data);
  }

  close(): void {
    this.#forget();
  }

  #add(target: string): Comm {
    const id = `comm ${this.#comms.size}`;
    const comm: Comm = {
      ...{ id, target, onMessage: undefined, onClose: undefined },
      send: (data, extras = {}) => void this.sent.push({ type: "msg", id, data: Object(data), extras }),
      close: () => void this.sent.push({ type: "close", id, data: {}, extras: {} }),
    };
    this.#comms.set(id, comm);
    return comm;
  }
}

/** A kernel that keeps its tables, and asks them like a page. */
export class AskingKernel extends FakeKernel {
  ask: (question: unknown) => unknown = () => undefined;
  readonly tables = {
    keep: (_owner: object, key: string, answer: (question: unknown) => unknown) => {
      if (key === "selection") this.ask = answer;
      return `the ${key}`;
    },
  };
}
