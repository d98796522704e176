import { type Answer, redirectHint, sendRequest } from "../../../client/http/request.js";
import { BodyTooLarge, decodeContent } from "../../../client/http/response-body.js";
import { type Attempt, backoffMs, type Failure, retry } from "../../../client/http/retry.js";
import { networkReason } from "../../../client/http/transport.js";
import { childSignal } from "../../../core/child-signal.js";
import {
  EngineError,
  type EngineProblem,
  ProtocolError,
  SiteframeError,
  type SiteframeErrorOptions,
} from "../../../core/errors.js";
import { withoutValues } from "../../../tables/sql/without-values.js";
import type { EngineRows } from "./engine.js";
import {
  readTrinoPage,
  type TrinoColumn,
  type TrinoPage,
  type TrinoQueryError,
  type TrinoRequest,
  type TrinoServer,
  type TrinoService,
} from "./trino-server.js";

const EXCERPT = 300;

/** An integer that a number may round, as a cell between brackets or commas. */
const large = /(?<=[[,:]\s*)-?(?:\d{17,}|9\d{15})(?=\s*[\],}])/;
const textsAndLarge = new RegExp(`"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|${large.source}`, "gs");
const MARK = "siteframe:integer";

type Read = (cell: unknown) => unknown;

/** What a cell is not when its column's type is right. */
const wrong = Symbol("wrong");

const integer: Read = (cell) => (Number.isSafeInteger(cell) || typeof cell === "bigint" ? cell : wrong);

/** JSON has no such numbers: Trino writes them as texts. */
const unwritten: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity, "-Infinity": -Infinity };

const float: Read = (cell) => (typeof cell === "number" ? cell : (unwritten[String(cell)] ?? wrong));
const text: Read = (cell) => (typeof cell === "string" ? cell : wrong);
const flag: Read = (cell) => (typeof cell === "boolean" ? cell : wrong);

const readers: Readonly<Record<string, Read>> = {
  bigint: integer,
  integer,
  smallint: integer,
  tinyint: integer,
  double: float,
  real: float,
  boolean: flag,
  varchar: text,
  char: text,
};

const LONGEST_MESSAGE = 1000;

/** What a name of Trino's stands for, where it does not stand for a query that is wrong. */
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
  "worker-lost": "Ask again when the engine's workers are there: it runs a query anew, not from where it was.",
  memory:
    "Ask for fewer sites, columns or dates at once, raise query_max_memory in the option session, or give the workers more.",
  slow: "Raise query_max_run_time in the option session, or ask for less at once.",
  refused: "Ask whoever keeps the engine what the user may do.",
  unreachable: "The engine starts, stops, or has more to do than it can: ask again later.",
  failed: "Look the query up by its id in the engine's list of queries.",
};

const undeclared = /^(TABLE|SCHEMA|CATALOG)_NOT_FOUND$/;

/** A cancellation is worth waiting for so long. */
const CANCEL_MS = 10_000;

/** Trino holds an answer back until there is something to say. What does not is asked less often, from these on. */
const EMPTY_AT_ONCE = 20;
const LONGEST_POLL_MS = 1000;

/** How one statement is run. */
export interface TrinoQueryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the query's id. */
  readonly onStart?: (queryId: string) => void;
  /** Called with the columns of its result, as soon as they are known. */
  readonly onColumns?: (columns: readonly TrinoColumn[]) => void;
}

/**
 * Runs one statement and gives its rows as they come. The next rows are fetched when they are asked for, so an engine
 * that is faster than its reader waits. Whoever stops reading, or aborts, cancels the query on the engine.
 *
 * @throws EngineError, ProtocolError, or the signal's reason
 */
export async function* trinoQuery(
  service: TrinoService,
  sql: string,
  { signal: outer, onStart, onColumns }: TrinoQueryOptions,
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
  // Also while the reader is busy with rows.
  signal.addEventListener("abort", cancel, { once: true });
  try {
    signal.throwIfAborted();
    page = await bounds.wait(startQuery(service, sql, signal, bounds));
    onStart?.(page.queryId);
    let columns: readonly TrinoColumn[] | undefined;
    /** Where rows came from. */
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

/** What one query takes of its bounds: the time that its reader waits, and the bytes of its answers. */
class QueryBounds {
  readonly #service: TrinoService;
  #waitedMs = 0;
  #bytes = 0;

  constructor(service: TrinoService) {
    this.#service = service;
  }

  /** Waits for a part of the answer. */
  async wait<T>(part: Promise<T>): Promise<T> {
    const { effects } = this.#service;
    const start = effects.elapsed();
    const value = await part;
    this.#waitedMs += effects.elapsed() - start;
    return value;
  }

  /** @throws EngineError for a query that takes longer than it may; ProtocolError for a result that is too large */
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
    hint: "Raise the option queryTimeoutMs, or ask for less at once.",
  });
}

function resultTooLarge({ options, server }: TrinoService, queryId: string): ProtocolError {
  const { maxResultBytes } = options;
  const message = `${server.name} answered query ${queryId} with more than ${maxResultBytes} bytes.`;
  return new ProtocolError(message, "$.data", {
    facts: { engine: server.name, query_id: queryId, maxResultBytes },
    hint: "Raise the option maxResultBytes, or ask for less at once.",
  });
}

function readAlready({ server }: TrinoService, queryId: string): ProtocolError {
  const message = `${server.name} says that rows of query ${queryId} are followed by rows that were read before.`;
  return new ProtocolError(message, "$.nextUri", {
    facts: { engine: server.name, query_id: queryId },
    hint: "Check proxies between this computer and Trino's coordinator.",
  });
}

/** The address of the engine is wrong, or nobody answers there. */
function noAnswer(service: TrinoService, request: TrinoRequest, error: unknown): Failure {
  const { code, reason, isFinal, cause } = networkReason(error);
  return failure(!isFinal, (attempts) =>
    engineError(service, request, "unreachable", `cannot be reached: ${reason}${tried(attempts)}.`, {
      cause,
      facts: { attempts, code },
      hint: "Check the option server, and whether the engine runs.",
    }),
  );
}

function tooSlow(service: TrinoService, request: TrinoRequest): Failure {
  const { timeoutMs } = service.options;
  return failure(true, (attempts) =>
    engineError(service, request, "slow", `gave no complete answer within ${timeoutMs} ms${tried(attempts)}.`, {
      facts: { attempts, timeoutMs },
      hint: "Raise the option timeoutMs, or look in the engine's list of queries what it does.",
    }),
  );
}

/** The answer is longer than allowed; it would be the next time too. */
function tooLong({ options, server }: TrinoService, request: TrinoRequest): Failure {
  const message = `${server.name} answered with more than ${options.maxBodyBytes} bytes at once.`;
  return failure(
    false,
    () =>
      new ProtocolError(message, "$", {
        facts: { engine: server.name, maxBodyBytes: options.maxBodyBytes, ...queryFact(request) },
        hint: "Raise the option maxBodyBytes if there are such values.",
      }),
  );
}

/** The answer arrived but could not be read: a page for people, or broken off. */
function bodyFailure({ server }: TrinoService, request: TrinoRequest, error: unknown): Failure {
  const { reason, cause } = networkReason(error);
  // The engine's own text, which JSON's errors quote, may be anyone's data.
  const said = error instanceof SyntaxError ? "it is not JSON" : reason;
  return failure(
    true,
    (attempts) =>
      new ProtocolError(`${server.name} answered what cannot be read: ${said}${tried(attempts)}.`, "$", {
        ...(error instanceof SyntaxError ? {} : { cause }),
        facts: { engine: server.name, attempts, ...queryFact(request) },
        hint: "Check that the option server is Trino's address, not that of a page or proxy in front of it.",
      }),
  );
}

/** An answer other than success. */
function refusedRequest(service: TrinoService, request: TrinoRequest, answer: Answer, body: string): Failure {
  const { status } = answer;
  const said = excerpt(body);
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
        `answered ${status}${tried(attempts)}${said ? `: ${said}` : "."}`,
        {
          ...about,
          facts: { ...about.facts, attempts },
        },
      ),
  };
}

/** What Trino's description of its protocol allows to repeat, and what proxies answer for an engine that starts. */
function isRetried(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

function problemOf(status: number): EngineProblem {
  if (status === 401 || status === 403) return "refused";
  return isRetried(status) ? "unreachable" : "failed";
}

function hintFor(status: number, { queryId }: TrinoRequest, location: string): string {
  if (status === 401 || status === 403) return "Check the options user and auth, and what the user may see.";
  if (status >= 300 && status < 400) {
    return redirectHint(location, "the option server");
  }
  if (isRetried(status)) return "The engine starts, or has more to do than it can: ask again later.";
  if (queryId !== undefined && (status === 404 || status === 410)) {
    return "The engine forgot the query: it does when it starts anew, and where nobody fetched rows for five minutes. Ask again.";
  }
  return "Check that the option server is the address of Trino's coordinator.";
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

/** The start of what an answer says to people. Pages for browsers are omitted, and so is JSON, which may have rows. */
function excerpt(body: string): string {
  if (/^\s*[<{["]/.test(body)) return "";
  const text = body.trim().replace(/\s+/g, " ");
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT - 1)}…` : text;
}

/**
 * JSON with every integer exact: as bigint where a number would round it.
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
 * Sends one request, repeated as the options allow.
 *
 * @returns its answer as JSON; undefined where it has no body
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

/**
 * Rows of an answer as columns: integers as bigint where a number would round them. Values of types that JSON does not
 * have (decimals, dates) stay as Trino writes them.
 *
 * @throws ProtocolError for a cell that is not of its column's type
 */
function trinoColumns(server: TrinoServer, { columns, rows, queryId }: TrinoPage): EngineRows {
  return {
    rowCount: rows.length,
    columns: columns.map((column, index) => {
      const type = column.type.replace(/\(.*/s, "");
      const read = readers[type];
      return rows.map((row, number) => {
        const cell = row[index];
        if (cell === null || read === undefined) return cell;
        const value = read(cell);
        if (value === wrong) throw wrongCell(server, `$.data[${number}][${index}]`, { queryId, type, cell });
        return value;
      });
    }),
  };
}

function wrongCell(
  server: TrinoServer,
  path: string,
  { queryId, type, cell }: { readonly queryId: string; readonly type: string; readonly cell: unknown },
): ProtocolError {
  return new ProtocolError(
    `${server.name} answered query ${queryId} with a ${typeof cell} at ${path}, in a column of type ${type}.`,
    path,
    { facts: { engine: server.name, query_id: queryId, type } },
  );
}

/** Errors of Trino about the statement, the cluster and permissions, whose messages quote no value of a row. */
const ABOUT_THE_STATEMENT =
  /^(?:SYNTAX_ERROR|NOT_SUPPORTED|TYPE_MISMATCH|PERMISSION_DENIED|NOT_FOUND|EXCEEDED_\w+|\w+_(?:NOT_FOUND|ALREADY_EXISTS|OUT_OF_MEMORY)|(?:QUERY|NO_NODES|REMOTE|TOO_MANY|PAGE_TRANSPORT|MISSING|DUPLICATE_COLUMN|AMBIGUOUS|CATALOG|CONFIGURATION)_\w+)$/;

/** Why a query has no answer, in the engine's own words. */
function trinoQueryError(server: TrinoServer, queryId: string, error: TrinoQueryError): EngineError {
  const problem = problems[error.name] ?? "failed";
  const shown = ABOUT_THE_STATEMENT.test(error.name) ? error.message : withoutValues(error.message, "").text;
  const message = shown.length > LONGEST_MESSAGE ? `${shown.slice(0, LONGEST_MESSAGE)}…` : shown;
  return server.withoutSecret(
    new EngineError(`${server.name} could not answer query ${queryId}: ${error.name}: ${message}`, server.name, {
      problem,
      queryId,
      facts: { errorName: error.name, errorType: error.type },
      hint: undeclared.test(error.name)
        ? "Check the options catalog and schema: siteframe ddl trino declares the tables of a folder."
        : hints[problem],
    }),
  );
}

/** The page behind another. Rows that come twice, or are another query's, would be wrong without a word. */
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
    const message = `${server.name} answered a request for rows of query ${queryId} with rows of another query.`;
    throw server.withoutSecret(new ProtocolError(message, "$.id", { facts, hint }));
  }
  return page;
}

/** @throws ProtocolError if a result has other columns than before */
function checkColumns(server: TrinoServer, page: TrinoPage, before: readonly TrinoColumn[] | undefined): void {
  const isSame = (column: TrinoColumn, index: number) =>
    column.name === before?.[index]?.name && column.type === before[index].type;
  if (!before || (before.length === page.columns.length && page.columns.every(isSame))) return;
  const message = `${server.name} changed the columns of query ${page.queryId} from one answer to the next.`;
  const facts = { engine: server.name, query_id: page.queryId };
  throw server.withoutSecret(
    new ProtocolError(message, "$.columns", { facts, hint: "Ask again; the engine is not sound." }),
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

/** Best done, never certain: an engine that cannot be reached cancels a query by itself when nobody asks for its rows. */
async function cancelQuery(service: TrinoService, queryId: string, path: string): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_MS);
  await askTrino(service, { method: "DELETE", path, queryId, retries: 2, signal }).catch(() => undefined);
}
