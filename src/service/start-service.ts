import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ArgumentError } from "../core/errors.js";
import { answerClientErrors } from "./answers/answer-client-errors.js";
import { pageHandler } from "./answers/page-handler.js";
import { respond, type Serving } from "./answers/respond.js";
import { EditedStore } from "./faults/edited-store.js";
import { withFaults } from "./faults/with-faults.js";
import type { Limits } from "./limits.js";
import type { Answerer } from "./requests/connection.js";
import { Connections } from "./requests/connections.js";
import { type ResolvedOptions, resolveOptions, type ServiceOptions } from "./service-options.js";

/** A service that is listening. */
export interface Service {
  /** Base URL without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops listening, answers the requests that have come and closes every connection. May be called again, to wait for
   * less long.
   *
   * @param graceMs how long clients may take to read their answers, `limits.graceMs` if absent; then they are cut off
   * @returns how many connections were cut off before their answers were read
   */
  close(graceMs?: number): Promise<number>;
}

/**
 * Serves the read API over HTTP.
 *
 * @throws ArgumentError for options that cannot be used and for a port that is taken
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const resolved = resolveOptions(options);
  const { host, limits } = resolved;
  const serving = compose(resolved);
  const server = createHttpServer(limits);
  const answer: Answerer = (request, response) => void respond(request, response, serving);
  const connections = new Connections(server, answer, limits.headersTimeoutMs);
  answerClientErrors(server, connections);

  await listen(server, resolved.port, host);
  const { port } = server.address() as AddressInfo;
  let closing: Closing | undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    close: (graceMs = limits.graceMs) => {
      closing ??= startClosing(server, connections);
      return closing.within(graceMs);
    },
  };
}

/** A service that is closing. */
interface Closing {
  /** Resolves when it is closed: after so many milliseconds from now at the latest. */
  within(graceMs: number): Promise<number>;
}

function startClosing(server: Server, connections: Connections): Closing {
  let cut = 0;
  const timers: NodeJS.Timeout[] = [];
  const closed = new Promise<number>((resolve) => {
    server.close(() => {
      for (const timer of timers) clearTimeout(timer);
      resolve(cut);
    });
  });
  connections.drain();
  return {
    within: (graceMs) => {
      timers.push(
        setTimeout(() => {
          cut += connections.cut();
        }, graceMs),
      );
      return closed;
    },
  };
}

function compose({ store, authenticate, maxPageSize, faults, onRequest, limits }: ResolvedOptions): Serving {
  return {
    handler: withFaults(pageHandler(authenticate, maxPageSize), faults),
    store: faults.edits ? new EditedStore(store, faults.edits) : store,
    onRequest,
    probeMs: limits.probeMs,
  };
}

function createHttpServer(limits: Limits): Server {
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 1000),
  });
  server.setTimeout(limits.stalledTimeoutMs);
  return Object.assign(server, {
    // A client may close its side after its last request, as `nc -N` does, and still wants the answer. Node's types do
    // not list this switch.
    httpAllowHalfOpen: true,
    // To Node, a connection is idle once its answer has been written, though most of it may still wait for the client.
    // When a server closes, Node calls this, and connections that are idle are ours to close.
    closeIdleConnections: () => {},
  });
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The listener stays: when the machine runs out of file handles later on, one connection is lost, not the service.
    server.on("error", (cause) => {
      reject(new ArgumentError(`Cannot listen on port ${port} of ${host}: ${cause.message}.`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}
