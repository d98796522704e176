import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Reply, Router, Socket, XPublisher } from "zeromq";
import { MAX_DEPTH } from "../../core/depth.js";
import { ArgumentError, DependencyError, FileError } from "../../core/errors.js";
import { nestsDeeper, valueNestsDeeper, wellFormedJson } from "../../core/json.js";
import { isMissingPackage } from "../../core/load-package.js";
import { showValue } from "../../core/show-value.js";
import type { Header, Message } from "./message.js";

/** Signs messages and checks their signatures with the key that Jupyter shares with this kernel. */
export class Signer {
  readonly #algorithm: string;
  readonly #key: string;

  constructor({ key, signature_scheme }: Pick<Connection, "key" | "signature_scheme">) {
    this.#algorithm = signature_scheme.replace(/^hmac-/, "");
    this.#key = key;
  }

  /** Hexadecimal; empty if unsigned. */
  sign(frames: readonly Uint8Array[]): string {
    if (this.#key === "") return "";
    const hmac = createHmac(this.#algorithm, this.#key);
    for (const frame of frames) hmac.update(frame);
    return hmac.digest("hex");
  }

  verify(signature: Uint8Array, frames: readonly Uint8Array[]): boolean {
    const expected = Buffer.from(this.sign(frames));
    return expected.length === 0 || (expected.length === signature.length && timingSafeEqual(expected, signature));
  }
}

const delimiter = Buffer.from("<IDS|MSG>");

/** A message as frames for the socket. */
export function encodeMessage(message: Message, signer: Signer): Uint8Array[] {
  const parts = [message.header, message.parent, message.metadata, message.content];
  const frames = parts.map((part) => Buffer.from(wellFormedJson(part)));
  return [...message.identities, delimiter, Buffer.from(signer.sign(frames)), ...frames, ...message.buffers];
}

/** The message in `frames`; undefined if it is malformed, nested too deeply or has an invalid signature. */
export function decodeMessage(frames: readonly Uint8Array[], signer: Signer): Message | undefined {
  const at = frames.findIndex((frame) => delimiter.equals(frame));
  const [signature, ...rest] = at === -1 ? [] : frames.slice(at + 1);
  const signed = rest.slice(0, 4);
  if (!signature || signed.length < 4 || !signer.verify(signature, signed)) return undefined;
  const [header, parent, metadata, content] = signed.map(parseObject);
  if (!header || !parent || !metadata || !content || !isHeader(header)) return undefined;
  return {
    identities: frames.slice(0, at),
    header,
    parent: isHeader(parent) ? parent : {},
    metadata,
    content,
    buffers: rest.slice(4),
  };
}

function parseObject(frame: Uint8Array): Record<string, unknown> | undefined {
  try {
    const text = Buffer.from(frame).toString("utf8");
    const value: unknown = nestsDeeper(text) ? undefined : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isHeader(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & Header {
  return typeof value["msg_id"] === "string" && typeof value["msg_type"] === "string";
}

/** The sockets of a kernel. */
export type Channel = "shell" | "control" | "stdin";

/** Handlers of incoming events. */
export interface SocketEvents {
  message(channel: Channel, message: Message): void;
  /** A client began to listen to the broadcasts about `topic`. */
  subscribed(topic: string): void;
}

type Frames = readonly Uint8Array[];
type Sending = Socket & { send(frames: Uint8Array[]): Promise<void> };

/** The five sockets of a kernel. Each socket sends messages in the order of the calls. */
export class Sockets {
  readonly #signer: Signer;
  readonly #routers: Readonly<Record<Channel, Router>>;
  readonly #broadcast: XPublisher;
  readonly #heartbeat: Reply;
  readonly #tails = new Map<Socket, Promise<void>>();

  private constructor(connection: Connection, { Reply, Router, XPublisher }: typeof import("zeromq")) {
    this.#signer = new Signer(connection);
    // Unlimited: a slow reader must not lose messages.
    const options = { linger: 1000, sendHighWaterMark: 0, receiveHighWaterMark: 0 };
    this.#routers = { shell: new Router(options), control: new Router(options), stdin: new Router(options) };
    // A reconnecting reader subscribes again and must be welcomed again.
    this.#broadcast = new XPublisher({ ...options, verbosity: "allSubs" });
    this.#heartbeat = new Reply({ linger: 0 });
  }

  /**
   * Binds all sockets. Reads no messages before `listen`.
   *
   * @throws DependencyError if zeromq is not installed
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

  /** @throws ArgumentError for content that is nested too deeply */
  send(channel: Channel, message: Message): void {
    this.#enqueue(this.#routers[channel], this.#framesOf(message));
  }

  /** @throws ArgumentError for content that is nested too deeply */
  broadcast(message: Message): void {
    this.#enqueue(this.#broadcast, this.#framesOf(message));
  }

  #framesOf(message: Message): Uint8Array[] {
    if (!valueNestsDeeper(message.content) && !valueNestsDeeper(message.metadata)) {
      return encodeMessage(message, this.#signer);
    }
    throw new ArgumentError(`A value is nested deeper than ${MAX_DEPTH} levels.`, {
      hint: "Send a part of the value.",
    });
  }

  /** Closes the sockets after everything was sent. */
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
    // A disconnected peer must not affect the others.
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

type ZeroMQ = typeof import("zeromq");

/**
 * Loads zeromq, an optional package that only the kernel needs.
 *
 * @throws DependencyError with the command to install it if zeromq is missing
 */
export async function loadZeroMQ(load: () => Promise<ZeroMQ> = required): Promise<ZeroMQ> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissingPackage(cause, "zeromq")) throw cause;
    throw new DependencyError("The kernel needs the package zeromq, which is not installed.", {
      cause,
      hint: "Run `npm install zeromq@6`. Add --global if siteframe is installed globally.",
    });
  }
}

/** An `import` of CommonJS first searches it for names of exports, which would delay the kernel's first reply. */
async function required(): Promise<ZeroMQ> {
  return createRequire(import.meta.url)("zeromq") as ZeroMQ;
}

/** The addresses of a kernel, and the key that signs its messages. Names are those of Jupyter's file. */
export interface Connection {
  readonly transport: "tcp" | "ipc";
  readonly ip: string;
  readonly shell_port: number;
  readonly iopub_port: number;
  readonly stdin_port: number;
  readonly control_port: number;
  readonly hb_port: number;
  /** If empty, messages are unsigned. */
  readonly key: string;
  readonly signature_scheme: string;
}

const ports = ["shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"] as const;

/**
 * Reads the connection file that Jupyter writes for a kernel.
 *
 * @throws FileError
 */
export function readConnection(path: string): Connection {
  const fields = readFields(path);
  const text = (name: string, fallback: string) => {
    const value = fields[name] ?? fallback;
    return typeof value === "string" ? value : fail(path, name, "a string", value);
  };
  const port = (name: (typeof ports)[number]) => {
    const value = fields[name];
    return typeof value === "number" && Number.isInteger(value) ? value : fail(path, name, "a port", value);
  };
  const transport = text("transport", "tcp");
  if (transport !== "tcp" && transport !== "ipc") return fail(path, "transport", '"tcp" or "ipc"', transport);
  return {
    transport,
    ip: text("ip", "127.0.0.1"),
    shell_port: port("shell_port"),
    iopub_port: port("iopub_port"),
    stdin_port: port("stdin_port"),
    control_port: port("control_port"),
    hb_port: port("hb_port"),
    key: text("key", ""),
    signature_scheme: text("signature_scheme", "hmac-sha256"),
  };
}

/** The address of one of a kernel's sockets. */
function socketAddress({ transport, ip }: Connection, port: number): string {
  return transport === "tcp" ? `tcp://${ip}:${port}` : `ipc://${ip}-${port}`;
}

function readFields(path: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof fields === "object" && fields !== null) return fields as Record<string, unknown>;
  } catch (cause) {
    throw new FileError(`The connection file ${path} cannot be read.`, { cause, facts: { path } });
  }
  throw new FileError(`Invalid connection file ${path}: not a JSON object.`, { facts: { path } });
}

function fail(path: string, name: string, expected: string, value: unknown): never {
  throw new FileError(`Invalid connection file ${path}: ${name} must be ${expected}, not ${showValue(value)}.`, {
    facts: { path },
  });
}
