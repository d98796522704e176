import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { misspelledValue, nameHint } from "../../core/nearest-name.js";
import type { OptionRule } from "../../core/options.js";
import { listOptions } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { ValueDictionary } from "../log/change-log.js";
import { cellValue, UNKNOWN } from "./cell-state.js";
import type { HistoryData } from "./history-data.js";

/** An option that accepts values of the column in question. */
interface ColumnValuesRule extends OptionRule {
  readonly isOfColumn: true;
}

/**
 * Rule for one or several values of any type: `requireHeld()` checks whether the column ever had them.
 *
 * @param meaning continues "the value, or an array of values,"
 */
export function columnValues(meaning: string): OptionRule {
  const rule: ColumnValuesRule = {
    takes: `the value, or an array of values, ${meaning}`,
    isOfColumn: true,
    accepts: () => true,
  };
  return rule;
}

/** Whether an option accepts values of the column, whatever its name. */
export function takesColumnValues(rule: OptionRule): boolean {
  return "isOfColumn" in rule;
}

/** Values given as one or several; empty if omitted. */
export function valueList(given: unknown): readonly unknown[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
}

/** Values by the name of their set. */
type ValueSets<Name extends string> = Readonly<Record<Name, readonly unknown[]>>;

/**
 * The name of the set that contains a value; undefined if none does. Values are compared as JSON.
 *
 * @throws ArgumentError for a value that is in two sets
 */
export function setOfValue<Name extends string>(sets: ValueSets<Name>): (value: unknown) => Name | undefined {
  const { names, setOf } = numberedSets(sets);
  return (value) => names[setOf(value)];
}

/**
 * The name of the set that contains a cell's value, by its decision; undefined if none does, and if the value is
 * unknown.
 *
 * @throws ArgumentError for a value that is in two sets
 */
export function setOfCell<Name extends string>(
  data: HistoryData,
  column: number,
  sets: ValueSets<Name>,
): (row: number, decision: number) => Name | undefined {
  const { valueCodes } = data.index;
  const { names, setOf } = numberedSets(sets);
  const setOfCode = Int8Array.from(data.log.values, setOf);
  return (row, decision) => {
    if (decision >= 0) return names[setOfCode[valueCodes[decision] as number] as number];
    return decision === UNKNOWN ? undefined : names[setOf(cellValue(data, row, column, decision))];
  };
}

/** The names of sets, and the index of the set that contains a value; the number of sets if none does. */
function numberedSets<Name extends string>(sets: ValueSets<Name>) {
  const dictionary = new ValueDictionary();
  const indexes = new Map<number, number>();
  const names = Object.keys(sets) as Name[];
  names.forEach((name, set) => {
    for (const value of sets[name]) {
      const code = dictionary.code(value);
      const other = indexes.get(code) ?? set;
      if (other !== set) {
        throw new ArgumentError(`${showValue(value)} is in both \`${names[other]}\` and \`${name}\`.`, {
          hint: "Remove it from one of them.",
        });
      }
      indexes.set(code, set);
    }
  });
  return { names, setOf: (value: unknown) => indexes.get(dictionary.code(value)) ?? names.length };
}

const MOST_NAMED = 20;

/**
 * Checks values against all values that features ever had in a column, and the choices of its definition. A missing
 * value of an open set may still come, as at the start of construction: it is a diagnostic.
 *
 * @param option name of the option in messages
 * @throws ArgumentError for a value that is probably misspelled, or is not among the choices of the definition
 */
export function requireHeld(
  data: HistoryData,
  column: number,
  option: string,
  values: readonly unknown[],
): readonly Diagnostic[] {
  if (values.length === 0) {
    throw new ArgumentError(`\`${option}\` is empty.`, { hint: `Pass at least one value: { ${option}: "CLOSED" }.` });
  }
  const dictionary = new ValueDictionary(new Set(heldValues(data, column)));
  const everHeld = dictionary.values.slice();
  if (everHeld.length === 0) return [];
  const missing = values.filter((value) => dictionary.code(value) >= everHeld.length);
  if (missing.length === 0) return [];
  const { choices = [] } = data.columns[column] ?? {};
  const all = `The column has ${listOptions(everHeld, choices, MOST_NAMED)}.`;
  const name = data.names[column];
  const neverHeld = (value: unknown) => `${option}: no feature ever had ${showValue(value)} in ${showValue(name)}.`;
  const isClosed = choices.length > 0;
  const wrong = missing.find((value) => isClosed || misspelledValue(value, everHeld, values) !== undefined);
  if (wrong !== undefined) {
    const texts = choices.filter((one) => typeof one === "string");
    throw new ArgumentError(neverHeld(wrong), { hint: nameHint(wrong, texts, all), facts: { column: name, option } });
  }
  return missing.map((value) =>
    withSeverity({
      code: "value-not-reached",
      message: `${neverHeld(value)} ${all}`,
      facts: { column: name, option, value },
    }),
  );
}

/**
 * All values of a column in definitions, changes and features. Features come last, one value each, so that callers who
 * stop early read no more than needed.
 */
export function* heldValues(data: HistoryData, column: number): Generator<unknown> {
  const { index, log, columns } = data;
  const { choices = [], values = [] } = columns[column] ?? {};
  yield* choices;
  for (const code of new Set(index.valueCodes.subarray(...index.placesOf(column)))) yield log.values[code];
  yield* values;
}
