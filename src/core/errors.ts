import { printable } from "./printable.js";

/** Facts that an error carries besides its message. They are plain JSON and hold neither keys nor person data. */
export type ErrorFacts = Readonly<Record<string, unknown>>;

/** Options shared by every error of the library. */
export interface SiteframeErrorOptions {
  /** How to fix it, one sentence. Shown after the message. */
  readonly hint?: string;
  /** The error that led to this one. */
  readonly cause?: unknown;
  /** The facts as data, for programs. */
  readonly facts?: ErrorFacts;
}

/**
 * Base class of every error that Siteframe throws on purpose.
 *
 * `code` is stable across versions and safe to switch on; `message` is one sentence with the invalid value; `hint`, if
 * present, is how to fix it.
 */
export class SiteframeError extends Error {
  /** Stable name of the kind of error: `ERR_ARGUMENT`. */
  readonly code: string;
  /** How to fix it, one sentence; undefined if unknown. */
  readonly hint: string | undefined;
  /** The facts as data, for programs. */
  readonly facts: ErrorFacts;

  constructor(code: string, message: string, options: SiteframeErrorOptions = {}) {
    super(printable(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = options.hint === undefined ? undefined : printable(options.hint);
    this.facts = options.facts ?? {};
  }

  /** The error as one line: the message, then the hint. */
  override toString(): string {
    return this.hint ? `${this.name}: ${this.message} ${this.hint}` : `${this.name}: ${this.message}`;
  }
}

/** The caller passed something that cannot be used. Thrown before any request is sent. */
export class ArgumentError extends SiteframeError {
  constructor(message: string, options: SiteframeErrorOptions = {}) {
    super("ERR_ARGUMENT", message, options);
  }
}

/** A query was refused, failed, or took more time or memory than allowed. `facts.query` has a query that the engine rejected. */
export class QueryError extends SiteframeError {
  constructor(message: string, options: SiteframeErrorOptions = {}) {
    super("ERR_QUERY", message, options);
  }
}

/** A file or folder cannot be read or written, or its content is not in the expected format. `facts.path` has the path, if known. */
export class FileError extends SiteframeError {
  constructor(message: string, options: SiteframeErrorOptions = {}) {
    super("ERR_FILE", message, options);
  }
}

/** An optional package or program is missing. The hint has the command that installs it. */
export class DependencyError extends SiteframeError {
  constructor(message: string, options: SiteframeErrorOptions = {}) {
    super("ERR_DEPENDENCY", message, options);
  }
}

/** Details of a refused request. `url` never contains a key: keys are sent in a header only. */
export interface Refusal extends SiteframeErrorOptions {
  readonly status: number;
  readonly method: string;
  readonly url: string;
  /**
   * The start of the response body, at most 500 characters; for JSON only the member `error`, since the rest may be
   * records.
   */
  readonly body: string;
}

/** The service refused a request. */
export class ApiError extends SiteframeError {
  /** HTTP status of the response. */
  readonly status: number;
  /** Method of the request. */
  readonly method: string;
  /** URL of the request, with its parameters. Never contains a key. */
  readonly url: string;
  /**
   * The start of the response body, at most 500 characters; for JSON only the member `error`, since the rest may be
   * records.
   */
  readonly body: string;

  constructor(message: string, refusal: Refusal, code = "ERR_API") {
    const { status, method, url } = refusal;
    super(code, message, { ...refusal, facts: { ...refusal.facts, status, method, url } });
    this.status = refusal.status;
    this.method = refusal.method;
    this.url = refusal.url;
    this.body = refusal.body;
  }
}

/** 401: the key is missing or invalid. Never retried. */
export class AuthError extends ApiError {
  constructor(message: string, refusal: Refusal) {
    super(message, refusal, "ERR_AUTH");
  }
}

/** 400: the service did not accept the query. Never retried. */
export class BadRequestError extends ApiError {
  constructor(message: string, refusal: Refusal) {
    super(message, refusal, "ERR_BAD_REQUEST");
  }
}

/** 429 until the retry budget was used up. */
export class RateLimitError extends ApiError {
  constructor(message: string, refusal: Refusal) {
    super(message, refusal, "ERR_RATE_LIMIT");
  }
}

/** 5xx until the retry budget was used up. */
export class ServerError extends ApiError {
  constructor(message: string, refusal: Refusal) {
    super(message, refusal, "ERR_SERVER");
  }
}

/** No valid response after all retries: refused connections, resets, timeouts, truncated or undecodable bodies. */
export class NetworkError extends SiteframeError {
  constructor(message: string, options: SiteframeErrorOptions = {}) {
    super("ERR_NETWORK", message, options);
  }
}

/** The response of the service violates its specification. */
export class ProtocolError extends SiteframeError {
  /** JSON path of the violation in the response, for example `$.data[3].geometry`. */
  readonly path: string;

  constructor(message: string, path: string, options: SiteframeErrorOptions = {}) {
    super("ERR_PROTOCOL", message, { ...options, facts: { ...options.facts, path } });
    this.path = path;
  }
}

/** The data kept changing during the read. */
export class DriftError extends SiteframeError {
  constructor(message: string, options: SiteframeErrorOptions = {}) {
    super("ERR_DRIFT", message, options);
  }
}

/** A snapshot folder is missing, damaged, foreign or from a newer version. */
export class SnapshotError extends SiteframeError {
  constructor(message: string, options: SiteframeErrorOptions = {}) {
    super("ERR_SNAPSHOT", message, options);
  }
}

/**
 * Why an engine failed: unreachable, user or key refused, a lost worker, out of memory, a timeout, or another error in
 * the query.
 */
export type EngineProblem = "unreachable" | "refused" | "worker-lost" | "memory" | "slow" | "failed";

/** Details of a failed query. */
export interface EngineFailure extends SiteframeErrorOptions {
  /** Default: `failed`. */
  readonly problem?: EngineProblem;
  readonly queryId?: string | undefined;
}

/** A query engine was unreachable, refused the query, ran out of memory or failed at a query. */
export class EngineError extends SiteframeError {
  /** Name of the engine: `DuckDB`, `Trino at http://localhost:8080`. Never contains a key. */
  readonly engine: string;
  /** Why the query failed. */
  readonly problem: EngineProblem;
  /** The engine's id of the query, for its log; undefined if it had none yet. */
  readonly queryId: string | undefined;

  constructor(message: string, engine: string, options: EngineFailure = {}) {
    const { problem = "failed", queryId } = options;
    const facts = { ...options.facts, engine, problem, ...(queryId === undefined ? {} : { query_id: queryId }) };
    super("ERR_ENGINE", message, { ...options, facts });
    this.engine = engine;
    this.problem = problem;
    this.queryId = queryId;
  }
}

/** The basemap of a map could not be loaded: a tile server refused, was unreachable, or timed out. */
export class BasemapError extends SiteframeError {
  /** HTTP status of the response; undefined without a response. */
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined, options: SiteframeErrorOptions = {}) {
    super("ERR_BASEMAP", message, {
      ...options,
      facts: { ...options.facts, ...(status === undefined ? {} : { status }) },
    });
    this.status = status;
  }
}
