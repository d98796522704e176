import { redactSecret, secretRedactor } from "../../../client/http/redact-secret.js";
import type { BodyBuffers } from "../../../client/http/response-body.js";
import type { Transport } from "../../../client/http/transport.js";
import type { Effects } from "../../../core/effects.js";
import { ArgumentError, ProtocolError } from "../../../core/errors.js";
import { showValue } from "../../../core/show-value.js";
import { isLoopback } from "../../../core/url-checks.js";
import type { EngineRows } from "./engine.js";
import type { ResolvedTrinoOptions, TrinoAuth, TrinoOptions } from "./trino-options.js";

/** A checked address with its secret. The secret is kept in closures, so inspection, JSON or spread cannot show it. */
export interface TrinoServer {
  /** Name for provenance and errors: `Trino at https://trino.example.com`. */
  readonly name: string;
  readonly origin: string;
  /** Path before Trino's own, without a trailing slash. */
  readonly prefix: string;
  /** Headers of every request: user and authentication. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Headers of the first request of a query: catalog and schema. */
  readonly sessionHeaders: Readonly<Record<string, string>>;
  /** A value with the secret removed from its strings, in case an engine or proxy repeated it. */
  readonly withoutSecret: <T>(value: T) => T;
}

/**
 * Checks an address and its authentication.
 *
 * @throws ArgumentError, which shows neither
 */
export function resolveTrinoServer(
  { server, auth }: Pick<TrinoOptions, "server" | "auth">,
  options: ResolvedTrinoOptions,
): TrinoServer {
  const url = resolveAddress(server);
  const secret = resolveAuth(auth, url);
  const authorization = secret === undefined ? {} : authorizationOf(auth, secret, options.user);
  const scrub = secret === undefined ? (text: string) => text : secretRedactor(secret);
  const prefix = url.pathname.replace(/\/+$/, "");
  return {
    name: scrub(`Trino at ${url.origin}${prefix}`),
    origin: url.origin,
    prefix,
    headers: () => ({ "x-trino-user": options.user, "x-trino-source": options.source, ...authorization }),
    sessionHeaders: sessionHeaders(options),
    withoutSecret: (value) => redactSecret(value, scrub),
  };
}

function sessionHeaders({ catalog, schema, session }: ResolvedTrinoOptions): Readonly<Record<string, string>> {
  const properties = Object.entries(session).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return {
    "content-type": "text/plain; charset=utf-8",
    "x-trino-catalog": catalog,
    "x-trino-schema": schema,
    // Results must not depend on the time zone of the engine.
    "x-trino-time-zone": "UTC",
    // Without this capability Trino rounds instants to milliseconds.
    "x-trino-client-capabilities": "PARAMETRIC_DATETIME",
    ...(properties.length === 0 ? {} : { "x-trino-session": properties.join(",") }),
  };
}

function resolveAddress(server: string | URL | undefined): URL {
  const hint = "Pass the address of Trino's coordinator: https://trino.example.com.";
  if (server === undefined) throw new ArgumentError("trino(): `server` is missing.", { hint });
  const url = URL.canParse(String(server)) ? new URL(server) : undefined;
  // The address is not shown, because it may contain a password.
  if (!url) throw new ArgumentError("trino(): `server` is not a URL.", { hint });
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ArgumentError(`trino(): unknown protocol ${showValue(url.protocol)} in \`server\`.`, { hint });
  }
  if (url.username || url.password) {
    throw new ArgumentError("trino(): `server` contains a user name or password.", {
      hint: 'Pass them as `user` and `auth`: { user: "me", auth: { password } }.',
    });
  }
  if (url.search || url.hash) {
    throw new ArgumentError("trino(): `server` contains a query or fragment.", {
      hint: "Pass `catalog`, `schema` and `session` as options.",
    });
  }
  return url;
}

function resolveAuth(auth: TrinoAuth | undefined, url: URL): string | undefined {
  if (auth === undefined) return undefined;
  const secret = secretOf(auth);
  const hint = "Pass { auth: { password } } or { auth: { token } }.";
  if (secret === undefined) throw new ArgumentError("trino(): `auth` has neither `password` nor `token`.", { hint });
  // Anything else could break out of the header.
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(secret)) {
    throw new ArgumentError("trino(): `auth` is empty, or contains line breaks or characters outside ASCII.", { hint });
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new ArgumentError("trino(): `auth` would be sent unencrypted over http:.", {
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

/** Shared by all requests to one Trino. */
export interface TrinoService {
  readonly server: TrinoServer;
  readonly options: ResolvedTrinoOptions;
  readonly transport: Transport;
  readonly bodies: BodyBuffers;
  readonly effects: Effects;
  /** Aborts when the engine is closed. */
  readonly life: AbortSignal;
}

/**
 * One request, with all its retries. All requests of Trino's protocol may be retried: a query starts only with the
 * first fetch.
 */
export interface TrinoRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The query of the request, for errors. */
  readonly queryId?: string | undefined;
  readonly retries?: number;
  readonly signal: AbortSignal;
  /** Called with the number of bytes of a response, decompressed. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** A column of a result. */
export interface TrinoColumn {
  readonly name: string;
  /** Type in Trino's spelling: `bigint`, `varchar(3)`. */
  readonly type: string;
}

/** Trino's error for a query, in its own words. */
export interface TrinoQueryError {
  /** For example `TABLE_NOT_FOUND`. */
  readonly name: string;
  /** USER_ERROR, INTERNAL_ERROR, INSUFFICIENT_RESOURCES or EXTERNAL. */
  readonly type: string;
  readonly message: string;
}

/** One response page of a query. */
export interface TrinoPage {
  readonly queryId: string;
  /** Path and query of the next page; undefined for the last one. */
  readonly next: string | undefined;
  readonly columns: readonly TrinoColumn[];
  readonly rows: readonly (readonly unknown[])[];
  readonly error: TrinoQueryError | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** Valid ids of queries. Messages quote no other ids, which could be values of records. */
const queryIds = /^[A-Za-z0-9_]{1,64}$/;
const errorNames = /^[A-Z][A-Z0-9_]{0,63}$/;

/**
 * Checks a response of Trino.
 *
 * @throws ProtocolError with the position of the invalid part
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

/** The secret is only sent to the address that the caller passed. */
function nextPath(server: TrinoServer, nextUri: unknown, queryId: string): string | undefined {
  if (nextUri === undefined || nextUri === null) return undefined;
  const text = textAt(server, nextUri, "$.nextUri");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Only paths of results are fetched or deleted there.
  if (url?.origin === server.origin && url.pathname.includes("/v1/statement/")) return `${url.pathname}${url.search}`;
  const address = url && url.origin !== server.origin ? showValue(url.origin) : "an address without /v1/statement/";
  throw server.withoutSecret(
    new ProtocolError(
      `${server.name} returned an unexpected address for the results of query ${queryId}: ${address}.`,
      "$.nextUri",
      {
        facts: { engine: server.name, query_id: queryId },
        hint: "Behind a proxy, set http-server.process-forwarded=true in Trino's configuration; otherwise pass this address as `server`.",
      },
    ),
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
  const received = Array.isArray(value) ? `an array of ${value.length}` : value === null ? "null" : typeof value;
  return new ProtocolError(`${server.name} returned ${received} at ${path} instead of ${expected}.`, path, {
    facts: { engine: server.name, ...(queryId === undefined ? {} : { query_id: queryId }) },
    hint: "Check that `server` is the address of Trino's coordinator.",
  });
}

type Read = (cell: unknown) => unknown;

/** Marks a cell that does not fit the type of its column. */
const wrong = Symbol("wrong");

const integer: Read = (cell) => (Number.isSafeInteger(cell) || typeof cell === "bigint" ? cell : wrong);

/** JSON does not have these numbers: Trino writes them as strings. */
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

/**
 * Converts rows of a response to columns, with integers as bigint if a number would round them. Values of types that
 * JSON lacks (decimals, dates) keep Trino's spelling.
 *
 * @throws ProtocolError for a cell that does not fit the type of its column
 */
export function trinoColumns(server: TrinoServer, { columns, rows, queryId }: TrinoPage): EngineRows {
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
    `${server.name} returned a ${typeof cell} at ${path} of query ${queryId}, in a column of type ${type}.`,
    path,
    { facts: { engine: server.name, query_id: queryId, type } },
  );
}
