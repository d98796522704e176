import type { Reply, Router, Socket, XPublisher } from "zeromq";
import { type Connection, socketAddress } from "./connection.js";
import { loadZeroMQ } from "./load-zeromq.js";
import type { Message } from "./message.js";
import { decodeMessage, encodeMessage } from "./message-codec.js";
import { Signer } from "./signer.js";

/** The sockets on which a kernel is asked and answers. */
export type Channel = "shell" | "control" | "stdin";

/** What comes in. */
export interface SocketEvents {
  message(channel: Channel, message: Message): void;
  /** Someone began to listen to the broadcasts about `topic`. */
  subscribed(topic: string): void;
}

type Frames = readonly Uint8Array[];
type Sending = Socket & { send(frames: Uint8Array[]): Promise<void> };

/** The five sockets of a kernel. What is sent on one socket leaves in the order of the calls. */
export class Sockets {
  readonly #signer: Signer;
  readonly #routers: Readonly<Record<Channel, Router>>;
  readonly #broadcast: XPublisher;
  readonly #heartbeat: Reply;
  readonly #tails = new Map<Socket, Promise<void>>();

  private constructor(connection: Connection, { Reply, Router, XPublisher }: typeof import("zeromq")) {
    this.#signer = new Signer(connection);
    // Without a limit: a slow reader must not cost anyone a message.
    const options = { linger: 1000, sendHighWaterMark: 0, receiveHighWaterMark: 0 };
    this.#routers = { shell: new Router(options), control: new Router(options), stdin: new Router(options) };
    // A reconnecting reader subscribes again and is to be welcomed again.
    this.#broadcast = new XPublisher({ ...options, verbosity: "allSubs" });
    this.#heartbeat = new Reply({ linger: 0 });
  }

  /**
   * Binds all sockets. Nothing is read before `listen`.
   *
   * @throws ArgumentError if zeromq is not installed
   */
  static async open(connection: Connection): Promise<Sockets> {
    const sockets = new Sockets(connection, await loadZeroMQ());
    const { shell, control, stdin } = sockets.#routers;
    const bind = (socket: Router | Reply | XPublisher, port: number) => socket.bind(socketAddress(connection, port));
    await Promise.all([
      bind(shell, connection.shell_port),
      bind(control, connection.control_port),
      bind(stdin, connection.stdin_port),
      bind(sockets.#broadcast, connection.iopub_port),
      bind(sockets.#heartbeat, connection.hb_port),
    ]);
    return sockets;
  }

  send(channel: Channel, message: Message): void {
    this.#enqueue(this.#routers[channel], encodeMessage(message, this.#signer));
  }

  broadcast(message: Message): void {
    this.#enqueue(this.#broadcast, encodeMessage(message, this.#signer));
  }

  /** Closes the sockets once everything was sent. */
  async close(): Promise<void> {
    await Promise.all(this.#tails.values());
    for (const socket of [...Object.values(this.#routers), this.#broadcast, this.#heartbeat]) socket.close();
  }

  listen(events: SocketEvents): void {
    for (const channel of ["shell", "control", "stdin"] as const) {
      void each(this.#routers[channel], (frames) => {
        const message = decodeMessage(frames, this.#signer);
        if (message) events.message(channel, message);
      });
    }
    void each(this.#broadcast, ([frame]) => {
      if (frame?.[0] === 1) events.subscribed(Buffer.from(frame.subarray(1)).toString());
    });
    void each(this.#heartbeat, (frames) => this.#enqueue(this.#heartbeat, frames));
  }

  /** zeromq allows one waiting `send` on a socket. */
  #enqueue(socket: Sending, frames: Frames): void {
    const before = this.#tails.get(socket) ?? Promise.resolve();
    // A peer that has gone is no concern of the others.
    this.#tails.set(
      socket,
      before.then(() => socket.send([...frames])).catch(() => undefined),
    );
  }
}

async function each(socket: AsyncIterable<Frames>, take: (frames: Frames) => void): Promise<void> {
  try {
    for await (const frames of socket) take(frames);
  } catch {
    // The socket was closed.
  }
}
