import type { SortKey } from "../../api/contract.js";
import { type FilterValue, type PropertyComparison, propertyComparison } from "../../api/filters.js";
import type { ParsedQuery } from "../../api/parse-query.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import { canonicalKey } from "../../layer/property-key.js";
import type { TableSchema } from "../format/table-schema.js";
import type { Database, SqlParameter } from "./database.js";

const KEY = "property_key";
const UUID_LENGTH = 36;
/** TRY gives null for the rare JSON that DuckDB does not read. */
const WRITTEN_KEY = `coalesce(TRY(json_extract_string(record, '/${KEY}')), ${KEY})`;

/** The condition that all filters hold. Every filter is a column of the same name. */
export function whereFilters(filters: ReadonlyMap<string, readonly FilterValue[]>): SqlPart {
  const parts = [...filters].map(([name, values]) => (name === KEY ? whereKey(values) : whereOneOf(name, values)));
  return {
    sql: parts.map(({ sql }) => sql).join(" AND ") || "true",
    parameters: parts.flatMap((part) => part.parameters),
  };
}

function whereOneOf(column: string, values: readonly FilterValue[]): SqlPart {
  const numbers = values.filter((value) => typeof value === "number");
  const texts = values.filter((value) => typeof value === "string");
  const listed = [...numbers.map(String), ...texts.map(() => "?")];
  const alternatives = listed.length > 0 ? [`"${column}" IN (${listed.join()})`] : [];
  if (values.includes(null)) alternatives.push(`"${column}" IS NULL`);
  return { sql: alternatives.length > 0 ? `(${alternatives.join(" OR ")})` : "false", parameters: texts };
}

/**
 * The API takes the keys of changes as they are written. The column holds UUIDs in lower case, and in states of older
 * formats as they came, so that it chooses the rows whose records are looked at.
 */
function whereKey(values: readonly FilterValue[]): SqlPart {
  const written = values.map(String);
  const either = [...new Set([...written, ...written.map(canonicalKey)])];
  return {
    sql: `(${KEY} IN (SELECT unnest(?::VARCHAR[]))
      AND CASE WHEN length(${KEY}) = ${UUID_LENGTH} THEN ${WRITTEN_KEY} IN (SELECT unnest(?::VARCHAR[])) ELSE true END)`,
    parameters: [either, written],
  };
}

/** The condition that a column is one of the numbers. */
export function whereIn(column: string, numbers: readonly number[]): string {
  return numbers.length > 0 ? `${column} IN (${numbers.join()})` : "false";
}

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
function orderByField(schema: TableSchema, { field, descending }: SortKey): string {
  return orderKey(columnOf(schema, field), descending);
}

/** One key of an ORDER BY list. */
function orderKey(expression: string, descending: boolean): string {
  return `${expression} ${descending ? "DESC" : "ASC"} NULLS LAST`;
}

function columnOf(schema: TableSchema, field: string): string {
  // The specification names the sort by site and not by what of it; its id is the one attribute that never changes.
  const name = field === "site" ? "site_id" : field;
  if (name === "display_order" || schema.columns.some((column) => column.name === name)) return `"${name}"`;
  throw new ArgumentError(`${schema.resource} cannot be sorted by ${showValue(field)}.`, { facts: { field } });
}

const PREFIX = "properties.";

/** Whether a sort needs the values of properties. */
export function sortsByProperty(sort: readonly SortKey[]): boolean {
  return sort.some(({ field }) => field.startsWith(PREFIX));
}

/** How layer features are sorted. */
export interface FeatureOrder {
  /** The rows with what they are sorted by: what comes after `FROM`. */
  readonly rows: SqlPart;
  /** The ORDER BY list over these rows. */
  readonly sql: string;
}

/**
 * The order of layer features by a sort, properties included. Built-in keys are compared by the type of their values; a
 * UUID by its definition's type where the query names one dataset, else by the raw text of the value.
 * Specification: GET /layerFeatures, _sortBy.
 *
 * @param where the rows that are wanted
 */
export async function featureOrder(
  database: Database,
  schema: TableSchema,
  query: ParsedQuery,
  where: SqlPart,
  definitions: "served" | "main" = "served",
): Promise<FeatureOrder> {
  const pointers: string[] = [];
  const keys: string[] = [];
  for (const sort of query.sort) {
    if (sort.field.startsWith(PREFIX)) {
      const key = sort.field.slice(PREFIX.length);
      const place = pointers.push(propertyPointer(key));
      const expressions = comparedValues(await comparisonOf(database, key, query, definitions), place);
      keys.push(...expressions.map((expression) => orderKey(expression, sort.descending)));
    } else {
      keys.push(orderByField(schema, sort));
    }
  }
  if (!query.sort.some(({ field }) => field === "id")) keys.push("id");
  return { rows: withValues(schema, where, pointers), sql: keys.join() };
}

/**
 * The rows with the values of properties as lists, so that each record is read twice, whatever the number of
 * properties: each call of a JSON function keeps the records that it has read in memory of its own. TRY gives null for
 * the rare JSON that DuckDB does not read.
 */
function withValues({ name }: TableSchema, where: SqlPart, pointers: readonly string[]): SqlPart {
  if (pointers.length === 0) return { sql: `${name} WHERE ${where.sql}`, parameters: where.parameters };
  const lists = "TRY(json_extract_string(record, ?)) AS texts, TRY(json_type(record, ?)) AS types";
  return {
    sql: `(SELECT *, ${lists} FROM ${name} WHERE ${where.sql})`,
    parameters: [pointers, pointers, ...where.parameters],
  };
}

async function comparisonOf(
  database: Database,
  key: string,
  { filters }: ParsedQuery,
  schema: string,
): Promise<PropertyComparison> {
  const id = isUuid(key) ? [key.toLowerCase()] : [];
  const [[type] = []] =
    id.length === 0 ? [] : await database.rows(`SELECT type FROM ${schema}.property_definitions WHERE id = ?`, id);
  return propertyComparison(key, filters, typeof type === "string" ? type : undefined);
}

/**
 * SQL expressions to sort by, one after the other.
 *
 * @param place of the property in the lists, from 1
 */
function comparedValues(comparison: PropertyComparison, place: number): string[] {
  const text = `texts[${place}]`;
  switch (comparison) {
    case "raw":
      return [text];
    case "number":
      return [`TRY_CAST(${text} AS DOUBLE)`, text];
    case "instant":
      return [`TRY_CAST(${text} AS TIMESTAMPTZ)`, text];
    case "value":
      // Numbers, then everything else as text.
      return [`CASE WHEN types[${place}] IN ('BIGINT', 'UBIGINT', 'DOUBLE') THEN ${text}::DOUBLE END`, text];
  }
}

/** The place of a property in a record. RFC 6901: a key can hold anything, and a pointer has no wildcards. */
function propertyPointer(key: string): string {
  return `/properties/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A piece of SQL and the values of its `?`, in order. */
export interface SqlPart {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
}
