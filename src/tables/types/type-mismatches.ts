import { columnKinds, type PropertyRule, propertyRule } from "../../api/property-types.js";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { canonicalJson } from "../../core/json.js";
import { showTimeOrNumber, valueKind } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { type Column, countTypes } from "../column/column.js";

/** Maximum number of distinct values in a diagnostic. */
export const EXAMPLES = 3;

/** Values of a column that do not fit its type. */
export interface Mismatches {
  readonly count: number;
  /** Some of them, without repetition. */
  readonly examples: readonly unknown[];
}

export const noMismatches: Mismatches = { count: 0, examples: [] };

/** The values of a column that do not fit the type of its definition. null fits every type. */
export function typeMismatches(values: Column, type: string | undefined): Mismatches {
  const rule = propertyRule(type);
  if (!rule || allFit(values, rule)) return noMismatches;
  let count = 0;
  const examples = new Map<string, unknown>();
  for (const value of values) {
    if (value === null || value === undefined || rule.accepts(value)) continue;
    count += 1;
    if (examples.size < EXAMPLES) examples.set(canonicalJson(value), value);
  }
  return { count, examples: [...examples.values()] };
}

/** The diagnostic about values that are null in exports. */
export function mismatchDiagnostic(
  column: string,
  key: string | undefined,
  type: string | undefined,
  { count, examples }: Mismatches,
): Diagnostic {
  const [values, are] = count === 1 ? ["value", "is"] : ["values", "are"];
  const rule = propertyRule(type);
  const isQuotable = rule !== undefined && columnKinds[rule.kind].isQuotable;
  const distinct = new Set(examples.map((value) => (isQuotable ? showTimeOrNumber(value) : valueKind(value))));
  return withSeverity({
    code: "value-type-mismatch",
    message: `${count} ${values} of ${showValue(column)} ${are} not of the definition's type ${type} (${[...distinct].join(", ")}): null in exports and SQL, unchanged in the table.`,
    count,
    facts: { column, ...(key === undefined ? {} : { property_key: key }) },
  });
}

/** Whether the JSON types alone prove that all values fit; columns of cells have the counts of their types. */
function allFit(values: Column, { kind, refersTo }: PropertyRule): boolean {
  const counts = countTypes(values);
  const { json, isJsonType } = columnKinds[kind];
  const codes = refersTo === "options" ? counts.number : 0;
  return counts.null + (isJsonType ? counts[json] : 0) + codes === values.length;
}
