import { ProtocolError } from "../../../core/errors.js";
import { showValue } from "../../../core/show-value.js";
import type { TrinoServer } from "./trino-server.js";

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

/**
 * Checks an answer of Trino's.
 *
 * @throws ProtocolError with the place of what it must not hold
 */
export function readTrinoPage(server: TrinoServer, answer: unknown): TrinoPage {
  const page = members(server, answer, "$");
  const queryId = textAt(server, page["id"], "$.id");
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
  throw server.withoutSecret(
    new ProtocolError(
      `${server.name} says that the results of query ${queryId} are at ${showValue(url && url.origin !== server.origin ? url.origin : text)}.`,
      "$.nextUri",
      {
        facts: { engine: server.name, query_id: queryId },
        hint: "Behind a proxy, set http-server.process-forwarded=true in Trino's configuration; otherwise pass this address as the option server.",
      },
    ),
  );
}

function queryError(server: TrinoServer, error: unknown): TrinoQueryError | undefined {
  if (error === undefined || error === null) return undefined;
  const { errorName, errorType, message } = members(server, error, "$.error");
  return {
    name: typeof errorName === "string" ? errorName : "UNKNOWN",
    type: typeof errorType === "string" ? errorType : "UNKNOWN",
    message: typeof message === "string" ? message : "",
  };
}

function members(server: TrinoServer, value: unknown, path: string): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw broken(server, path, "an object", value);
}

function textAt(server: TrinoServer, value: unknown, path: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw broken(server, path, "a text", value);
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
