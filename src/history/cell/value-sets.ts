import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { misspelledValue, nameHint } from "../../core/nearest-name.js";
import type { OptionRule } from "../../core/options.js";
import { listOptions } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { ValueDictionary } from "../log/change-log.js";
import { cellValue, UNKNOWN } from "./cell-state.js";
import type { HistoryData } from "./history-data.js";

/** An option that takes values of the column that is asked about. */
interface ColumnValuesRule extends OptionRule {
  readonly isOfColumn: true;
}

/**
 * A value, or several, whatever they are: `requireHeld()` judges whether the column ever had them.
 *
 * @param meaning to stand behind "the value, or an array of values,"
 */
export function columnValues(meaning: string): OptionRule {
  const rule: ColumnValuesRule = {
    takes: `the value, or an array of values, ${meaning}`,
    isOfColumn: true,
    accepts: () => true,
  };
  return rule;
}

/** Whether an option takes values of the column, whatever it is called. */
export function takesColumnValues(rule: OptionRule): boolean {
  return "isOfColumn" in rule;
}

/** A value, or several of them; none of what is left out. */
export function valueList(given: unknown): readonly unknown[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
}

/** Values by the name of their set. */
type ValueSets<Name extends string> = Readonly<Record<Name, readonly unknown[]>>;

/**
 * The name of the set that a value is in; undefined if it is in none. Values are equal as JSON is.
 *
 * @throws ArgumentError for a value that is in two sets
 */
export function setOfValue<Name extends string>(sets: ValueSets<Name>): (value: unknown) => Name | undefined {
  const { names, setOf } = numberedSets(sets);
  return (value) => names[setOf(value)];
}

/**
 * The name of the set that a cell's value is in, by its decision; undefined if it is in none, and where the value is not
 * known.
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

/** The names of sets, and the place among them of the one that a value is in; their number if it is in none. */
function numberedSets<Name extends string>(sets: ValueSets<Name>) {
  const dictionary = new ValueDictionary();
  const places = new Map<number, number>();
  const names = Object.keys(sets) as Name[];
  names.forEach((name, set) => {
    for (const value of sets[name]) {
      const code = dictionary.code(value);
      const other = places.get(code) ?? set;
      if (other !== set) {
        throw new ArgumentError(`${showValue(value)} is in ${names[other]} and in ${name}.`, {
          hint: "Give each value once: what has begun cannot have ended by the same value.",
        });
      }
      places.set(code, set);
    }
  });
  return { names, setOf: (value: unknown) => places.get(dictionary.code(value)) ?? names.length };
}

const MOST_NAMED = 20;

/**
 * Checks values against those that features ever had in a column, and those that its definition offers. A value of an open
 * set may be still to come, as at the beginning of construction: it is a diagnostic.
 *
 * @param option as it stands in messages
 * @throws ArgumentError for a value that is probably misspelled, or is not among the choices of the definition
 */
export function requireHeld(
  data: HistoryData,
  column: number,
  option: string,
  asked: readonly unknown[],
): readonly Finding[] {
  if (asked.length === 0) {
    throw new ArgumentError(`${option} names no value.`, { hint: `Give one: { ${option}: "CLOSED" }.` });
  }
  const dictionary = new ValueDictionary(new Set(heldValues(data, column)));
  const held = dictionary.values.slice();
  if (held.length === 0) return [];
  const missing = asked.filter((value) => dictionary.code(value) >= held.length);
  if (missing.length === 0) return [];
  const { choices = [] } = data.columns[column] ?? {};
  const all = `The column has ${listOptions(held, choices, MOST_NAMED)}.`;
  const name = data.names[column];
  const said = (value: unknown) => `${option}: no feature ever had ${showValue(value)} in ${showValue(name)}.`;
  const isClosed = choices.length > 0;
  const wrong = missing.find((value) => isClosed || misspelledValue(value, held, asked) !== undefined);
  if (wrong !== undefined) {
    const texts = choices.filter((one) => typeof one === "string");
    throw new ArgumentError(said(wrong), { hint: nameHint(wrong, texts, all), facts: { column: name, option } });
  }
  return missing.map((value) => ({
    code: "value-not-reached",
    message: `${said(value)} ${all}`,
    facts: { column: name, option, value },
  }));
}

/**
 * All values that definitions, changes and features have for a column; those of features once a feature, so that who stops
 * early has read no more.
 */
export function* heldValues(data: HistoryData, column: number): Generator<unknown> {
  const { index, log, columns } = data;
  const { choices = [], values = [] } = columns[column] ?? {};
  yield* choices;
  for (const code of new Set(index.valueCodes.subarray(...index.placesOf(column)))) yield log.values[code];
  yield* values;
}
