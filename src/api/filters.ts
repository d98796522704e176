import { ArgumentError } from "../core/errors.js";
import { nameHint } from "../core/nearest-name.js";
import { showValue } from "../core/show-value.js";
import { isUuid } from "../core/uuid.js";
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
 * Filters of an endpoint as a caller writes them: one value, an array of values, or null if the API accepts null.
 * An absent or `undefined` filter does not filter; an empty array selects nothing.
 */
export type Params<R extends ResourceName> = LooseFilters<Filters<R>>;

/** One value of a filter. */
export type FilterValue = string | number | null;

/** Complete filters: the distinct values of each name. */
export type ResolvedFilters = ReadonlyMap<string, readonly FilterValue[]>;

const reserved: Readonly<Record<string, string>> = {
  _page: "All pages are read. To read single pages, use source.pages().",
  _pageSize: "Use the option pageSize.",
  _sortBy: "Sort the table instead: table.orderby(…).",
};

/**
 * Checks a caller's filters against the contract of an endpoint and completes them.
 *
 * @returns the distinct values of each filter, in the given order
 * @throws ArgumentError for an unknown resource or filter, a value of the wrong type, a null that the API does not
 * accept, or a missing required filter. No request is sent before.
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

/** Whether some filter has no values, so that no record matches and no request is needed. */
export function selectsNothing(filters: ResolvedFilters): boolean {
  return [...filters.values()].some((values) => values.length === 0);
}

function filterOf(endpoint: Endpoint, name: string): FilterParameter {
  const filter = Object.hasOwn(endpoint.filters, name) ? endpoint.filters[name] : undefined;
  if (filter) return filter;
  const filterNames = Object.keys(endpoint.filters).join(", ");
  throw new ArgumentError(`${endpoint.resource} has no parameter ${showValue(name)}.`, {
    hint: (Object.hasOwn(reserved, name) ? reserved[name] : undefined) ?? `Parameters: ${filterNames}.`,
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
  if (value === null) return filter.nullable ? undefined : "must not be null";
  switch (filter.kind) {
    case "integer":
      return Number.isSafeInteger(value) ? undefined : `must be an integer${filter.nullable ? " or null" : ""}`;
    case "uuid":
      return typeof value === "string" && isUuid(value) ? undefined : "must be a UUID";
    case "string":
      if (typeof value !== "string" || value === "") return `must be a string${filter.nullable ? " or null" : ""}`;
      // Half a surrogate pair has no percent-encoding.
      if (/\p{Surrogate}/u.test(value)) return "must be well-formed Unicode";
      return !filter.values || filter.values.includes(value) ? undefined : `must be one of ${filter.values.join(", ")}`;
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

/**
 * Returns the name of a resource, checked.
 *
 * @throws ArgumentError with the known names if it is unknown
 */
export function checkResourceName(name: unknown): ResourceName {
  if (typeof name === "string" && Object.hasOwn(resources, name)) return name as ResourceName;
  const names = Object.keys(resources);
  throw new ArgumentError(`Unknown resource: ${showValue(name)}.`, {
    hint: nameHint(name, names, `Resources: ${names.join(", ")}.`),
    facts: typeof name === "string" ? { resource: name } : {},
  });
}
