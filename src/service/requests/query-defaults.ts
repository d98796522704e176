import { comparableOf } from "../../api/comparable.js";
import type { Endpoint } from "../../api/endpoints.js";
import type { QueryDefaults } from "../../api/parse-query.js";
import { resources } from "../../api/resources.js";

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
    sortable: fields.filter(([, field]) => comparableOf(field.type)).map(([name]) => name),
  };
}
