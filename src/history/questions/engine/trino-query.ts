import { type Answer, redirectHint, sendRequest } from "../../../client/http/request.js";
import { BodyTooLarge, decodeContent } from "../../../client/http/response-body.js";
import { type Attempt, backoffMs, type Failure, retry } from "../../../client/http/retry.js";
import { networkReason } from "../../../client/http/transport.js";
import { cellSignal, childSignal } from "../../../core/abort-signal.js";
import {
  EngineError,
  type EngineProblem,
  ProtocolError,
  SiteframeError,
  type SiteframeErrorOptions,
} from "../../../core/errors.js";
import { withoutValues } from "../../../tables/sql/query-error.js";
import type { EngineRows } from "./engine.js";
import {
  readTrinoPage,
  type TrinoColumn,
  type TrinoPage,
  type TrinoQueryError,
  type TrinoRequest,
  type TrinoServer,
  type TrinoService,
  trinoColumns,
} from "./trino-server.js";

const EXCERPT = 300;

/** An integer in a cell that a number may round, between brackets or commas. */
const large = /(?<=[[,:]\s*)-?(?:\d{17,}|9\d{15})(?=\s*[\],}])/;
const textsAndLarge = new RegExp(`"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|${large.source}`, "gs");
const MARK = "siteframe:integer";

const LONGEST_MESSAGE = 1000;

/** The problem for each error name of Trino; other names mean an invalid query. */
const problems: Readonly<Record<string, EngineProblem>> = {
  ABANDONED_TASK: "worker-lost",
  NO_NODES_AVAILABLE: "worker-lost",
  PAGE_TRANSPORT_ERROR: "worker-lost",
  PAGE_TRANSPORT_TIMEOUT: "worker-lost",
  REMOTE_HOST_GONE: "worker-lost",
  REMOTE_TASK_ERROR: "worker-lost",
  REMOTE_TASK_MISMATCH: "worker-lost",
  TOO_MANY_REQUESTS_FAILED: "worker-lost",
  CLUSTER_OUT_OF_MEMORY: "memory",
  EXCEEDED_GLOBAL_MEMORY_LIMIT: "memory",
  EXCEEDED_LOCAL_MEMORY_LIMIT: "memory",
  EXCEEDED_MEMORY_LIMIT: "memory",
  EXCEEDED_REVOCABLE_MEMORY_LIMIT: "memory",
  OUT_OF_SPILL_SPACE: "memory",
  EXCEEDED_CPU_LIMIT: "slow",
  EXCEEDED_TIME_LIMIT: "slow",
  PERMISSION_DENIED: "refused",
  QUERY_REJECTED: "refused",
  QUERY_QUEUE_FULL: "unreachable",
  SERVER_SHUTTING_DOWN: "unreachable",
  SERVER_STARTING_UP: "unreachable",
};

const hints: Readonly<Record<EngineProblem, string>> = {
  "worker-lost": "Retry when the workers of the engine are available: the query starts again.",
  memory:
    'Request fewer sites, columns or dates at once, raise the memory: { session: { query_max_memory: "20GB" } }, or add memory to the workers.',
  slow: 'Raise the limit: { session: { query_max_run_time: "1h" } }, or request less at once.',
  refused: "Ask the administrator of the engine for permission.",
  unreachable: "The engine is starting, stopping or overloaded. Retry later.",
  failed: "Look up the id of the query in the engine's list of queries.",
};

const undeclared = /^(TABLE|SCHEMA|CATALOG)_NOT_FOUND$/;

/** Maximum time to wait for a cancellation. */
const CANCEL_MS = 10_000;

/**
 * Trino holds a response back until there is news. Servers that do not are polled less often after this many empty
 * responses.
 */
const EMPTY_AT_ONCE = 20;
const LONGEST_POLL_MS = 1000;

/** Options for running a statement. */
export interface TrinoQueryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the query's id. */
  readonly onStart?: (queryId: string) => void;
  /** Called with the columns of the result as soon as they are known. */
  readonly onColumns?: (columns: readonly TrinoColumn[]) => void;
}

/**
 * Runs a statement and yields its rows in batches. The next rows are fetched on demand, so an engine that is faster
 * than its reader waits. Ending the iteration, or aborting, cancels the query on the engine.
 *
 * @throws EngineError, ProtocolError, or the signal's reason
 */
export async function* trinoQuery(
  service: TrinoService,
  sql: string,
  { signal: outer = cellSignal(), onStart, onColumns }: TrinoQueryOptions,
): AsyncGenerator<EngineRows, void> {
  const { signal, detach } = childSignal(service.life, ...(outer ? [outer] : []));
  const bounds = new QueryBounds(service);
  let page: TrinoPage | undefined;
  let cancelled: Promise<void> | undefined;
  const cancel = () => {
    if (page?.next !== undefined && page.error === undefined)
      cancelled ??= cancelQuery(service, page.queryId, page.next);
    return cancelled;
  };
  // Aborting also works while the reader processes rows.
  signal.addEventListener("abort", cancel, { once: true });
  try {
    signal.throwIfAborted();
    page = await bounds.wait(startQuery(service, sql, signal, bounds));
    onStart?.(page.queryId);
    let columns: readonly TrinoColumn[] | undefined;
    /** The paths of the pages already read. */
    const read = new Set<string>();
    for (let empty = 0; ; ) {
      bounds.check(page.queryId);
      if (page.columns.length > 0) {
        checkColumns(service.server, page, columns);
        columns = page.columns;
        onColumns?.(columns);
      }
      if (page.error) throw trinoQueryError(service.server, page.queryId, page.error);
      if (page.rows.length > 0) yield trinoColumns(service.server, page);
      signal.throwIfAborted();
      if (page.next === undefined) return;
      empty = page.rows.length > 0 ? 0 : empty + 1;
      if (empty > EMPTY_AT_ONCE) {
        const pause = service.effects.sleep(backoffMs(empty - EMPTY_AT_ONCE, 2, LONGEST_POLL_MS), signal);
        await bounds.wait(pause);
      }
      const path: string = page.next;
      page = await bounds.wait(nextPage(service, page, path, signal, bounds));
      if (page.rows.length > 0) read.add(path);
      if (page.next !== undefined && read.has(page.next)) throw readAlready(service, page.queryId);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    detach();
    await cancel();
  }
}

/** The limits of one query: the waiting time of its reader and the size of its responses. */
class QueryBounds {
  readonly #service: TrinoService;
  #waitedMs = 0;
  #bytes = 0;

  constructor(service: TrinoService) {
    this.#service = service;
  }

  /** Waits for a part of the response. */
  async wait<T>(part: Promise<T>): Promise<T> {
    const { effects } = this.#service;
    const start = effects.elapsed();
    const value = await part;
    this.#waitedMs += effects.elapsed() - start;
    return value;
  }

  /** @throws EngineError for a query that exceeds its time; ProtocolError for a result that is too large */
  check(queryId: string): void {
    const { queryTimeoutMs, maxResultBytes } = this.#service.options;
    if (this.#waitedMs > queryTimeoutMs) throw neverDone(this.#service, queryId);
    if (this.#bytes > maxResultBytes) throw resultTooLarge(this.#service, queryId);
  }

  readonly take = (bytes: number): void => {
    this.#bytes += bytes;
  };
}

function neverDone({ options, server }: TrinoService, queryId: string): EngineError {
  const { queryTimeoutMs } = options;
  const message = `${server.name} did not finish query ${queryId} within ${queryTimeoutMs / 1000} s.`;
  return new EngineError(message, server.name, {
    problem: "slow",
    queryId,
    facts: { queryTimeoutMs },
    hint: "Raise `queryTimeoutMs`, or request less at once.",
  });
}

function resultTooLarge({ options, server }: TrinoService, queryId: string): ProtocolError {
  const { maxResultBytes } = options;
  const message = `${server.name} returned more than ${maxResultBytes} bytes for query ${queryId}.`;
  return new ProtocolError(message, "$.data", {
    facts: { engine: server.name, query_id: queryId, maxResultBytes },
    hint: "Raise `maxResultBytes`, or request less at once.",
  });
}

function readAlready({ server }: TrinoService, queryId: string): ProtocolError {
  const message = `${server.name} returned a next address of query ${queryId} that was already read.`;
  return new ProtocolError(message, "$.nextUri", {
    facts: { engine: server.name, query_id: queryId },
    hint: "Check proxies between this computer and Trino's coordinator.",
  });
}

/** The address of the engine is wrong, or no server responds there. */
function noAnswer(service: TrinoService, request: TrinoRequest, error: unknown): Failure {
  const { code, reason, isFinal, cause } = networkReason(error);
  return failure(!isFinal, (attempts) =>
    engineError(service, request, "unreachable", `cannot be reached: ${reason}${tried(attempts)}.`, {
      cause,
      facts: { attempts, code },
      hint: "Check `server`, and whether the engine is running.",
    }),
  );
}

function tooSlow(service: TrinoService, request: TrinoRequest): Failure {
  const { timeoutMs } = service.options;
  return failure(true, (attempts) =>
    engineError(service, request, "slow", `sent no complete response within ${timeoutMs} ms${tried(attempts)}.`, {
      facts: { attempts, timeoutMs },
      hint: "Raise `timeoutMs`, or check the engine's list of queries.",
    }),
  );
}

/** The response is longer than allowed; a retry would not help. */
function tooLong({ options, server }: TrinoService, request: TrinoRequest): Failure {
  const message = `${server.name} returned more than ${options.maxBodyBytes} bytes in one response.`;
  return failure(
    false,
    () =>
      new ProtocolError(message, "$", {
        facts: { engine: server.name, maxBodyBytes: options.maxBodyBytes, ...queryFact(request) },
        hint: "If values are that large, raise `maxBodyBytes`.",
      }),
  );
}

/** The response arrived but could not be read: an HTML page, or incomplete. */
function bodyFailure({ server }: TrinoService, request: TrinoRequest, error: unknown): Failure {
  const { reason, cause } = networkReason(error);
  // The engine's own text, which JSON errors quote, may contain data.
  const reply = error instanceof SyntaxError ? "it is not JSON" : reason;
  return failure(
    true,
    (attempts) =>
      new ProtocolError(`${server.name} returned an unreadable response: ${reply}${tried(attempts)}.`, "$", {
        ...(error instanceof SyntaxError ? {} : { cause }),
        facts: { engine: server.name, attempts, ...queryFact(request) },
        hint: "Check that `server` is the address of Trino, not of a page or proxy in front of it.",
      }),
  );
}

/** A response other than success. */
function refusedRequest(service: TrinoService, request: TrinoRequest, answer: Answer, body: string): Failure {
  const { status } = answer;
  const reply = excerpt(body);
  const about = {
    facts: { status, method: request.method },
    hint: hintFor(status, request, String(answer.headers["location"] ?? "")),
  };
  return {
    retryable: isRetried(status),
    retryAfter: answer.headers["retry-after"],
    toError: (attempts) =>
      engineError(
        service,
        request,
        problemOf(status),
        `returned status ${status}${tried(attempts)}${reply ? `: ${reply}` : "."}`,
        {
          ...about,
          facts: { ...about.facts, attempts },
        },
      ),
  };
}

/**
 * Statuses that may be retried by Trino's protocol description, and the statuses of proxies in front of a starting
 * engine.
 */
function isRetried(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

function problemOf(status: number): EngineProblem {
  if (status === 401 || status === 403) return "refused";
  return isRetried(status) ? "unreachable" : "failed";
}

function hintFor(status: number, { queryId }: TrinoRequest, location: string): string {
  if (status === 401 || status === 403) return "Check `user` and `auth`, and the permissions of the user.";
  if (status >= 300 && status < 400) {
    return redirectHint(location, "`server`");
  }
  if (isRetried(status)) return "The engine is starting or overloaded. Retry later.";
  if (queryId !== undefined && (status === 404 || status === 410)) {
    return "The engine dropped the query, because it restarted or no rows were fetched for five minutes. Run the query again.";
  }
  return "Check that `server` is the address of Trino's coordinator.";
}

function failure(retryable: boolean, toError: Failure["toError"]): Failure {
  return { retryable, toError };
}

function engineError(
  { server }: TrinoService,
  { queryId }: TrinoRequest,
  problem: EngineProblem,
  message: string,
  options: SiteframeErrorOptions,
): EngineError {
  const about = queryId === undefined ? "" : ` for query ${queryId}`;
  return new EngineError(`${server.name}${about} ${message}`, server.name, { problem, queryId, ...options });
}

function queryFact({ queryId }: TrinoRequest): { query_id?: string } {
  return queryId === undefined ? {} : { query_id: queryId };
}

function tried(attempts: number): string {
  return attempts > 1 ? ` (${attempts} attempts)` : "";
}

/** The start of the readable text of a response. HTML pages are omitted, and so is JSON, which may contain rows. */
function excerpt(body: string): string {
  if (/^\s*[<{["]/.test(body)) return "";
  const text = body.trim().replace(/\s+/g, " ");
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT - 1)}…` : text;
}

/**
 * Parses JSON with exact integers: as bigint if a number would round them.
 *
 * @throws SyntaxError
 */
function parseExactly(text: string): unknown {
  if (!large.test(text)) return JSON.parse(text);
  const marked = text.replace(textsAndLarge, (part) => (part.startsWith('"') ? part : `{"${MARK}":"${part}"}`));
  return JSON.parse(marked, (_, value: unknown) => (isMarked(value) ? exact(BigInt(value[MARK])) : value));
}

function isMarked(value: unknown): value is { readonly [MARK]: string } {
  return typeof value === "object" && value !== null && Object.hasOwn(value, MARK);
}

function exact(integer: bigint): number | bigint {
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}

/**
 * Sends a request, with retries as the options allow.
 *
 * @returns its response as JSON; undefined if it has no body
 * @throws EngineError, ProtocolError, or the signal's reason
 */
async function askTrino(service: TrinoService, request: TrinoRequest): Promise<unknown> {
  const { effects, options, server } = service;
  try {
    const attempt = (number: number) => attemptOnce(service, request, number);
    return await retry(attempt, request.retries ?? options.retries, effects, request.signal);
  } catch (error) {
    if (error instanceof SiteframeError && error !== request.signal.reason) throw server.withoutSecret(error);
    throw error;
  }
}

async function attemptOnce(service: TrinoService, request: TrinoRequest, number: number): Promise<Attempt<unknown>> {
  const { options, bodies, server } = service;
  const late = new Error(`no complete answer within ${options.timeoutMs} ms`);
  const limit = childSignal(request.signal);
  const timer = setTimeout(() => limit.abort(late), options.timeoutMs);
  const start = service.effects.elapsed();
  let answer: Answer | undefined;
  try {
    const sending = {
      origin: server.origin,
      path: request.path,
      method: request.method,
      headers: { ...server.headers(), ...request.headers },
      body: request.body,
    };
    answer = await sendRequest(service, sending, limit.signal, options);
    const body = await decodeContent(answer.body, answer.headers["content-encoding"], options.maxBodyBytes);
    request.onBytes?.(body.length);
    return read(service, request, answer, body);
  } catch (error) {
    request.signal.throwIfAborted();
    return { ok: false, failure: failureOf(service, request, limit.signal.reason === late, error, answer) };
  } finally {
    clearTimeout(timer);
    limit.detach();
    if (answer) bodies.give(answer.body);
    const url = `${server.origin}${request.path}`;
    const durationMs = service.effects.elapsed() - start;
    const event = { method: request.method, url, attempt: number, status: answer?.status, durationMs };
    options.onRequest?.(server.withoutSecret(event));
  }
}

function failureOf(
  service: TrinoService,
  request: TrinoRequest,
  isLate: boolean,
  error: unknown,
  answer: Answer | undefined,
): Failure {
  if (error instanceof BodyTooLarge) return tooLong(service, request);
  if (isLate) return tooSlow(service, request);
  return answer ? bodyFailure(service, request, error) : noAnswer(service, request, error);
}

function read(service: TrinoService, request: TrinoRequest, answer: Answer, body: Uint8Array): Attempt<unknown> {
  const text = new TextDecoder().decode(body);
  if (answer.status < 200 || answer.status > 299) {
    return { ok: false, failure: refusedRequest(service, request, answer, text) };
  }
  return { ok: true, value: text === "" ? undefined : parseExactly(text) };
}

/** Trino's errors about the statement, the cluster and permissions: their messages quote no values of rows. */
const ABOUT_THE_STATEMENT =
  /^(?:SYNTAX_ERROR|NOT_SUPPORTED|TYPE_MISMATCH|PERMISSION_DENIED|NOT_FOUND|EXCEEDED_\w+|\w+_(?:NOT_FOUND|ALREADY_EXISTS|OUT_OF_MEMORY)|(?:QUERY|NO_NODES|REMOTE|TOO_MANY|PAGE_TRANSPORT|MISSING|DUPLICATE_COLUMN|AMBIGUOUS|CATALOG|CONFIGURATION)_\w+)$/;

/** Why a query failed, in the engine's words. */
function trinoQueryError(server: TrinoServer, queryId: string, error: TrinoQueryError): EngineError {
  const problem = problems[error.name] ?? "failed";
  const safe = ABOUT_THE_STATEMENT.test(error.name) ? error.message : withoutValues(error.message, "").text;
  const message = safe.length > LONGEST_MESSAGE ? `${safe.slice(0, LONGEST_MESSAGE)}…` : safe;
  return server.withoutSecret(
    new EngineError(`${server.name} could not run query ${queryId}: ${error.name}: ${message}`, server.name, {
      problem,
      queryId,
      facts: { errorName: error.name, errorType: error.type },
      hint: undeclared.test(error.name)
        ? "Check `catalog` and `schema`. To declare the tables of a folder, run `siteframe ddl trino`."
        : hints[problem],
    }),
  );
}

/** The next page. Rows that come twice, or from another query, would silently give a wrong result. */
async function nextPage(
  service: TrinoService,
  { queryId }: TrinoPage,
  path: string,
  signal: AbortSignal,
  { take }: QueryBounds,
): Promise<TrinoPage> {
  const { server } = service;
  const answer = await askTrino(service, { method: "GET", path, queryId, signal, onBytes: take });
  const page = readTrinoPage(server, answer);
  const facts = { engine: server.name, query_id: queryId };
  const hint = "Check proxies between this computer and Trino's coordinator.";
  if (page.queryId !== queryId) {
    const message = `${server.name} returned rows of another query for query ${queryId}.`;
    throw server.withoutSecret(new ProtocolError(message, "$.id", { facts, hint }));
  }
  return page;
}

/** @throws ProtocolError if the columns of a result change */
function checkColumns(server: TrinoServer, page: TrinoPage, before: readonly TrinoColumn[] | undefined): void {
  const isSame = (column: TrinoColumn, index: number) =>
    column.name === before?.[index]?.name && column.type === before[index].type;
  if (!before || (before.length === page.columns.length && page.columns.every(isSame))) return;
  const message = `${server.name} changed the columns of query ${page.queryId} between two responses.`;
  const facts = { engine: server.name, query_id: page.queryId };
  throw server.withoutSecret(
    new ProtocolError(message, "$.columns", {
      facts,
      hint: "Retry. If it happens again, check the log of the coordinator.",
    }),
  );
}

async function startQuery(
  service: TrinoService,
  sql: string,
  signal: AbortSignal,
  { take }: QueryBounds,
): Promise<TrinoPage> {
  const { server } = service;
  const path = `${server.prefix}/v1/statement`;
  const headers = server.sessionHeaders;
  const answer = await askTrino(service, { method: "POST", path, headers, body: sql, signal, onBytes: take });
  return readTrinoPage(server, answer);
}

/** Best effort: an unreachable engine cancels a query by itself when its rows are no longer requested. */
async function cancelQuery(service: TrinoService, queryId: string, path: string): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_MS);
  await askTrino(service, { method: "DELETE", path, queryId, retries: 2, signal }).catch(() => undefined);
}
