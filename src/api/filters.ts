import { ArgumentError } from "../core/errors.js";
import { showValue } from "../core/show-value.js";
import { isUuid } from "../core/uuid.js";
import { checkResourceName } from "./check-resource-name.js";
import type { FilterParameter, SiteRule } from "./contract.js";
import { type Endpoint, endpointOf } from "./endpoints.js";
import { type ResourceName, resources } from "./resources.js";

/** How the records of a resource belong to a site. */
export function siteRule(resource: ResourceName): SiteRule<ResourceName> {
  return resources[resource].site;
}

type Scalar<P extends FilterParameter> = P extends { values: readonly (infer V)[] }
  ? V
  : P extends { seen: readonly (infer S extends string)[] }
    ? S | (string & {})
    : P["kind"] extends "integer"
      ? number
      : string;
type Loose<P extends FilterParameter> = P extends { nullable: true }
  ? Scalar<P> | null | readonly (Scalar<P> | null)[]
  : Scalar<P> | readonly Scalar<P>[];
type Filters<R extends ResourceName> = (typeof resources)[R]["endpoint"]["filters"];
type RequiredNames<F> = { [K in keyof F]: F[K] extends { required: true } ? K : never }[keyof F];
type LooseFilters<F> = {
  readonly [K in keyof F as K extends RequiredNames<F> ? K : never]: F[K] extends FilterParameter ? Loose<F[K]> : never;
} & {
  readonly [K in keyof F as K extends RequiredNames<F> ? never : K]?:
    | (F[K] extends FilterParameter ? Loose<F[K]> : never)
    | undefined;
};

/**
 * Filters of an endpoint as a caller writes them: one value, an array of values, or null where the API accepts null.
 * An absent or `undefined` filter does not filter; an empty array selects nothing.
 */
export type Params<R extends ResourceName> = LooseFilters<Filters<R>>;

/** One value of a filter. */
export type FilterValue = string | number | null;

/** Complete filters: each name with its values, without repetition. */
export type ResolvedFilters = ReadonlyMap<string, readonly FilterValue[]>;

const reserved: Readonly<Record<string, string>> = {
  _page: "Every page is read. Use source.pages() to see them one by one.",
  _pageSize: "Use the option pageSize.",
  _sortBy: "Rows are read in the order that loses none. Sort the table instead: table.orderby(…).",
};

/**
 * Checks a caller's filters against the contract of an endpoint and makes them complete.
 *
 * @returns each filter that was given with its distinct values, in the order given
 * @throws ArgumentError for a resource or a name that is none, a value of the wrong type, a null that the API does not accept,
 * a required filter that is missing. Nothing has been sent by then.
 */
export function resolveFilters(
  resource: ResourceName,
  params: Readonly<Record<string, unknown>> = {},
): ResolvedFilters {
  const endpoint = endpointOf(checkResourceName(resource));
  const resolved = new Map<string, readonly FilterValue[]>();
  for (const [name, value] of Object.entries(params)) {
    const filter = filterOf(endpoint, name);
    if (value === undefined) continue;
    const values = Array.isArray(value) ? value : [value];
    resolved.set(name, [...new Set(values.map((item) => checkValue(endpoint, name, filter, item)))]);
  }
  requireFilters(endpoint, resolved);
  return resolved;
}

/** Whether the filters select nothing, so that no request is needed: some filter has no values. */
export function selectsNothing(filters: ResolvedFilters): boolean {
  return [...filters.values()].some((values) => values.length === 0);
}

function filterOf(endpoint: Endpoint, name: string): FilterParameter {
  const filter = Object.hasOwn(endpoint.filters, name) ? endpoint.filters[name] : undefined;
  if (filter) return filter;
  const known = Object.keys(endpoint.filters).join(", ");
  throw new ArgumentError(`${endpoint.resource} has no parameter ${showValue(name)}.`, {
    hint: (Object.hasOwn(reserved, name) ? reserved[name] : undefined) ?? `It takes: ${known}.`,
    facts: { resource: endpoint.resource, parameter: name },
  });
}

function checkValue(endpoint: Endpoint, name: string, filter: FilterParameter, value: unknown): FilterValue {
  const problem = valueProblem(filter, value);
  if (!problem) return value as FilterValue;
  throw new ArgumentError(`${endpoint.resource}: ${name} ${problem}, but got ${showValue(value)}.`, {
    facts: { resource: endpoint.resource, parameter: name },
  });
}

function valueProblem(filter: FilterParameter, value: unknown): string | undefined {
  if (value === null) return filter.nullable ? undefined : "does not accept null";
  switch (filter.kind) {
    case "integer":
      return Number.isSafeInteger(value) ? undefined : `takes integers${filter.nullable ? " or null" : ""}`;
    case "uuid":
      return typeof value === "string" && isUuid(value) ? undefined : "takes UUIDs";
    case "string":
      if (typeof value !== "string" || value === "") return `takes texts${filter.nullable ? " or null" : ""}`;
      // Half a surrogate pair has no percent-encoding.
      if (/\p{Surrogate}/u.test(value)) return "takes well-formed texts";
      return !filter.values || filter.values.includes(value) ? undefined : `takes one of ${filter.values.join(", ")}`;
  }
}

function requireFilters(endpoint: Endpoint, resolved: ResolvedFilters): void {
  for (const [name, filter] of Object.entries(endpoint.filters)) {
    if (filter.required && !resolved.has(name)) {
      throw new ArgumentError(`${endpoint.resource} needs ${name}.`, { facts: { parameter: name } });
    }
  }
  if (endpoint.oneOf && !endpoint.oneOf.some((name) => resolved.has(name))) {
    throw new ArgumentError(`${endpoint.resource} needs at least one of ${endpoint.oneOf.join(", ")}.`, {
      facts: { parameters: endpoint.oneOf },
    });
  }
}
