import { keyScrub, withoutKey } from "../../../client/http/key-scrub.js";
import type { BodyBuffers } from "../../../client/http/response-body.js";
import type { Transport } from "../../../client/http/transport.js";
import type { Effects } from "../../../core/effects.js";
import { ArgumentError, ProtocolError } from "../../../core/errors.js";
import { isLoopback } from "../../../core/is-loopback.js";
import { showValue } from "../../../core/show-value.js";
import type { ResolvedTrinoOptions, TrinoAuth, TrinoOptions } from "./trino-options.js";

/** A checked address with its secret. The secret sits in closures, so no inspection, JSON or spread can show it. */
export interface TrinoServer {
  /** What provenance and errors call it: `Trino at https://trino.example.com`. */
  readonly name: string;
  readonly origin: string;
  /** Path before Trino's own, without a trailing slash. */
  readonly prefix: string;
  /** Headers of every request: who asks, and how he is let in. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Headers that a query begins with: where its tables are. */
  readonly sessionHeaders: Readonly<Record<string, string>>;
  /** A value without the secret in any of its texts, should an engine or proxy have repeated it. */
  readonly withoutSecret: <T>(value: T) => T;
}

/**
 * Checks an address and how a user is let in.
 *
 * @throws ArgumentError that shows neither
 */
export function resolveTrinoServer(
  { server, auth }: Pick<TrinoOptions, "server" | "auth">,
  options: ResolvedTrinoOptions,
): TrinoServer {
  const url = resolveAddress(server);
  const secret = resolveAuth(auth, url);
  const authorization = secret === undefined ? {} : authorizationOf(auth, secret, options.user);
  const scrub = secret === undefined ? (text: string) => text : keyScrub(secret);
  const prefix = url.pathname.replace(/\/+$/, "");
  return {
    name: scrub(`Trino at ${url.origin}${prefix}`),
    origin: url.origin,
    prefix,
    headers: () => ({ "x-trino-user": options.user, "x-trino-source": options.source, ...authorization }),
    sessionHeaders: sessionHeaders(options),
    withoutSecret: (value) => withoutKey(value, scrub),
  };
}

function sessionHeaders({ catalog, schema, session }: ResolvedTrinoOptions): Readonly<Record<string, string>> {
  const properties = Object.entries(session).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return {
    "content-type": "text/plain; charset=utf-8",
    "x-trino-catalog": catalog,
    "x-trino-schema": schema,
    // No answer depends on the zone in which an engine stands.
    "x-trino-time-zone": "UTC",
    // Without it Trino rounds instants to milliseconds.
    "x-trino-client-capabilities": "PARAMETRIC_DATETIME",
    ...(properties.length === 0 ? {} : { "x-trino-session": properties.join(",") }),
  };
}

function resolveAddress(server: string | URL | undefined): URL {
  const hint = "Pass the address of Trino's coordinator: https://trino.example.com.";
  if (server === undefined) throw new ArgumentError("trino() needs the option server.", { hint });
  const url = URL.canParse(String(server)) ? new URL(server) : undefined;
  // The text is not repeated where it may hold a password.
  if (!url) throw new ArgumentError("trino(): server is not a URL.", { hint });
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ArgumentError(`trino(): server is ${showValue(url.protocol)}, not http: or https:.`, { hint });
  }
  if (url.username || url.password) {
    throw new ArgumentError("trino(): server holds a user name or password.", {
      hint: "Pass them as the options user and auth.",
    });
  }
  if (url.search || url.hash) {
    throw new ArgumentError("trino(): server holds a query or fragment.", {
      hint: "Catalog, schema and session are options of their own.",
    });
  }
  return url;
}

function resolveAuth(auth: TrinoAuth | undefined, url: URL): string | undefined {
  if (auth === undefined) return undefined;
  const secret = secretOf(auth);
  const hint = "Pass { password } or { token }.";
  if (secret === undefined) throw new ArgumentError("trino(): auth is neither a password nor a token.", { hint });
  // Anything else could break out of the header.
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(secret)) {
    throw new ArgumentError("trino(): auth is empty, or holds line breaks or characters outside ASCII.", { hint });
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new ArgumentError("trino(): auth would travel over http:, where others can read it.", {
      hint: "Use the https: address of the engine.",
    });
  }
  return secret;
}

function secretOf(auth: unknown): string | undefined {
  if (typeof auth !== "object" || auth === null) return undefined;
  const [[name, value] = [], ...others] = Object.entries(auth);
  const isKnown = (name === "password" || name === "token") && others.length === 0;
  return isKnown && typeof value === "string" ? value : undefined;
}

function authorizationOf(auth: TrinoAuth | undefined, secret: string, user: string): { authorization: string } {
  const isToken = auth !== undefined && "token" in auth;
  const basic = () => `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
  return { authorization: isToken ? `Bearer ${secret}` : basic() };
}

/** What all requests to one Trino share. */
export interface TrinoService {
  readonly server: TrinoServer;
  readonly options: ResolvedTrinoOptions;
  readonly transport: Transport;
  readonly bodies: BodyBuffers;
  readonly effects: Effects;
  /** Aborts when the engine is closed. */
  readonly life: AbortSignal;
}

/** One request, however often it is sent. All of Trino's may be: a query runs from the first time that it is looked at. */
export interface TrinoRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The query that the request is about, for errors. */
  readonly queryId?: string | undefined;
  readonly retries?: number;
  readonly signal: AbortSignal;
  /** Called with the bytes of an answer, decompressed. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** A column of a result. */
export interface TrinoColumn {
  readonly name: string;
  /** Type as Trino writes it: `bigint`, `varchar(3)`. */
  readonly type: string;
}

/** Why Trino did not answer a query, in its own words. */
export interface TrinoQueryError {
  /** Such as `TABLE_NOT_FOUND`. */
  readonly name: string;
  /** USER_ERROR, INTERNAL_ERROR, INSUFFICIENT_RESOURCES or EXTERNAL. */
  readonly type: string;
  readonly message: string;
}

/** One of the answers that a query has. */
export interface TrinoPage {
  readonly queryId: string;
  /** Where the next one is, path and query; undefined in the last. */
  readonly next: string | undefined;
  readonly columns: readonly TrinoColumn[];
  readonly rows: readonly (readonly unknown[])[];
  readonly error: TrinoQueryError | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** An id of a query. Messages quote no other ids: they could be values of records. */
const queryIds = /^[A-Za-z0-9_]{1,64}$/;
const errorNames = /^[A-Z][A-Z0-9_]{0,63}$/;

/**
 * Checks an answer of Trino's.
 *
 * @throws ProtocolError with the place of what it must not hold
 */
export function readTrinoPage(server: TrinoServer, answer: unknown): TrinoPage {
  const page = members(server, answer, "$");
  const queryId = textAt(server, page["id"], "$.id");
  if (!queryIds.test(queryId)) throw broken(server, "$.id", "an id such as 20261130_081500_00042_abcde", queryId);
  const columns = (listAt(server, page["columns"], "$.columns") ?? []).map((column, index) => {
    const path = `$.columns[${index}]`;
    const { name, type } = members(server, column, path);
    return { name: textAt(server, name, `${path}.name`), type: textAt(server, type, `${path}.type`) };
  });
  const rows = listAt(server, page["data"], "$.data") ?? [];
  return {
    queryId,
    next: nextPath(server, page["nextUri"], queryId),
    columns,
    rows: rows.map((row, index) => {
      if (Array.isArray(row) && row.length === columns.length) return row;
      throw broken(server, `$.data[${index}]`, `a row of ${columns.length} cells`, row, queryId);
    }),
    error: queryError(server, page["error"]),
  };
}

/** The secret goes to the address that the caller gave, and to no other. */
function nextPath(server: TrinoServer, nextUri: unknown, queryId: string): string | undefined {
  if (nextUri === undefined || nextUri === null) return undefined;
  const text = textAt(server, nextUri, "$.nextUri");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Nor is anything fetched or deleted there that is no result.
  if (url?.origin === server.origin && url.pathname.includes("/v1/statement/")) return `${url.pathname}${url.search}`;
  const place = url && url.origin !== server.origin ? showValue(url.origin) : "an address without /v1/statement/";
  throw server.withoutSecret(
    new ProtocolError(`${server.name} says that the results of query ${queryId} are at ${place}.`, "$.nextUri", {
      facts: { engine: server.name, query_id: queryId },
      hint: "Behind a proxy, set http-server.process-forwarded=true in Trino's configuration; otherwise pass this address as the option server.",
    }),
  );
}

function queryError(server: TrinoServer, error: unknown): TrinoQueryError | undefined {
  if (error === undefined || error === null) return undefined;
  const { errorName, errorType, message } = members(server, error, "$.error");
  return {
    name: isErrorName(errorName) ? errorName : "UNKNOWN",
    type: isErrorName(errorType) ? errorType : "UNKNOWN",
    message: typeof message === "string" ? message : "",
  };
}

function isErrorName(value: unknown): value is string {
  return typeof value === "string" && errorNames.test(value);
}

function members(server: TrinoServer, value: unknown, path: string): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw broken(server, path, "an object", value);
}

function textAt(server: TrinoServer, value: unknown, path: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw broken(server, path, "a string", value);
}

function listAt(server: TrinoServer, value: unknown, path: string): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value;
  throw broken(server, path, "an array", value);
}

function broken(server: TrinoServer, path: string, expected: string, value: unknown, queryId?: string): ProtocolError {
  const found = Array.isArray(value) ? `an array of ${value.length}` : value === null ? "null" : typeof value;
  return new ProtocolError(`${server.name} answered ${found} at ${path}, where ${expected} belongs.`, path, {
    facts: { engine: server.name, ...(queryId === undefined ? {} : { query_id: queryId }) },
    hint: "Check that the option server is the address of Trino's coordinator.",
  });
}
