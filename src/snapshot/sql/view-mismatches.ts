import type { Finding } from "../../core/finding.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { shownValue } from "../../history/questions/sql/values/shown-value.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import { propertyType } from "../../layer/property-type.js";
import { mismatchFinding } from "../../tables/types/type-mismatches.js";
import type { Database } from "../database/database.js";
import { storedKey } from "../write/property-texts.js";
import type { PropertyExpression } from "./property-expression.js";
import { storedValues } from "./stored-values.js";

/** How many different values are shown. */
const EXAMPLES = 3;

/**
 * Values that are null in a view, since they are not of their definition's type. Features are looked through once, and not at
 * all if every value is of the JSON type of its definition.
 *
 * @param rows the features of the view, with `properties`
 * @returns findings by column
 */
export async function viewMismatches(
  database: Database,
  rows: string,
  properties: readonly (PropertyExpression & { readonly column: NamedColumn })[],
): Promise<ReadonlyMap<string, Finding>> {
  const doubtful = properties.filter(({ isDoubtful }) => isDoubtful);
  if (doubtful.length === 0) return new Map();
  const keys = doubtful.flatMap(({ column, kind }, place) => {
    return column.keys.map(({ key }) => ({ key: storedKey(key), place: String(place), kind }));
  });
  const kinds = [...new Set(doubtful.map(({ kind }) => kind))];
  const shown = kinds.map((kind) => `(kind = '${kind}' AND ${shownValue(duckdbDialect, kind, "v")} IS NULL)`);
  // Of two keys in one column a feature has the same value.
  const found = await database.rows(
    `SELECT place, sum(n)::DOUBLE, to_json(min(v, ${EXAMPLES}))::VARCHAR FROM (
       SELECT place, v, count(DISTINCT id) AS n FROM ${storedValues(rows)}
       JOIN (SELECT unnest(?::VARCHAR[]) AS k, unnest(?::VARCHAR[]) AS place, unnest(?::VARCHAR[]) AS kind) USING (k)
       WHERE ${shown.join(" OR ")} GROUP BY place, v) GROUP BY place`,
    [keys.map(({ key }) => key), keys.map(({ place }) => place), keys.map(({ kind }) => kind)],
  );
  const byPlace = new Map(found.map(([place, ...counted]) => [String(place), counted]));
  const findings = doubtful.flatMap(({ column }, index) => {
    const [count, texts] = byPlace.get(String(index)) ?? [];
    if (count === undefined) return [];
    const examples = (JSON.parse(String(texts)) as string[]).map((text) => JSON.parse(text) as unknown);
    const { key, type } = propertyType(column);
    return [[column.column, mismatchFinding(column.column, key, type, { count: Number(count), examples })] as const];
  });
  return new Map(findings);
}
