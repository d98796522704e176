import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * A signal that is aborted once nobody waits for an answer any more.
 *
 * A client that closed its side of the connection may have left, or may wait for its answer as `nc -N` does, and a
 * connection of which we read no more tells nothing. So these are sent "102 Processing" now and then, of which a client
 * takes any number (RFC 9110, 15.2); where nobody is left, the system refuses the second one.
 *
 * @param probeMs time between two of them
 */
export function clientSignal(request: IncomingMessage, response: ServerResponse, probeMs: number): AbortSignal {
  const controller = new AbortController();
  const { socket } = request;
  const probe = () => {
    if (!response.headersSent && (socket.readableEnded || socket.isPaused())) response.writeProcessing();
  };
  // HTTP/1.0 has no such answers.
  const timer = request.httpVersion === "1.0" ? undefined : setInterval(probe, probeMs);
  response.once("close", () => {
    clearInterval(timer);
    controller.abort();
  });
  return controller.signal;
}
