import type { Finding } from "../../core/finding.js";
import { canonicalJson } from "../../core/json.js";
import { showTimeOrNumber, valueKind } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { type Column, countTypes } from "../column/column.js";
import { type DefinitionKind, definitionKind } from "./declared-type.js";

/** How many different values a finding shows. */
export const EXAMPLES = 3;

/** Values of a column that are not of its type. */
export interface Mismatches {
  readonly count: number;
  /** Some of them, each once. */
  readonly examples: readonly unknown[];
}

export const noMismatches: Mismatches = { count: 0, examples: [] };

/** The values of a column that are not of the type of its definition. null is of every type. */
export function typeMismatches(values: Column, type: string | undefined): Mismatches {
  const kind = definitionKind(type);
  if (!kind || allFit(values, kind)) return noMismatches;
  let count = 0;
  const examples = new Map<string, unknown>();
  for (const value of values) {
    if (value === null || value === undefined || kind.accepts(value)) continue;
    count += 1;
    if (examples.size < EXAMPLES) examples.set(canonicalJson(value), value);
  }
  return { count, examples: [...examples.values()] };
}

/** What a user should know of values that exports have as null. */
export function mismatchFinding(
  column: string,
  key: string | undefined,
  type: string | undefined,
  { count, examples }: Mismatches,
): Finding {
  const [values, are, stay] = count === 1 ? ["value", "is", "it came"] : ["values", "are", "they came"];
  const { one } = definitionKind(type) ?? {};
  const isQuotable = one !== undefined && ["integer", "number", "date", "instant"].includes(one);
  const shown = new Set(examples.map((value) => (isQuotable ? showTimeOrNumber(value) : valueKind(value))));
  return {
    code: "type-mismatch",
    message: `${count} ${values} of ${showValue(column)} ${are} not of the definition's type ${type} (${[...shown].join(", ")}): null in exports and SQL, in the table as ${stay}.`,
    count,
    facts: { column, ...(key === undefined ? {} : { property_key: key }) },
  };
}

/** Where the JSON types alone tell; columns of cells know how many of each they have. */
function allFit(values: Column, { one, many }: DefinitionKind): boolean {
  const counts = countTypes(values);
  const fitting = {
    integer: 0,
    number: counts.number,
    boolean: counts.boolean,
    text: counts.string,
    date: 0,
    instant: 0,
  };
  const codes = many === "texts" ? counts.number : 0;
  return counts.null + fitting[one] + codes === values.length;
}
