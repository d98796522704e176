import type { Socket } from "node:net";
import type { buildConnector, errors } from "undici";

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
export function safeConnector({ buildConnector, errors }: Undici): buildConnector.connector {
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
