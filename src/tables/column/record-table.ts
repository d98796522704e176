import type { Field } from "../../api/contract.js";
import { type Records, type ResourceName, resources } from "../../api/resources.js";
import { dateOf, exactUs } from "../../core/instant.js";
import { memberOf } from "../../core/member.js";
import type { ResourceRow, RowTable } from "./row-table.js";
import { toTable } from "./table.js";

/**
 * Records of one resource as a table, one row per record: first the fields of the contract in its order, so that an
 * empty result has the same columns, then unknown fields. Timestamps are `Date`s; calendar dates stay strings.
 */
export function recordTable<R extends ResourceName>(
  resource: R,
  rows: readonly Records[R][],
): RowTable<ResourceRow<R>> {
  const fields: Readonly<Record<string, Field>> = resources[resource].fields;
  const records: readonly Readonly<Record<string, unknown>>[] = rows as readonly object[] as never;
  const extra = new Set(
    records.flatMap((record) => Object.keys(record)).filter((name) => !Object.hasOwn(fields, name)),
  );
  const table = toTable([
    ...Object.entries(fields).map(
      ([name, field]) => [name, records.map((record) => cell(record[name], field))] as const,
    ),
    ...[...extra].map((name) => [name, records.map((record) => memberOf(record, name) ?? null)] as const),
  ]);
  return table as RowTable<ResourceRow<R>>;
}

function cell(value: unknown, field: Field): unknown {
  if (field.type !== "timestamp" || typeof value !== "string") return value ?? null;
  const us = exactUs(value);
  return us === undefined ? value : dateOf(us);
}
