import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";
import { optionList } from "../../layer/option-labels.js";
import { ValueDictionary } from "../log/change-log.js";
import type { HistoryData } from "./history-data.js";

/** A value, or several of them; none of what is left out. */
export function valueList(given: unknown): readonly unknown[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
}

/**
 * The number of the first of some sets that a value is in; -1 if it is in none. Values are equal as JSON is.
 *
 * @throws ArgumentError for a value that is in two sets
 */
export function setOfValue(sets: Readonly<Record<string, readonly unknown[]>>): (value: unknown) => number {
  const dictionary = new ValueDictionary();
  const setOf = new Map<number, number>();
  const names = Object.keys(sets);
  Object.entries(sets).forEach(([name, values], set) => {
    for (const value of values) {
      const code = dictionary.code(value);
      const other = setOf.get(code) ?? set;
      if (other !== set) {
        throw new ArgumentError(`${showValue(value)} is in ${names[other]} and in ${name}.`, {
          hint: "Give each value once: what has begun cannot have ended by the same value.",
        });
      }
      setOf.set(code, set);
    }
  });
  return (value) => setOf.get(dictionary.code(value)) ?? -1;
}

const MOST_NAMED = 20;

/**
 * Refuses values that no feature ever had in a column and that its definition does not offer: an answer about them would
 * read as if nothing had happened.
 *
 * @param option as it stands in messages
 * @throws ArgumentError with the value that was probably meant
 */
export function requireHeld(data: HistoryData, column: number, option: string, asked: readonly unknown[]): void {
  if (asked.length === 0) {
    throw new ArgumentError(`${option} names no value.`, { hint: `Give one: { ${option}: "CLOSED" }.` });
  }
  const dictionary = new ValueDictionary(heldValues(data, column));
  const held = dictionary.values.length;
  if (held === 0) return;
  for (const value of asked) {
    if (dictionary.code(value) < held) continue;
    const texts = dictionary.values.slice(0, held).filter((one) => typeof one === "string");
    const all = dictionary.values.slice(0, Math.min(held, MOST_NAMED)).map((one) => showValue(one));
    const rest = held > MOST_NAMED ? " and more" : "";
    const name = data.names[column];
    throw new ArgumentError(`${option}: no feature ever had ${showValue(value)} in ${showValue(name)}.`, {
      hint: nameHint(value, texts, `There are: ${all.join(", ")}${rest}.`),
      facts: { column: name, option },
    });
  }
}

/** All values that changes, features and definitions have for a column. */
function* heldValues({ index, log, columns }: HistoryData, column: number): Generator<unknown> {
  const { keys = [], values = [] } = columns[column] ?? {};
  for (const { definition } of keys) {
    for (const { code, label } of definition ? optionList(definition) : []) {
      yield code;
      if (label !== undefined) yield label;
    }
  }
  for (const code of new Set(index.valueCodes.subarray(...index.placesOf(column)))) yield log.values[code];
  yield* new Set(values);
}
