import { showValue } from "../core/show-value.js";
import { isUuid } from "../core/uuid.js";
import type { FilterParameter, SortKey } from "./contract.js";
import { type Endpoint, sortableNames } from "./endpoints.js";
import type { FilterValue } from "./filters.js";
import { sortedProperty } from "./select-records.js";

/** A request as the service reads it: checked, with defaults. */
export interface ParsedQuery {
  readonly filters: ReadonlyMap<string, readonly FilterValue[]>;
  readonly page: number;
  readonly pageSize: number;
  /** The requested order or the endpoint's default; without the id as a tie-break. */
  readonly sort: readonly SortKey[];
}

/** Defaults of the service if the specification shows no number or order. */
export interface QueryDefaults {
  readonly pageSize: number;
  readonly maxPageSize: number;
  readonly sort: readonly SortKey[];
  /** Fields that `_sortBy` accepts if the specification's list is incomplete. */
  readonly sortable: readonly string[];
}

/** A query that the service refuses with 400. */
export class ParameterError extends Error {
  readonly parameter: string;

  constructor(parameter: string, message: string) {
    super(message);
    this.name = "ParameterError";
    this.parameter = parameter;
  }
}

/** Maximum number of `_sortBy` values: each is another pass over the rows, and the specification states no number. */
export const MAX_SORT_KEYS = 16;

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/**
 * Parses the query string of a request to an endpoint.
 *
 * Repeated, bracketed and mixed forms of a filter are one list. `name[]` and `name[]=` select null if the endpoint
 * accepts null. An unknown parameter is refused on every endpoint. Specification: Common conventions, Errors.
 *
 * @param raw query string as received, without the question mark
 * @throws ParameterError naming the parameter and the value
 */
export function parseQuery(endpoint: Endpoint, raw: string, defaults: QueryDefaults): ParsedQuery {
  const filters = new Map<string, FilterValue[]>();
  const paging = new Map<string, string>();
  const sort: string[] = [];
  for (const { name, bracketed, value } of parsePairs(raw)) {
    if (name === "_sortBy") sort.push(value);
    else if (name === "_page" || name === "_pageSize") {
      if (bracketed || paging.has(name)) {
        throw new ParameterError(
          name,
          `${name} must be a single value without brackets, but got another: ${showValue(value)}.`,
        );
      }
      paging.set(name, value);
    } else addFilter(endpoint, filters, name, bracketed, value);
  }
  checkFilters(endpoint, filters);
  for (const [name, values] of filters) filters.set(name, [...new Set(values)]);
  return { filters, ...readPaging(endpoint, paging, defaults), sort: readSort(endpoint, sort, defaults) };
}

interface Pair {
  readonly name: string;
  readonly bracketed: boolean;
  readonly value: string;
}

function* parsePairs(raw: string): Iterable<Pair> {
  for (const part of raw.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const key = decode(equals < 0 ? part : part.slice(0, equals), part);
    const value = equals < 0 ? "" : decode(part.slice(equals + 1), part);
    const bracketed = key.endsWith("[]");
    yield { name: bracketed ? key.slice(0, -2) : key, bracketed, value };
  }
}

function decode(text: string, part: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ParameterError(part, `${showValue(part)} is not valid percent-encoding.`);
  }
  if (!decoded.includes("\0")) return decoded;
  throw new ParameterError(part, `${showValue(part)} contains a NUL character.`);
}

function addFilter(
  endpoint: Endpoint,
  filters: Map<string, FilterValue[]>,
  name: string,
  bracketed: boolean,
  value: string,
): void {
  const filter = Object.hasOwn(endpoint.filters, name) ? endpoint.filters[name] : undefined;
  if (!filter) throw new ParameterError(name, `${endpoint.path} has no parameter ${showValue(name)}.`);
  const values = filters.get(name) ?? [];
  values.push(bracketed && value === "" ? readNull(name, filter) : readValue(name, filter, value));
  filters.set(name, values);
}

function readNull(name: string, filter: FilterParameter): null {
  if (filter.nullable) return null;
  throw new ParameterError(name, `${name} must not be null (an empty ${name}[]).`);
}

function readValue(name: string, filter: FilterParameter, value: string): FilterValue {
  if (value === "") {
    const hint = filter.nullable ? ` Send ${name}[]= to select null.` : "";
    throw new ParameterError(name, `${name} is empty.${hint}`);
  }
  if (filter.kind === "integer") return readInteger(name, value);
  if (filter.kind === "uuid" && !isUuid(value)) {
    throw new ParameterError(name, `${name} must be a UUID, but got ${showValue(value)}.`);
  }
  if (filter.values && !filter.values.includes(value)) {
    throw new ParameterError(name, `${name} must be one of ${filter.values.join(", ")}, but got ${showValue(value)}.`);
  }
  return value;
}

function readInteger(name: string, value: string): number {
  const number = /^-?\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  // -0 would differ from 0 in a list of ids.
  if (Math.abs(number) <= MAX_INTEGER) return number === 0 ? 0 : number;
  throw new ParameterError(name, `${name} must be an integer, but got ${showValue(value)}.`);
}

function checkFilters(endpoint: Endpoint, filters: ReadonlyMap<string, readonly FilterValue[]>): void {
  for (const [name, filter] of Object.entries(endpoint.filters)) {
    const values = filters.get(name);
    if (filter.required && !values) throw new ParameterError(name, `${endpoint.path} needs ${name}.`);
    if (filter.maxValues !== undefined && values && values.length > filter.maxValues) {
      throw new ParameterError(name, `${name} must have at most ${filter.maxValues} values, but got ${values.length}.`);
    }
  }
  if (endpoint.oneOf && !endpoint.oneOf.some((name) => filters.has(name))) {
    throw new ParameterError(
      endpoint.oneOf.join(),
      `${endpoint.path} needs at least one of ${endpoint.oneOf.join(", ")}.`,
    );
  }
}

function readPaging(
  endpoint: Endpoint,
  paging: ReadonlyMap<string, string>,
  defaults: QueryDefaults,
): { page: number; pageSize: number } {
  const page = paging.get("_page");
  if (page === undefined && endpoint.pageRequired) throw new ParameterError("_page", `${endpoint.path} needs _page.`);
  const size = paging.get("_pageSize");
  const max =
    endpoint.pageSize.max === null ? defaults.maxPageSize : Math.min(endpoint.pageSize.max, defaults.maxPageSize);
  const pageSize =
    size === undefined
      ? Math.min(endpoint.pageSize.default ?? defaults.pageSize, max)
      : readPositive("_pageSize", size);
  if (pageSize > max) throw new ParameterError("_pageSize", `_pageSize is at most ${max}, but got ${size}.`);
  const number = page === undefined ? 1 : readPositive("_page", page);
  if (number * pageSize <= MAX_INTEGER) return { page: number, pageSize };
  throw new ParameterError("_page", `_page ${page} of ${pageSize} rows is out of range.`);
}

function readPositive(name: string, value: string): number {
  const number = readInteger(name, value);
  if (number > 0) return number;
  throw new ParameterError(name, `${name} must be a positive integer, but got ${showValue(value)}.`);
}

function readSort(endpoint: Endpoint, texts: readonly string[], defaults: QueryDefaults): readonly SortKey[] {
  if (texts.length === 0) return endpoint.sort.default ?? defaults.sort;
  if (texts.length > MAX_SORT_KEYS) {
    throw new ParameterError("_sortBy", `_sortBy must have at most ${MAX_SORT_KEYS} values, but got ${texts.length}.`);
  }
  const keys = texts.map((text) => readSortKey(endpoint, text, defaults));
  return keys.filter((key, index) => keys.findIndex((other) => other.field === key.field) === index);
}

function readSortKey(endpoint: Endpoint, text: string, defaults: QueryDefaults): SortKey {
  if (text.startsWith(" ")) {
    throw new ParameterError(
      "_sortBy",
      `_sortBy got ${showValue(text)}: a literal + decodes to a space. Send it as %2B, or omit it to sort ascending.`,
    );
  }
  const descending = text.startsWith("-");
  const field = descending || text.startsWith("+") ? text.slice(1) : text;
  const { sort, path } = endpoint;
  const fields = sort.complete ? sort.fields : [...new Set([...sort.fields, ...defaults.sortable])];
  if (fields.includes(field) || (sort.properties && sortedProperty(field) !== undefined)) return { field, descending };
  throw new ParameterError(
    "_sortBy",
    `_sortBy got ${showValue(text)}, but ${path} sorts by ${sortableNames(fields, sort.properties)}.`,
  );
}
