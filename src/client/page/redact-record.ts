import type { Field } from "../../api/form/field.js";
import { type ResourceName, resources } from "../../api/resources.js";
import type { Pseudonym } from "./pseudonym.js";

/** A copy of a record with person data (the contract's `personal` fields) replaced by pseudonyms. */
export function redactRecord<T extends object>(resource: ResourceName, record: T, pseudonym: Pseudonym): T {
  const names = personalFields[resource] ?? [];
  if (names.length === 0) return record;
  const given = record as Readonly<Record<string, unknown>>;
  const replaced = names.filter((name) => name in given).map((name) => [name, pseudonym(given[name])]);
  return { ...record, ...Object.fromEntries(replaced) };
}

const personalFields: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(resources).map(([resource, { fields }]) => [
    resource,
    Object.entries<Field>(fields).flatMap(([name, field]) => (field.personal ? [name] : [])),
  ]),
);
