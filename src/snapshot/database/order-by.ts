import type { SortKey } from "../../api/form/endpoint.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import type { TableSchema } from "../format/table-schema.js";

/**
 * The ORDER BY list of a sort: null last in both directions, texts by code point, ties by ascending id.
 *
 * @throws ArgumentError if a field has no column
 */
export function orderBy(schema: TableSchema, sort: readonly SortKey[]): string {
  const keys = sort.map((key) => orderByField(schema, key));
  return [...keys, ...(sort.some(({ field }) => field === "id") ? [] : ["id"])].join();
}

/** The key of an ORDER BY list for a field that has a column. */
export function orderByField(schema: TableSchema, { field, descending }: SortKey): string {
  return orderKey(columnOf(schema, field), descending);
}

/** One key of an ORDER BY list. */
export function orderKey(expression: string, descending: boolean): string {
  return `${expression} ${descending ? "DESC" : "ASC"} NULLS LAST`;
}

function columnOf(schema: TableSchema, field: string): string {
  // The specification names the sort by site and not by what of it; its id is the one attribute that never changes.
  const name = field === "site" ? "site_id" : field;
  if (name === "display_order" || schema.columns.some((column) => column.name === name)) return `"${name}"`;
  throw new ArgumentError(`${schema.resource} cannot be sorted by ${showValue(field)}.`, { facts: { field } });
}
