import type { Socket } from "node:net";
import type { Agent, buildConnector, Dispatcher, errors } from "undici";

/** Connections of a reader: opened on first use, kept alive between requests. */
export interface Transport {
  readonly dispatcher: () => Promise<Dispatcher>;
  readonly close: () => Promise<void>;
}

/**
 * Loads undici with the first request, so that importing this module is cheap. The import contains the file name, since
 * Bun replaces the bare name with its own module, whose pools send nothing.
 */
const loadUndici = () => import("undici/index.js");

/** Connections to any origin, at most `connections` to each. */
export async function openAgent(connections: number): Promise<Agent> {
  const undici = await loadUndici();
  return new undici.Agent({ connections, connect: safeConnector(undici) });
}

/** Connections to one origin. */
export function poolTransport(origin: string): Transport {
  let pool: Promise<Dispatcher> | undefined;
  return {
    dispatcher() {
      pool ??= loadUndici().then((undici) => new undici.Pool(origin, { connect: safeConnector(undici) }));
      return pool;
    },
    async close() {
      const open = pool;
      pool = undefined;
      await (await open)?.close();
    },
  };
}

/** Errors that another attempt cannot fix, such as an unknown host or invalid certificate. */
const FINAL =
  /^(ENOTFOUND|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_INVALID|UND_ERR_INVALID_ARG|UND_ERR_DESTROYED|UND_ERR_CLOSED)/;

/** Description of an error below HTTP. */
interface NetworkReason {
  /** Code of Node or undici; empty if missing. */
  readonly code: string;
  readonly reason: string;
  /** Whether another attempt would fail, too. */
  readonly isFinal: boolean;
  /** A copy of the error without the properties that libraries attach: headers contain the key. */
  readonly cause: Error;
}

/** Returns the description of an error below HTTP. */
export function networkReason(error: unknown): NetworkReason {
  const code = errorCode(error);
  const reason = reasonOf(error);
  return { code, reason, isFinal: FINAL.test(code), cause: Object.assign(new Error(reason), { code }) };
}

function errorCode(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** Node reports several failed addresses as one AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\.$/, "");
}

/** The parts of undici that connections need. */
interface Undici {
  readonly buildConnector: typeof buildConnector;
  readonly errors: Pick<typeof errors, "SocketError">;
}

/**
 * Opens connections that report their end to undici only while it reads.
 *
 * undici 7 pauses a response whose reader is slow. If the server then closes the connection of a body that is delimited by
 * the close, or resets it, a listener of undici throws an AssertionError (nodejs/undici#5360), which ends the process.
 * undici 8 has the fix, but does not run on Node 20.
 */
function safeConnector({ buildConnector, errors }: Undici): buildConnector.connector {
  const connect = buildConnector({});
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) callback(error, null);
      else callback(null, holdEndWhilePaused(socket, errors.SocketError));
    });
}

/** undici pauses with `unshift()`, and reads without a size only if it is not paused. Node reads with size 0. */
function holdEndWhilePaused<S extends Socket>(socket: S, SocketError: Undici["errors"]["SocketError"]): S {
  const { destroy, push, read, unshift } = socket;
  let isPaused = false;
  let hasEnd = false;

  socket.unshift = (...parameters) => {
    isPaused = true;
    return unshift.apply(socket, parameters);
  };

  socket.push = (chunk, encoding) => {
    hasEnd ||= chunk === null;
    return push.call(socket, chunk, encoding);
  };

  socket.read = (size) => {
    if (size === undefined) isPaused = false;
    if (!hasEnd) return read.call(socket, size);
    if (isPaused) return null;
    // Reading all bytes at once would end the socket with them, although undici may pause while it parses them.
    return read.call(socket, size ?? (socket.readableLength || undefined));
  };

  socket.destroy = (error) => {
    // undici treats a reset, or a close without an error, as the end of the body.
    const isEnd = error === undefined || ("code" in error && error.code === "ECONNRESET");
    return destroy.call(socket, isPaused && isEnd ? new SocketError(error?.message ?? "closed") : error);
  };
  return socket;
}
