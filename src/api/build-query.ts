import type { SortKey } from "./contract.js";
import type { FilterValue, ResolvedFilters } from "./filters.js";

/** Page and order of one request. */
export interface Paging {
  readonly page: number;
  readonly pageSize?: number | undefined;
  readonly sort?: readonly SortKey[] | undefined;
}

/**
 * Returns the query string of one request, without the question mark.
 *
 * Arrays repeat their name. If null is among the values, all use the bracketed form and null is the empty value
 * (`operation_id[]=7&operation_id[]=`). An ascending sort is sent as `%2B`, since a literal `+` decodes to a space.
 * Specification: Common conventions.
 */
export function buildQuery(filters: ResolvedFilters, paging: Paging): string {
  const pairs: string[] = [];
  for (const [name, values] of filters) {
    const key = encodeURIComponent(values.includes(null) ? `${name}[]` : name);
    for (const value of values) pairs.push(`${key}=${encodeValue(value)}`);
  }
  pairs.push(`_page=${paging.page}`);
  if (paging.pageSize !== undefined) pairs.push(`_pageSize=${paging.pageSize}`);
  for (const { field, descending } of paging.sort ?? []) {
    pairs.push(`_sortBy=${descending ? "-" : "%2B"}${encodeURIComponent(field)}`);
  }
  return pairs.join("&");
}

function encodeValue(value: FilterValue): string {
  return value === null ? "" : encodeURIComponent(value);
}
