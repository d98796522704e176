import { ArgumentError } from "../core/errors.js";
import { exactUs } from "../core/instant.js";
import { showValue } from "../core/show-value.js";
import type { Resource, SortKey } from "./contract.js";
import { type Comparable, comparableOf, type PropertyComparison, type Row } from "./filters.js";
import { type ResourceName, resources } from "./resources.js";

const PROPERTIES = "properties.";
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;
const DATE = /^\d{4}-\d\d-\d\d$/;

/**
 * Records in the order of some keys, then of ascending id. Null comes last in either direction; texts are in order of
 * code points. Specification: Endpoints.
 *
 * @param comparisonOf how the values of a property are compared
 * @throws ArgumentError for a field that has no order
 */
export function sortRows<T extends Row>(
  resource: ResourceName,
  rows: readonly T[],
  sort: readonly SortKey[],
  comparisonOf: (key: string) => PropertyComparison = () => "value",
): readonly T[] {
  const keys = [...sort, { field: "id", descending: false }];
  const readers = keys.map(({ field }) => keyReader(resource, field, comparisonOf));
  const keyed = rows.map((row) => ({ row, parts: readers.map((read) => read(row)) }));
  keyed.sort((a, b) => {
    for (const [index, { descending }] of keys.entries()) {
      const order = compareLists(
        a.parts[index] as readonly Comparable[],
        b.parts[index] as readonly Comparable[],
        descending,
      );
      if (order !== 0) return order;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

/** What a record is compared by, one value after the other. */
type KeyReader = (row: Row) => readonly Comparable[];

function keyReader(
  resource: ResourceName,
  field: string,
  comparisonOf: (key: string) => PropertyComparison,
): KeyReader {
  if (field.startsWith(PROPERTIES)) {
    const key = field.slice(PROPERTIES.length);
    const comparison = comparisonOf(key);
    return (row) => propertyParts(propertyOf(row, key), comparison);
  }
  const { fields, hidden = {} }: Resource = resources[resource];
  // The specification names the sort by site and not by what of it; its id is the one attribute that never changes.
  const name = field === "site" ? "site_id" : field;
  const type = (fields[name] ?? hidden[name])?.type;
  const comparable = type && comparableOf(type);
  if (!comparable) {
    throw new ArgumentError(`${resource} cannot be sorted by ${showValue(field)}.`, { facts: { field } });
  }
  return (row) => [row[name] === null || row[name] === undefined ? null : comparable(row[name])];
}

function propertyOf(row: Row, key: string): unknown {
  const properties = (row["properties"] ?? {}) as Row;
  return Object.hasOwn(properties, key) ? (properties[key] ?? null) : null;
}

function propertyParts(value: unknown, comparison: PropertyComparison): readonly Comparable[] {
  const text = value === null ? null : typeof value === "string" ? value : JSON.stringify(value);
  switch (comparison) {
    case "raw":
      return [text];
    case "value":
      return [typeof value === "number" ? value : null, text];
    case "number":
      return [text !== null && NUMBER.test(text) ? Number(text) : null, text];
    case "instant":
      return [text === null ? null : (exactUs(DATE.test(text) ? `${text}T00:00Z` : text) ?? null), text];
  }
}

function compareLists(a: readonly Comparable[], b: readonly Comparable[], descending: boolean): number {
  for (const [index, part] of a.entries()) {
    const order = compareParts(part, b[index] ?? null, descending);
    if (order !== 0) return order;
  }
  return 0;
}

function compareParts(a: Comparable, b: Comparable, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = isNumber(a) && isNumber(b) ? compareNumbers(a, b) : compareCodePoints(String(a), String(b));
  return descending ? -order : order;
}

function isNumber(value: Comparable): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** Numbers and bigints compare exactly with each other. */
function compareNumbers(a: number | bigint, b: number | bigint): number {
  return Number(a > b) - Number(a < b);
}

function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Halves of surrogate pairs stand before U+E000 by their number, and behind it by the code point that they spell. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x2800 : unit;
}
