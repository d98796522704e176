import type { Pagination } from "../../api/page.js";
import { showValue } from "../../core/show-value.js";
import { protocolError } from "./protocol-error.js";

const least: Readonly<Record<keyof Pagination, number>> = { page: 1, pageSize: 1, rowCount: 0, pageCount: 0 };

/**
 * Checks the pagination object of a page. Specification: Pagination object.
 *
 * @throws ProtocolError
 */
export function readPagination(value: unknown, url: string): Pagination {
  if (typeof value !== "object" || value === null) {
    throw protocolError(url, "$.pagination", `expected an object, got ${showValue(value)}`);
  }
  const given = value as Readonly<Record<string, unknown>>;
  const read = (name: keyof Pagination) => {
    const count = given[name];
    if (typeof count === "number" && Number.isSafeInteger(count) && count >= least[name]) return count;
    throw protocolError(
      url,
      `$.pagination.${name}`,
      `expected an integer from ${least[name]}, got ${showValue(count)}`,
    );
  };
  return { page: read("page"), pageSize: read("pageSize"), rowCount: read("rowCount"), pageCount: read("pageCount") };
}
