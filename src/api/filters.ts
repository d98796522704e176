import { ArgumentError } from "../core/errors.js";
import { exactUs } from "../core/instant.js";
import { showValue } from "../core/show-value.js";
import { isUuid } from "../core/uuid.js";
import { checkResourceName } from "./check-resource-name.js";
import type { FieldType, FilterParameter, SiteRule } from "./contract.js";
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
    hint: reserved[name] ?? `It takes: ${known}.`,
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

/** A record as plain data. */
export type Row = Readonly<Record<string, unknown>>;

/** Tells whether a record is selected by every filter. A field that it lacks counts as null. */
export function rowFilter(filters: ResolvedFilters): (row: Row) => boolean {
  const wanted = [...filters].map(([name, values]) => ({ name, values: new Set<unknown>(values) }));
  return (row) => wanted.every(({ name, values }) => values.has(row[name] ?? null));
}

const NUMERIC = /FLOAT|DOUBLE|DECIMAL|NUMBER|INT|CURRENCY|PERCENT/i;
const TEMPORAL = /DATE|TIME/i;

/**
 * How values of a property are compared: by their raw text; by their own type, numbers before everything else; as the
 * numbers or instants that they spell, before everything else.
 */
export type PropertyComparison = "raw" | "value" | "number" | "instant";

/**
 * How a sort by a property compares. Built-in keys are compared by the type of their values; a UUID by its definition's
 * type where the query names one dataset, else by the raw text of the value.
 * Specification: GET /layerFeatures, _sortBy.
 *
 * @param type of the key's definition; undefined if there is none
 */
export function propertyComparison(
  key: string,
  filters: ResolvedFilters,
  type: string | undefined,
): PropertyComparison {
  if (!isUuid(key)) return "value";
  if (new Set(filters.get("dataset_id")).size !== 1) return "raw";
  if (type === undefined) return "value";
  return NUMERIC.test(type) ? "number" : TEMPORAL.test(type) ? "instant" : "value";
}

/** What a value is compared by. Null comes last in either direction. */
export type Comparable = number | bigint | string | null;

/** How the values of a field become comparable. The types that are left out have no order. */
const comparables: Readonly<Partial<Record<FieldType, (value: unknown) => Comparable>>> = {
  integer: numberOrText,
  number: numberOrText,
  string: asText,
  boolean: Number,
  uuid: (value) => asText(value).toLowerCase(),
  date: asText,
  timestamp: (value) => exactUs(asText(value)) ?? null,
};

/** What values of a type are compared by; undefined where the type has no order. */
export function comparableOf(type: FieldType): ((value: unknown) => Comparable) | undefined {
  return comparables[type];
}

function numberOrText(value: unknown): Comparable {
  return typeof value === "number" ? value : asText(value);
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
