import { endpointOf } from "../../api/endpoints.js";
import type { SortKey } from "../../api/form/endpoint.js";
import type { Params, ResolvedFilters } from "../../api/params.js";
import { resolveFilters } from "../../api/resolve-filters.js";
import type { ResourceName } from "../../api/resources.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/** Filters of an endpoint, and an order: `"-date_captured"`, or several for tie-breaks. */
export type PageParams<R extends ResourceName> = Params<R> & {
  /** Field to sort by, with `-` before it for descending order. */
  readonly _sortBy?: string | readonly string[] | undefined;
};

/** Complete parameters of `pages`. */
export interface ResolvedPageParams {
  readonly filters: ResolvedFilters;
  /** Empty for the service's default order. */
  readonly sort: readonly SortKey[];
}

/**
 * Checks filters and order.
 *
 * @throws ArgumentError also for a field that the specification's complete list of sortable fields lacks
 */
export function resolvePageParams(resource: ResourceName, params: object): ResolvedPageParams {
  const { _sortBy, ...filters } = params as { readonly _sortBy?: unknown };
  return {
    filters: resolveFilters(resource, filters),
    sort: [_sortBy ?? []].flat().map((text) => sortKey(resource, text)),
  };
}

function sortKey(resource: ResourceName, text: unknown): SortKey {
  const parsed = typeof text === "string" ? /^([+-]?)([^+\s-].*)$/.exec(text) : null;
  const field = parsed?.[2];
  if (field === undefined) {
    throw new ArgumentError(`${resource}: _sortBy takes "+field" or "-field", but got ${showValue(text)}.`);
  }
  const { sort } = endpointOf(resource);
  const sortable = !sort.complete || sort.fields.includes(field) || (sort.properties && /^properties\../.test(field));
  if (!sortable) {
    throw new ArgumentError(`${resource} cannot be sorted by ${showValue(field)}.`, {
      hint: `It sorts by: ${sort.fields.join(", ")}${sort.properties ? ", properties.<key>" : ""}.`,
    });
  }
  return { field, descending: parsed?.[1] === "-" };
}
