/**
 * Filters and sort orders of a query: each rule as a function of records in memory and as SQL over a table with a
 * column for each filter and sortable field.
 */

import { ArgumentError } from "../core/errors.js";
import { exactUs, isDateText } from "../core/instant.js";
import { showValue } from "../core/show-value.js";
import { isUuid } from "../core/uuid.js";
import type { FieldType, FilterOperator, Resource, SortKey } from "./contract.js";
import { endpointOf } from "./endpoints.js";
import type { FilterValue, ResolvedFilters } from "./filters.js";
import { type Axis, axisOf } from "./property-types.js";
import { type ResourceName, resources } from "./resources.js";

/** A record as plain data. */
export type Row = Readonly<Record<string, unknown>>;

/** A value bound to a `?` of a statement: a string or an array of strings. */
export type SqlParameter = string | readonly string[];

/** A piece of SQL and the values of its `?`, in order. */
export interface SqlPart {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
}

/** How a filter selects. */
interface Operator {
  /** A test of values. A field that a record lacks counts as null. */
  readonly test: (values: readonly FilterValue[]) => (value: unknown) => boolean;
  /** The condition on a column. */
  readonly sql: (column: string, values: readonly FilterValue[]) => SqlPart;
}

const operators: Readonly<Record<FilterOperator, Operator>> = {
  oneOf: {
    test(selected) {
      const values = new Set<unknown>(selected);
      return (value) => values.has(value ?? null);
    },
    sql(column, values) {
      const numbers = values.filter((value) => typeof value === "number");
      const texts = values.filter((value) => typeof value === "string");
      const listed = [...numbers.map(String), ...texts.map(() => "?")];
      const alternatives = listed.length > 0 ? [`"${column}" IN (${listed.join()})`] : [];
      if (values.includes(null)) alternatives.push(`"${column}" IS NULL`);
      return { sql: alternatives.length > 0 ? `(${alternatives.join(" OR ")})` : "false", parameters: texts };
    },
  },
};

/** The operator of a filter. */
export function operatorOf(resource: ResourceName, filter: string): Operator {
  return operators[endpointOf(resource).filters[filter]?.operator ?? "oneOf"];
}

/** Returns a function that tests whether a record matches every filter. */
export function rowFilter(resource: ResourceName, filters: ResolvedFilters): (row: Row) => boolean {
  const tests = [...filters].map(([name, values]) => ({ name, passes: operatorOf(resource, name).test(values) }));
  return (row) => tests.every(({ name, passes }) => passes(row[name]));
}

/** Sort key of a value. Null sorts last in either direction. */
type Comparable = number | bigint | string | null;

/** Sort keys by field type. Omitted types have no order. */
const comparables: Readonly<Partial<Record<FieldType, (value: unknown) => Comparable>>> = {
  integer: numberOrText,
  number: numberOrText,
  string: asText,
  boolean: Number,
  uuid: (value) => asText(value).toLowerCase(),
  date: asText,
  timestamp: (value) => exactUs(asText(value)) ?? null,
};

/** Whether values of a type have an order. */
export function isSortable(type: FieldType): boolean {
  return comparables[type] !== undefined;
}

function numberOrText(value: unknown): Comparable {
  return typeof value === "number" ? value : asText(value);
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** First sort key of a property's values, before their raw text. Values without it sort after the others. */
interface PropertyOrder {
  readonly ofValue: (value: unknown, text: string) => Comparable;
  /**
   * @param text SQL expression for the raw text
   * @param type SQL expression for the JSON type in DuckDB
   */
  readonly sql: (text: string, type: string) => string;
}

const propertyOrders = {
  /** By type, numbers first. */
  value: {
    ofValue: (value) => (typeof value === "number" ? value : null),
    sql: (text, type) => `CASE WHEN ${type} IN ('BIGINT', 'UBIGINT', 'DOUBLE') THEN ${text}::DOUBLE END`,
  },
  /** Strings as the numbers in them. */
  number: {
    ofValue: (_, text) => (NUMBER.test(text) ? Number(text) : null),
    sql: (text) => `TRY_CAST(${text} AS DOUBLE)`,
  },
  /** Strings as the instants in them. */
  instant: {
    ofValue: (_, text) => exactUs(isDateText(text) ? `${text}T00:00Z` : text) ?? null,
    sql: (text) => `TRY_CAST(${text} AS TIMESTAMPTZ)`,
  },
} as const satisfies Readonly<Record<Axis, PropertyOrder>>;

/** Comparison of a property's values; undefined compares raw text only. */
type PropertyComparison = Axis | undefined;

/**
 * Returns how a sort by a property compares. Built-in keys are compared by the type of their values; a UUID by its
 * definition's type if the query names one dataset, otherwise by the raw text of the value.
 * Specification: GET /layerFeatures, _sortBy.
 *
 * @param type of the key's definition; undefined if the key has no definition
 */
export function propertyComparison(
  key: string,
  filters: ResolvedFilters,
  type: string | undefined,
): PropertyComparison {
  if (!isUuid(key)) return "value";
  if (new Set(filters.get("dataset_id")).size !== 1) return undefined;
  return axisOf(type);
}

/** SQL expressions to sort a property by, in order. */
export function propertyOrderSql(comparison: PropertyComparison, text: string, type: string): readonly string[] {
  return comparison ? [propertyOrders[comparison].sql(text, type), text] : [text];
}

const PROPERTIES = "properties.";

/** The property of a sort field; undefined for any other field. */
export function sortedProperty(field: string): string | undefined {
  return field.startsWith(PROPERTIES) && field.length > PROPERTIES.length ? field.slice(PROPERTIES.length) : undefined;
}

/** The field whose values determine a sort: the specification lists the sort by site without its attribute. */
export function sortedField(field: string): string {
  // The id is the only attribute of a site that never changes.
  return field === "site" ? "site_id" : field;
}

/** The keys of a sort without ties: the id is last. */
export function withoutTies(sort: readonly SortKey[]): readonly SortKey[] {
  return sort.some(({ field }) => field === "id") ? sort : [...sort, { field: "id", descending: false }];
}

/** One key of an ORDER BY list. Null sorts last in either direction. */
export function orderKey(expression: string, descending: boolean): string {
  return `${expression} ${descending ? "DESC" : "ASC"} NULLS LAST`;
}

/** The error of a sort by a field that has no order. */
export function unsortable(resource: ResourceName, field: string, hint?: string): ArgumentError {
  return new ArgumentError(`${resource} cannot be sorted by ${showValue(field)}.`, {
    ...(hint ? { hint } : {}),
    facts: { field },
  });
}

/**
 * Returns records sorted by some keys, then by ascending id. Null sorts last in either direction; strings are sorted by
 * code points. Specification: Endpoints.
 *
 * @param comparisonOf returns how the values of a property are compared
 * @throws ArgumentError for a field that has no order
 */
export function sortRows<T extends Row>(
  resource: ResourceName,
  rows: readonly T[],
  sort: readonly SortKey[],
  comparisonOf: (key: string) => PropertyComparison = () => "value",
): readonly T[] {
  const keys = withoutTies(sort).flatMap(({ field, descending }) =>
    keyReaders(resource, field, comparisonOf).map((read) => ({ read, descending })),
  );
  const keyed = rows.map((row) => ({ row, parts: keys.map(({ read }) => read(row)) }));
  keyed.sort((a, b) => {
    for (const [index, { descending }] of keys.entries()) {
      const order = compare(a.parts[index] as Comparable, b.parts[index] as Comparable, descending);
      if (order !== 0) return order;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

/** The sort keys of a record. */
function keyReaders(
  resource: ResourceName,
  field: string,
  comparisonOf: (key: string) => PropertyComparison,
): readonly ((row: Row) => Comparable)[] {
  const key = sortedProperty(field);
  if (key !== undefined) {
    const comparison = comparisonOf(key);
    const text = (row: Row) => (propertyOf(row, key) === null ? null : asText(propertyOf(row, key)));
    if (!comparison) return [text];
    const { ofValue } = propertyOrders[comparison];
    return [(row) => (propertyOf(row, key) === null ? null : ofValue(propertyOf(row, key), text(row) as string)), text];
  }
  const { fields, hidden = {} }: Resource = resources[resource];
  const name = sortedField(field);
  const type = (fields[name] ?? hidden[name])?.type;
  const comparable = type && comparables[type];
  if (!comparable) throw unsortable(resource, field);
  return [(row) => (row[name] === null || row[name] === undefined ? null : comparable(row[name]))];
}

function propertyOf(row: Row, key: string): unknown {
  const properties = (row["properties"] ?? {}) as Row;
  return Object.hasOwn(properties, key) ? (properties[key] ?? null) : null;
}

function compare(a: Comparable, b: Comparable, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = isNumber(a) && isNumber(b) ? Number(a > b) - Number(a < b) : compareCodePoints(String(a), String(b));
  return descending ? -order : order;
}

/** Numbers and bigints are compared exactly. */
function isNumber(value: Comparable): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Halves of surrogate pairs sort before U+E000 by their code unit; pairs sort after it by their code point. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x2800 : unit;
}
