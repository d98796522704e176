import type { SortKey } from "../../api/form/endpoint.js";
import type { ParsedQuery } from "../../api/parse-query.js";
import { type PropertyComparison, propertyComparison } from "../../api/property-comparison.js";
import { isUuid } from "../../core/uuid.js";
import type { TableSchema } from "../format/table-schema.js";
import type { Database } from "./database.js";
import { orderByField, orderKey } from "./order-by.js";
import { propertyPointer } from "./property-pointer.js";
import type { SqlPart } from "./where.js";

const PREFIX = "properties.";

/** Whether a sort needs the values of properties. */
export function sortsByProperty(sort: readonly SortKey[]): boolean {
  return sort.some(({ field }) => field.startsWith(PREFIX));
}

/**
 * The ORDER BY list of a sort of layer features, properties included.
 */
export async function featureOrder(
  database: Database,
  schema: TableSchema,
  query: ParsedQuery,
  definitions: "served" | "main" = "served",
): Promise<SqlPart> {
  const keys: string[] = [];
  const parameters: string[] = [];
  for (const sort of query.sort) {
    if (sort.field.startsWith(PREFIX)) {
      const key = sort.field.slice(PREFIX.length);
      const expressions = comparedValues(await comparisonOf(database, key, query, definitions));
      keys.push(...expressions.map((expression) => orderKey(expression, sort.descending)));
      parameters.push(
        ...expressions.flatMap((expression) =>
          expression
            .split("?")
            .slice(1)
            .map(() => propertyPointer(key)),
        ),
      );
    } else {
      keys.push(orderByField(schema, sort));
    }
  }
  if (!query.sort.some(({ field }) => field === "id")) keys.push("id");
  return { sql: keys.join(), parameters };
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

/** SQL expressions to sort by, one after the other. TRY gives null for the rare JSON that DuckDB does not read. */
function comparedValues(comparison: PropertyComparison): string[] {
  const text = "TRY(json_extract_string(record, ?))";
  switch (comparison) {
    case "raw":
      return [text];
    case "number":
      return [`TRY_CAST(${text} AS DOUBLE)`, text];
    case "instant":
      return [`TRY_CAST(${text} AS TIMESTAMPTZ)`, text];
    case "value":
      // Numbers, then everything else as text.
      return [`CASE WHEN TRY(json_type(record, ?)) IN ('BIGINT', 'UBIGINT', 'DOUBLE') THEN ${text}::DOUBLE END`, text];
  }
}
