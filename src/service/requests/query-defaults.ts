import type { Endpoint } from "../../api/endpoint.js";
import type { FieldType } from "../../api/field.js";
import type { QueryDefaults } from "../../api/parse-query.js";
import { resources } from "../../api/resources.js";

const unordered: readonly FieldType[] = ["point", "polygon", "geometry", "layout", "object", "json"];

/**
 * What this service decides where the specification shows no number or order: 10 rows a page, ascending ids,
 * and every scalar field sortable.
 */
export function queryDefaults(endpoint: Endpoint, maxPageSize: number): QueryDefaults {
  const fields = Object.entries(resources[endpoint.resource].fields);
  return {
    pageSize: 10,
    maxPageSize,
    sort: [{ field: "id", descending: false }],
    sortable: fields.filter(([, field]) => !unordered.includes(field.type)).map(([name]) => name),
  };
}
