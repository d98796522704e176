import { columnKinds, propertyRule } from "../../api/property-types.js";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { showValue } from "../../core/show-value.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import { propertyType } from "../../layer/name-columns.js";

/** The summed values of a column: its numbers in exports and SQL. */
export interface Summands {
  /** Type of the column in its definition, if any. */
  readonly type: string | undefined;
  /** Whether they must be integers. */
  readonly areIntegers: boolean;
  /** Whether the column can hold numbers at all. */
  readonly canBe: boolean;
  /** Whether values of other types are left out; otherwise every number counts. */
  readonly areTyped: boolean;
  /** Whether a value is summed. */
  includes(value: unknown): value is number;
}

/** SQL keeps other values of string columns as they are: their numbers are summed like those of unknown types. */
export function summandsOf(column: NamedColumn | undefined): Summands {
  const type = column && propertyType(column).type;
  const declared = propertyRule(type);
  const rule = declared?.kind === "text" ? undefined : declared;
  const isNumber = (value: unknown): value is number => typeof value === "number";
  return {
    type,
    areIntegers: rule?.kind === "integer",
    canBe: rule === undefined || columnKinds[rule.kind].json === "number",
    areTyped: rule !== undefined,
    includes: (value): value is number => isNumber(value) && (rule === undefined || rule.accepts(value)),
  };
}

/**
 * Diagnostics about values that do not fit the type of the definition and are excluded from sums.
 *
 * @param count number of excluded values, counted on each date
 */
export function leftOutDiagnostic(
  column: NamedColumn | undefined,
  { type }: Summands,
  count: number,
  dates: number,
): readonly Diagnostic[] {
  if (count === 0 || column === undefined) return [];
  const [values, are] = count === 1 ? ["value", "is"] : ["values", "are"];
  const at = dates === 1 ? "one date" : `${dates} dates`;
  return [
    withSeverity({
      code: "value-type-mismatch",
      message: `totals(${showValue(column.column)}) excludes ${count} ${values} at ${at} that ${are} not of the definition's type ${type}. In exports and SQL, such values are null.`,
      count,
      facts: { column: column.column, property_key: column.keys[0]?.key, dates },
    }),
  ];
}
