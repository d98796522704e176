import { createServer, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleepMs } from "node:timers/promises";
import { LARGEST_PAGE } from "../api/contract.js";
import type { Endpoint } from "../api/endpoints.js";
import type { ParsedQuery } from "../api/parse-query.js";
import type { ResourceName } from "../api/resources.js";
import { type Row, rowFilter, sortRows } from "../api/select-records.js";
import { ArgumentError } from "../core/errors.js";
import { type Random, randomStreams } from "../core/random.js";
import { showValue } from "../core/show-value.js";
import type { Access, StoredPage } from "../snapshot/serve/snapshot-store.js";
import { type Answer, errorAnswer, HttpError } from "./answers/answer.js";
import type { Store } from "./answers/page-handler.js";
import { type Handler, pageHandler } from "./answers/page-handler.js";
import { respond, type ServedRequest, type Serving } from "./answers/respond.js";
import {
  type CountsFault,
  checkFaults,
  type DelayFault,
  type Fault,
  type FaultCondition,
  type Faults,
  type ScheduledEdit,
  type StatusFault,
  type TruncateFault,
} from "./faults/faults.js";
import { type ApiKey, type Authenticator, authenticator } from "./requests/authenticator.js";
import { type Answerer, Connections } from "./requests/connection.js";
import { readTarget } from "./requests/route.js";

/** Limits on the resources of clients. */
interface Limits {
  /** Maximum size of request line and headers. 200 ids of 16 digits in bracketed form need about 9 KB. */
  readonly maxHeaderBytes: number;
  /** Maximum wait for the headers of a request. */
  readonly headersTimeoutMs: number;
  /** Maximum wait for a whole request, including an ignored body. */
  readonly requestTimeoutMs: number;
  /** How long an idle connection is kept. */
  readonly keepAliveTimeoutMs: number;
  /** How long a connection may stall during a response. */
  readonly stalledTimeoutMs: number;
  /** How long a closing service waits for clients to read pending responses. */
  readonly graceMs: number;
  /** Interval for checking whether a client that closed its side, or whose reading is paused, is still there. */
  readonly probeMs: number;
}

const defaultLimits: Limits = {
  maxHeaderBytes: 65_536,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 5_000,
  stalledTimeoutMs: 120_000,
  graceMs: 30_000,
  probeMs: 1_000,
};

/**
 * Counts the requests to a path. Returns random numbers if a rule applies to this request, otherwise undefined. The
 * result depends on the seed, the rule and the count only, so the order of responses does not matter.
 */
type FaultMatcher = (path: string) => Random | undefined;

/**
 * A store whose rows change between pages. After an edit of a resource, each of its pages is built from all rows that
 * the query selects, which suits companies of thousands of rows, not of millions.
 */
class EditedStore implements Store {
  readonly #store: Store;
  readonly #edits: readonly ScheduledEdit[];
  readonly #pagesRead = new Map<ResourceName, number>();

  constructor(store: Store, edits: readonly ScheduledEdit[]) {
    this.#store = store;
    this.#edits = edits;
  }

  get version(): string {
    return `${this.#store.version} edits ${this.#edits.filter((edit) => this.#hasHappened(edit)).length}`;
  }

  async page(endpoint: Endpoint, query: ParsedQuery, access: Access, signal?: AbortSignal): Promise<StoredPage> {
    const { resource } = endpoint;
    const edits = this.#edits.filter((edit) => edit.resource === resource && this.#hasHappened(edit));
    this.#pagesRead.set(resource, (this.#pagesRead.get(resource) ?? 0) + 1);
    if (edits.length === 0) return this.#store.page(endpoint, query, access, signal);

    const stored = await this.#readAll(endpoint, query, access, signal);
    const matches = rowFilter(resource, query.filters);
    const isSelected = (row: Row) => isVisible(row, access) && matches(row);
    const rows = edits.reduce<readonly Row[]>((before, edit) => applyEdit(before, edit, isSelected), stored);
    const sorted = sortRows(resource, rows, query.sort);
    const start = (query.page - 1) * query.pageSize;
    const data = Buffer.from(JSON.stringify(sorted.slice(start, start + query.pageSize)));
    return { data, rowCount: rows.length };
  }

  #hasHappened({ resource, afterPages }: ScheduledEdit): boolean {
    return (this.#pagesRead.get(resource) ?? 0) >= afterPages;
  }

  async #readAll(
    endpoint: Endpoint,
    query: ParsedQuery,
    access: Access,
    signal: AbortSignal | undefined,
  ): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (let page = 1; ; page += 1) {
      const params = { ...query, page, pageSize: LARGEST_PAGE };
      const { data, rowCount } = await this.#store.page(endpoint, params, access, signal);
      rows.push(...(JSON.parse(Buffer.from(data).toString()) as Row[]));
      if (page * LARGEST_PAGE >= rowCount) return rows;
    }
  }
}

const LATE = "ERR_HTTP_REQUEST_TIMEOUT";

/** A service that is listening. */
export interface Service {
  /** Base URL without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops listening, handles the received requests and closes every connection. May be called again with a shorter
   * grace period.
   *
   * @param graceMs how long clients may take to read their responses before they are disconnected. Default:
   * `limits.graceMs`.
   * @returns the number of connections closed before their responses were read
   */
  close(graceMs?: number): Promise<number>;
}

/**
 * Serves the read API over HTTP.
 *
 * @throws ArgumentError for invalid options and for a port in use
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

/** A handler that injects the faults of `faults`. */
function withFaults(handler: Handler, faults: Faults): Handler {
  const rules = (faults.rules ?? []).map((rule, index) => ({
    rule,
    strike: faultMatcher(rule, faults.seed ?? 1, `rule ${index}`),
  }));
  return (request, store) => {
    const { path } = readTarget(request.target);
    // Every rule sees every request, so that counts of rules are independent.
    const struck = rules.map(({ rule, strike }) => ({ rule, random: strike(path) }));
    const faulty = struck.reduceRight(
      (next, { rule, random }) => (random ? withFault(next, rule, random) : next),
      handler,
    );
    return faulty(request, store);
  };
}

function withFault(next: Handler, fault: Fault, random: Random): Handler {
  switch (fault.fault) {
    case "delay":
      return async (request, store) => {
        await sleepMs(delayMs(fault, random));
        return next(request, store);
      };
    case "status":
      return async () => {
        throw statusError(fault);
      };
    case "reset":
      return async (request, store) => ({ ...(await next(request, store)), cut: fault.at });
    case "truncate":
      return async (request, store) => truncated(await next(request, store), fault);
    case "garble":
      return async (request, store) => garbled(await next(request, store));
    case "counts":
      return (request, store) => next(request, miscounting(store, fault));
  }
}

function delayMs({ latencyMs, jitterMs = 0 }: DelayFault, random: Random): number {
  return latencyMs + random.next() * jitterMs;
}

function statusError({ status, retryAfterS, retryAfterAs }: StatusFault): HttpError {
  const message = `Injected fault: status ${status}.`;
  if (retryAfterS === undefined) return new HttpError(status, "fault", message);
  const date = new Date(Date.now() + retryAfterS * 1000).toUTCString();
  return new HttpError(status, "fault", message, {
    "Retry-After": retryAfterAs === "date" ? date : String(retryAfterS),
  });
}

function truncated(answer: Answer, { end }: TruncateFault): Answer {
  if (end === "abrupt") return { ...answer, cut: "half-way" };
  const whole = Buffer.concat(answer.body);
  return { ...answer, body: [whole.subarray(0, whole.byteLength >> 1)] };
}

/** 0xFF starts neither UTF-8 nor a compressed stream. */
function garbled(answer: Answer): Answer {
  return { ...answer, body: [Buffer.concat(answer.body).fill(0xff, 0, 16)] };
}

/** A store of another version, so that clients do not keep an invalid page under the tag of the valid one. */
function miscounting(store: Store, { by }: CountsFault): Store {
  return {
    version: `${store.version} counts ${by}`,
    page: async (endpoint, query, access, signal) => {
      const stored = await store.page(endpoint, query, access, signal);
      return { ...stored, rowCount: Math.max(0, stored.rowCount + by) };
    },
  };
}

/** @param name distinguishes rules with the same condition */
function faultMatcher(condition: FaultCondition, seed: number, name: string): FaultMatcher {
  const { first = Number.POSITIVE_INFINITY, every = 1, probability = 1 } = condition;
  const streams = randomStreams(seed, name);
  let count = 0;
  return (path) => {
    if (condition.path !== undefined && condition.path !== path) return undefined;
    count += 1;
    if (count > first || count % every !== 0) return undefined;
    const random = streams(count);
    return random.chance(probability) ? random : undefined;
  };
}

/** The store selected these rows, some of them by attributes that they do not show. */
function applyEdit(rows: readonly Row[], edit: ScheduledEdit, isSelected: (row: Row) => boolean): readonly Row[] {
  const { put = [], remove = [] } = edit;
  const gone = new Set<unknown>([...remove, ...put.map((row) => row["id"])]);
  return [...rows.filter((row) => !gone.has(row["id"])), ...put.filter(isSelected)];
}

function isVisible(row: Row, { siteIds }: Access): boolean {
  const siteId = row["site_id"];
  return !siteIds || typeof siteId !== "number" || siteIds.includes(siteId);
}

/** Responds to data that is not an HTTP request, as JSON and after pending responses, and closes the connection. */
function answerClientErrors(server: Server, connections: Connections): void {
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const connection = connections.of(socket);
    const refuse = () =>
      connection?.whenSettled(() => {
        if (socket.writable) socket.write(rawAnswer(refusal(error.code)));
        socket.destroySoon();
      });
    if (error.code === LATE) connection?.whenLate(refuse);
    else refuse();
  });
}

function refusal(code: string | undefined): HttpError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new HttpError(431, "headers_too_large", "The request line and headers are too long. Send fewer values.");
  }
  if (code === LATE) {
    return new HttpError(408, "request_timeout", "The request did not arrive in time.");
  }
  return new HttpError(400, "malformed_request", "Invalid HTTP request.");
}

function rawAnswer(error: HttpError): string {
  const { status, headers, body } = errorAnswer(error);
  const text = body.join("");
  const lines = Object.entries({ ...headers, "Content-Length": Buffer.byteLength(text), Connection: "close" });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    "",
    text,
  ].join("\r\n");
}

/** A service that is closing. */
interface Closing {
  /** Resolves when it is closed: at the latest after this number of milliseconds. */
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
    // A client may close its side after its last request, as `nc -N` does, and still expect the response. Node's types
    // do not list this option.
    httpAllowHalfOpen: true,
    // For Node, a connection is idle after its response has been written, although most of it may not be sent yet. When
    // a server closes, Node calls this method; this service closes idle connections itself.
    closeIdleConnections: () => {},
  });
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The listener stays: if the machine runs out of file handles later, one connection is lost, not the service.
    server.on("error", (cause) => {
      reject(new ArgumentError(`startService(): port ${port} of ${host} is unavailable: ${cause.message}.`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

/** Options of `startService`. */
export interface ServiceOptions {
  /** The store with the rows. It stays open when the service closes. */
  readonly store: Store;
  /** Accepted keys, at least one. */
  readonly apiKeys: readonly ApiKey[];
  /** Port to listen on. Default: 0, a free port. */
  readonly port?: number;
  /** Address to listen on. Default: `127.0.0.1`, unreachable from other machines. */
  readonly host?: string;
  /** Largest `_pageSize`. Default: 10,000. A lower maximum of the specification takes precedence. */
  readonly maxPageSize?: number;
  readonly limits?: Partial<Limits>;
  /** Faults to inject. */
  readonly faults?: Faults;
  readonly onRequest?: (request: ServedRequest) => void;
}

/** Checked options with defaults. */
interface ResolvedOptions {
  readonly store: Store;
  readonly authenticate: Authenticator;
  readonly port: number;
  readonly host: string;
  readonly maxPageSize: number;
  readonly limits: Limits;
  readonly faults: Faults;
  readonly onRequest: (request: ServedRequest) => void;
}

/** @throws ArgumentError with the option and the value */
function resolveOptions(options: ServiceOptions): ResolvedOptions {
  const { store, port = 0, host = "127.0.0.1", maxPageSize = 10_000, faults = {}, onRequest = () => {} } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ArgumentError(`startService(): port must be an integer from 0 to 65535, but got ${showValue(port)}.`);
  }
  if (!Number.isSafeInteger(maxPageSize) || maxPageSize < 1) {
    throw new ArgumentError(
      `startService(): maxPageSize must be a positive integer, but got ${showValue(maxPageSize)}.`,
    );
  }
  return {
    store,
    authenticate: authenticator(options.apiKeys),
    port,
    host,
    maxPageSize,
    limits: { ...defaultLimits, ...options.limits },
    faults: checkFaults(faults),
    onRequest,
  };
}
