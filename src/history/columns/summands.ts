import type { Finding } from "../../core/finding.js";
import { showValue } from "../../core/show-value.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import { propertyType } from "../../layer/name-columns.js";
import { type DefinitionKind, definitionKind } from "../../tables/types/declared-type.js";

/** Which values of a column are added up: those that are numbers in exports and SQL. */
export interface Summands {
  /** What the column's definition calls its type, where it has one. */
  readonly type: string | undefined;
  /** Whether they have to be integers. */
  readonly areIntegers: boolean;
  /** Whether the column can hold numbers at all. */
  readonly canBe: boolean;
  /** Whether values that are not of the type are left out; otherwise every number counts. */
  readonly areTyped: boolean;
  /** Whether a value is one. */
  includes(value: unknown): value is number;
}

/** Other values of texts stay in SQL, as they are: their numbers are added up like those of unknown types. */
export function summandsOf(column: NamedColumn | undefined): Summands {
  const type = column && propertyType(column).type;
  const known = definitionKind(type);
  const kind: DefinitionKind | undefined = known?.one === "text" ? undefined : known;
  const isNumber = (value: unknown): value is number => typeof value === "number";
  return {
    type,
    areIntegers: kind?.one === "integer",
    canBe: kind === undefined || kind.one === "integer" || kind.one === "number",
    areTyped: kind !== undefined,
    includes: (value): value is number => isNumber(value) && (kind === undefined || kind.accepts(value)),
  };
}

/**
 * What to know of a sum: values that are not of the definition's type are none of it.
 *
 * @param count how many values of features were left out, those of each date counted
 */
export function leftOutFinding(
  column: NamedColumn | undefined,
  { type }: Summands,
  count: number,
  dates: number,
): readonly Finding[] {
  if (count === 0 || column === undefined) return [];
  const [values, are] = count === 1 ? ["value", "is"] : ["values", "are"];
  const at = dates === 1 ? "one date" : `${dates} dates`;
  return [
    {
      code: "type-mismatch",
      message: `totals(${showValue(column.column)}) leaves out ${count} ${values} at ${at} that ${are} not of the definition's type ${type}, and null in exports and SQL.`,
      count,
      facts: { column: column.column, property_key: column.keys[0]?.key, dates },
    },
  ];
}
