import { type Endpoint, endpoints } from "../../api/endpoints.js";
import type { QueryDefaults } from "../../api/parse-query.js";
import { resources } from "../../api/resources.js";
import { isSortable } from "../../api/select-records.js";
import { showValue } from "../../core/show-value.js";
import { HttpError } from "../answers/answer.js";

const byPath: ReadonlyMap<string, Endpoint> = new Map(
  Object.values(endpoints).map((endpoint) => [endpoint.path, endpoint]),
);
const methods = ["GET", "HEAD"];

/**
 * Returns the endpoint of a request. Paths are compared as received: no trailing slash, no percent-encoding.
 *
 * @throws HttpError 404 or 405
 */
export function route(method: string, path: string): Endpoint {
  const endpoint = byPath.get(path);
  if (!endpoint) {
    const paths = [...byPath.keys()].join(", ");
    throw new HttpError(404, "not_found", `Unknown path: ${showValue(path)}. Endpoints: ${paths}.`);
  }
  if (methods.includes(method)) return endpoint;
  throw new HttpError(405, "method_not_allowed", `${path} supports ${methods.join(" and ")}, but got ${method}.`, {
    Allow: methods.join(", "),
  });
}

/** Path and query string of a request, as received. */
interface RequestTarget {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

/** Splits a request target in origin form (`/sites?id=1`) or absolute form (`http://host/sites?id=1`; RFC 9112, 3.2). */
export function readTarget(target: string): RequestTarget {
  const local = target.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = local.indexOf("?");
  return mark < 0 ? { path: local, query: "" } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}

/**
 * Defaults of this service if the specification shows no number or order: 10 rows per page, ascending ids, and every
 * scalar field sortable.
 */
export function queryDefaults(endpoint: Endpoint, maxPageSize: number): QueryDefaults {
  const fields = Object.entries(resources[endpoint.resource].fields);
  return {
    pageSize: 10,
    maxPageSize,
    sort: [{ field: "id", descending: false }],
    sortable: fields.filter(([, field]) => isSortable(field.type)).map(([name]) => name),
  };
}
