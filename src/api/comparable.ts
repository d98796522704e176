import { exactUs } from "../core/instant.js";
import type { FieldType } from "./form/field.js";

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
