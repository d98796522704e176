import type { Endpoint } from "../../api/endpoints.js";
import { endpoints } from "../../api/endpoints.js";
import { showValue } from "../../core/show-value.js";
import { HttpError } from "./http-error.js";

const byPath: ReadonlyMap<string, Endpoint> = new Map(
  Object.values(endpoints).map((endpoint) => [endpoint.path, endpoint]),
);
const methods = ["GET", "HEAD"];

/**
 * The endpoint of a request. Paths are compared as they came: no trailing slash, no percent-encoding.
 *
 * @throws HttpError 404 or 405
 */
export function route(method: string, path: string): Endpoint {
  const endpoint = byPath.get(path);
  if (!endpoint) {
    const known = [...byPath.keys()].join(", ");
    throw new HttpError(404, "not_found", `There is no ${showValue(path)}. The endpoints are ${known}.`);
  }
  if (methods.includes(method)) return endpoint;
  throw new HttpError(405, "method_not_allowed", `${path} answers ${methods.join(" and ")}, but got ${method}.`, {
    Allow: methods.join(", "),
  });
}
