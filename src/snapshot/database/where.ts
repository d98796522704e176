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
/** TRY returns null for rare JSON that DuckDB cannot read. */
const WRITTEN_KEY = `coalesce(TRY(json_extract_string(record, '/${KEY}')), ${KEY})`;

/** The condition that all filters are fulfilled. Each filter is a column of the same name. */
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
 * The API matches keys of changes as written. The column has UUIDs in lower case, and original keys in generations of
 * older formats, so it selects the rows whose records are checked.
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
 * The ORDER BY list of a sort: null last in both directions, strings by code point, ties by ascending id.
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

/** Order of layer features. */
export interface FeatureOrder {
  /** The rows with their sort keys: the text after `FROM`. */
  readonly rows: SqlPart;
  /** The ORDER BY list over these rows. */
  readonly sql: string;
}

/**
 * Returns the order of layer features by a sort, including properties. Built-in keys are compared by the type of their
 * values; a UUID by its definition's type if the query selects one dataset, else by the raw text of the value.
 * Specification: GET /layerFeatures, _sortBy.
 *
 * @param where the wanted rows
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
    const pointerIndex = key === undefined ? 0 : pointers.push(propertyPointer(key));
    const expressions =
      key === undefined
        ? [columnOf(schema, field)]
        : propertyOrderSql(
            await comparisonOf(database, key, query, definitions),
            `texts[${pointerIndex}]`,
            `types[${pointerIndex}]`,
          );
    keys.push(...expressions.map((expression) => orderKey(expression, descending)));
  }
  return { rows: withValues(schema, where, pointers), sql: keys.join() };
}

/**
 * The rows with the values of properties as lists, so that each record is read twice, whatever the count of properties:
 * each call of a JSON function keeps the records that it has read in its own memory. TRY returns null for rare JSON
 * that DuckDB cannot read.
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

/**
 * JSON pointer of a property in a record. RFC 6901: a key can contain any character, and a pointer has no wildcards.
 */
function propertyPointer(key: string): string {
  return `/properties/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Type of datasets with layer features. */
const FEATURE_TYPE = "geojson-layer";

/** Whether a dataset of a type may have layer features; true for unknown types. */
export function mayHoldFeatures(type: unknown): boolean {
  return (type ?? FEATURE_TYPE) === FEATURE_TYPE;
}

/**
 * SQL condition that the dataset of a layer feature may have features.
 *
 * @param datasets name of the table of datasets
 */
export function whereMayHoldFeatures(datasets: string): string {
  return `dataset_id NOT IN (SELECT id FROM ${datasets} WHERE type <> '${FEATURE_TYPE}')`;
}
