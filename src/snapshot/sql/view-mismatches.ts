import { mismatchFinding } from "../../columns/types/type-mismatches.js";
import type { Finding } from "../../core/finding.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import { propertyType } from "../../layer/property-type.js";
import type { Database } from "../database/database.js";
import type { PropertyExpression } from "./property-expression.js";

/** How many different values are shown. */
const EXAMPLES = 3;

/**
 * Values that are null in a view, since they are not of their definition's type. Features are looked through once, and not at
 * all if every value is of the JSON type of its definition.
 *
 * @param where the condition on layer features that they are in the view
 * @returns findings by column
 */
export async function viewMismatches(
  database: Database,
  where: string,
  properties: readonly (PropertyExpression & { readonly column: NamedColumn })[],
): Promise<ReadonlyMap<string, Finding>> {
  const doubtful = properties.filter(({ isMismatch }) => isMismatch !== undefined);
  if (doubtful.length === 0) return new Map();
  const counts = doubtful.map(({ isMismatch, raw }) => {
    const examples = `list_slice(list_sort(list(DISTINCT ${raw}) FILTER (WHERE ${isMismatch})), 1, ${EXAMPLES})`;
    return `count(*) FILTER (WHERE ${isMismatch})::DOUBLE, to_json(${examples})::VARCHAR`;
  });
  const [row = []] = await database.rows(`SELECT ${counts.join()} FROM layer_features WHERE ${where}`);
  const found = doubtful.flatMap(({ column }, index) => {
    const count = Number(row[2 * index]);
    if (count === 0) return [];
    const examples = (JSON.parse(String(row[2 * index + 1] ?? "[]")) as string[]).map(
      (text) => JSON.parse(text) as unknown,
    );
    const { key, type } = propertyType(column);
    return [[column.column, mismatchFinding(column.column, key, type, { count, examples })] as const];
  });
  return new Map(found);
}
