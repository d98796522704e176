import { printable } from "./printable.js";

/** Facts that an error carries besides its message. They are plain JSON and hold neither keys nor person data. */
export type ErrorFacts = Readonly<Record<string, unknown>>;

/** Options shared by every error of the library. */
export interface SiteframeErrorOptions {
  /** What the caller can do about it, one sentence. Shown after the message. */
  readonly hint?: string;
  /** The error that led to this one. */
  readonly cause?: unknown;
  /** The facts as data, for programs. */
  readonly facts?: ErrorFacts;
}

/**
 * Base class of every error that Siteframe throws on purpose.
 *
 * `code` is stable across versions and safe to switch on; `message` is one sentence for a person,
 * with the value that was wrong; `hint`, if present, says what to do.
 */
export class SiteframeError extends Error {
  /** Stable name of the kind of error: `ERR_ARGUMENT`. */
  readonly code: string;
  /** What to do about it, one sentence; undefined where nothing can be said. */
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

/** What is known of a refused request. `url` never holds a key: keys travel in a header only. */
export interface Refusal extends SiteframeErrorOptions {
  readonly status: number;
  readonly method: string;
  readonly url: string;
  /** The start of the response body, at most 500 characters; of JSON the member `error` alone, since the rest may be records. */
  readonly body: string;
}

/** The service refused a request. */
export class ApiError extends SiteframeError {
  /** Status of the answer. */
  readonly status: number;
  /** Method of the request. */
  readonly method: string;
  /** Address of the request, with its parameters. Never holds a key. */
  readonly url: string;
  /** The start of the response body, at most 500 characters; of JSON the member `error` alone, since the rest may be records. */
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

/** 401: the key is missing or not valid. Never retried. */
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

/** No usable answer came: refused connections, resets, time-outs, truncated or undecodable bodies, to the end. */
export class NetworkError extends SiteframeError {
  constructor(message: string, options: SiteframeErrorOptions = {}) {
    super("ERR_NETWORK", message, options);
  }
}

/** The service answered something that its specification does not allow. */
export class ProtocolError extends SiteframeError {
  /** JSON path of the violation in the response, for example `$.data[3].geometry`. */
  readonly path: string;

  constructor(message: string, path: string, options: SiteframeErrorOptions = {}) {
    super("ERR_PROTOCOL", message, { ...options, facts: { ...options.facts, path } });
    this.path = path;
  }
}

/** The data kept changing while it was read and would not settle. */
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
 * In which way an engine gave no answer: it cannot be reached, refuses the user or the key, loses a worker, runs out of
 * memory, takes longer than allowed, or fails at the query for another reason.
 */
export type EngineProblem = "unreachable" | "refused" | "worker-lost" | "memory" | "slow" | "failed";

/** What is known of a query that an engine did not answer. */
export interface EngineFailure extends SiteframeErrorOptions {
  /** Default `failed`. */
  readonly problem?: EngineProblem;
  readonly queryId?: string | undefined;
}

/** An engine that answers questions was down, refused, ran out of memory or failed at a query. */
export class EngineError extends SiteframeError {
  /** What the engine is called: `DuckDB`, `Trino at http://localhost:8080`. Never holds a key. */
  readonly engine: string;
  /** In which way it gave no answer. */
  readonly problem: EngineProblem;
  /** What the engine calls the query, to look it up there; undefined where it had none yet. */
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

/** The ground of a map did not come: a server of tiles refused, was not there, or took too long. */
export class GroundError extends SiteframeError {
  /** Status of the server's answer; undefined where there was none. */
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined, options: SiteframeErrorOptions = {}) {
    super("ERR_GROUND", message, {
      ...options,
      facts: { ...options.facts, ...(status === undefined ? {} : { status }) },
    });
    this.status = status;
  }
}
