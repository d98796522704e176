import type { SortKey } from "../../api/endpoint.js";
import { parseInstant } from "../../core/instant.js";
import type { Row } from "./row-filter.js";

/** Compares records by sort keys, then by ascending id. Null comes last either way. */
export function rowOrder(sort: readonly SortKey[]): (a: Row, b: Row) => number {
  const keys = [...sort, { field: "id", descending: false }];
  return (a, b) => {
    for (const { field, descending } of keys) {
      const order = compareValues(readField(a, field), readField(b, field), descending);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function readField(row: Row, field: string): unknown {
  if (field === "site") return row["site_id"] ?? null;
  if (!field.startsWith("properties.")) return row[field] ?? null;
  const properties = (row["properties"] ?? {}) as Row;
  const key = field.slice("properties.".length);
  return Object.hasOwn(properties, key) ? properties[key] : null;
}

function compareValues(a: unknown, b: unknown, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const [left, right] = comparable(a, b);
  const order = left < right ? -1 : Number(left > right);
  return descending ? -order : order;
}

function comparable(a: unknown, b: unknown): readonly [number, number] | readonly [string, string] {
  if (typeof a === "number" && typeof b === "number") return [a, b];
  const [left, right] = [asText(a), asText(b)];
  const [early, late] = [parseInstant(left), parseInstant(right)];
  return early && late ? [early.us, late.us] : [left, right];
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
