import type { SortKey } from "../../api/form/endpoint.js";
import type { ParsedQuery } from "../../api/parse-query.js";
import { type PropertyComparison, propertyComparison } from "../../api/property-comparison.js";
import { isUuid } from "../../core/uuid.js";
import type { TableSchema } from "../format/table-schema.js";
import type { Database } from "./database.js";
import { orderByField, orderKey } from "./order-by.js";
import type { SqlPart } from "./sql-part.js";

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
