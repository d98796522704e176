import { isUuid } from "../core/uuid.js";
import type { ResolvedFilters } from "./params.js";

const NUMERIC = /FLOAT|DOUBLE|DECIMAL|NUMBER|INT|CURRENCY|PERCENT/i;
const TEMPORAL = /DATE|TIME/i;

/**
 * How values of a property are compared: by their raw text; by their own type, numbers before everything else; as the
 * numbers or instants that they spell, before everything else.
 */
export type PropertyComparison = "raw" | "value" | "number" | "instant";

/**
 * How a sort by a property compares. Built-in keys are compared by the type of their values; a UUID by its definition's
 * type where the query names one dataset, else by the raw text of the value.
 * Specification: GET /layerFeatures, _sortBy.
 *
 * @param type of the key's definition; undefined if there is none
 */
export function propertyComparison(
  key: string,
  filters: ResolvedFilters,
  type: string | undefined,
): PropertyComparison {
  if (!isUuid(key)) return "value";
  if (new Set(filters.get("dataset_id")).size !== 1) return "raw";
  if (type === undefined) return "value";
  return NUMERIC.test(type) ? "number" : TEMPORAL.test(type) ? "instant" : "value";
}
