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
  /** Stops listening, finishes the requests under way and closes every connection. May be called again. */
  close(): Promise<void>;
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
  let closed: Promise<void> | undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    close: () => {
      closed ??= shutDown(server, connections);
      return closed;
    },
  };
}

function shutDown(server: Server, connections: Connections): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    connections.drain();
  });
}

function compose({ store, authenticate, maxPageSize, faults, onRequest }: ResolvedOptions): Serving {
  return {
    handler: withFaults(pageHandler(authenticate, maxPageSize), faults),
    store: faults.edits ? new EditedStore(store, faults.edits) : store,
    onRequest,
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
  // A client may close its side after its last request, as `nc -N` does, and still wants the answer. Node's types do
  // not list this switch.
  return Object.assign(server, { httpAllowHalfOpen: true });
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
