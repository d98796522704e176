import type { SortKey } from "../../api/contract.js";
import type { FilterValue, ResolvedFilters } from "../../api/filters.js";
import type { ParsedQuery } from "../../api/parse-query.js";
import type { ResourceName } from "../../api/resources.js";
import {
  operatorOf,
  orderKey,
  propertyComparison,
  propertyOrderSql,
  type SqlPart,
  sortedField,
  sortedProperty,
  unsortable,
  withoutTies,
} from "../../api/select-records.js";
import { isUuid } from "../../core/uuid.js";
import { canonicalKey } from "../../layer/property-key.js";
import type { TableSchema } from "../format/table-schema.js";
import type { Database } from "./database.js";

const KEY = "property_key";
const UUID_LENGTH = 36;
/** TRY gives null for the rare JSON that DuckDB does not read. */
const WRITTEN_KEY = `coalesce(TRY(json_extract_string(record, '/${KEY}')), ${KEY})`;

/** The condition that all filters hold. Every filter is a column of the same name. */
export function whereFilters(resource: ResourceName, filters: ResolvedFilters): SqlPart {
  const parts = [...filters].map(([name, values]) =>
    name === KEY ? whereKey(values) : operatorOf(resource, name).sql(name, values),
  );
  return {
    sql: parts.map(({ sql }) => sql).join(" AND ") || "true",
    parameters: parts.flatMap((part) => part.parameters),
  };
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

/**
 * The ORDER BY list of a sort: null last in both directions, texts by code point, ties by ascending id.
 *
 * @throws ArgumentError if a field has no column
 */
export function orderBy(schema: TableSchema, sort: readonly SortKey[]): string {
  return withoutTies(sort)
    .map((key) => orderKey(columnOf(schema, key.field), key.descending))
    .join();
}

function columnOf(schema: TableSchema, field: string): string {
  const name = sortedField(field);
  if (name === "display_order" || schema.columns.some((column) => column.name === name)) return `"${name}"`;
  throw unsortable(schema.resource, field);
}

/** Whether a sort needs the values of properties. */
export function sortsByProperty(sort: readonly SortKey[]): boolean {
  return sort.some(({ field }) => sortedProperty(field) !== undefined);
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
  for (const { field, descending } of withoutTies(query.sort)) {
    const key = sortedProperty(field);
    const place = key === undefined ? 0 : pointers.push(propertyPointer(key));
    const expressions =
      key === undefined
        ? [columnOf(schema, field)]
        : propertyOrderSql(await comparisonOf(database, key, query, definitions), `texts[${place}]`, `types[${place}]`);
    keys.push(...expressions.map((expression) => orderKey(expression, descending)));
  }
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

async function comparisonOf(database: Database, key: string, { filters }: ParsedQuery, schema: string) {
  const id = isUuid(key) ? [key.toLowerCase()] : [];
  const [[type] = []] =
    id.length === 0 ? [] : await database.rows(`SELECT type FROM ${schema}.property_definitions WHERE id = ?`, id);
  return propertyComparison(key, filters, typeof type === "string" ? type : undefined);
}

/** The place of a property in a record. RFC 6901: a key can hold anything, and a pointer has no wildcards. */
function propertyPointer(key: string): string {
  return `/properties/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
