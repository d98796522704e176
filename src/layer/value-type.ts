import type { Column } from "../tables/column/column.js";
import { countTypes, type ValueType } from "../tables/column/count-types.js";

/** The JSON type of a column's values where no definition names it: `json` where they differ, `null` where none is. */
export function seenType(column: Column): ValueType {
  const { null: _, ...counts } = countTypes(column);
  const seen = Object.entries(counts).filter(([, count]) => count > 0);
  return seen.length > 1 ? "json" : ((seen[0]?.[0] as ValueType | undefined) ?? "null");
}
