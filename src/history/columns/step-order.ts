import { ArgumentError } from "../../core/errors.js";
import { canonicalJson, compareText } from "../../core/json.js";
import { nearestName } from "../../core/nearest-name.js";
import type { OptionRule, OptionRules } from "../../core/options.js";
import { listOptions } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { optionList } from "../../layer/option-labels.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { ValuePlaces } from "./value-places.js";

/** Options of `history.steps()` and `history.transitions()`. */
export interface StepOptions {
  /**
   * The values from first to last, or `"options"`: as the column's definition lists its choices. A step to an earlier
   * value is `backward`; of a step from or to a value that is not in the order nobody can tell (null).
   */
  readonly order?: readonly unknown[] | "options";
}

const values: OptionRule = {
  takes: 'an array of values or "options"',
  texts: ["options"],
  accepts: (given) => Array.isArray(given) || given === "options",
};

/** What both take. */
export const stepRules: OptionRules<StepOptions> = { order: values };

/** More values than this are not listed in an error. */
const MOST_SHOWN = 10;

/**
 * The places of values in an order.
 *
 * @param order values that are JSON, each once
 * @param logged the values that the column ever had by its log
 * @throws ArgumentError for a value that is none or stands twice, for one that the column never had while the order
 * leaves out others that it had, and for `"options"` of a column whose definition has none
 */
export function stepOrder(
  column: PropertyColumn,
  order: readonly unknown[] | "options",
  logged: Iterable<unknown>,
): ValuePlaces {
  if (order === "options") return optionPlaces(column);
  const places = new ValuePlaces();
  for (const value of order) {
    if (!isJson(value)) throw new ArgumentError(`The order has ${showValue(value)} in it, which is no value.`);
    if (!places.add([value], places.count)) throw twice(value);
  }
  refuseUnknown(column, order, places, logged);
  return places;
}

/** A code and its label are one choice: a column has the one or the other. */
function optionPlaces({ column, keys }: PropertyColumn): ValuePlaces {
  const places = new ValuePlaces();
  for (const { definition } of keys) {
    for (const { code, label } of definition ? optionList(definition) : []) {
      const names = label === undefined ? [code] : [code, label];
      const known = names.map((name) => places.of(name)).find((place) => place !== undefined);
      places.add(names, known ?? places.count);
    }
  }
  if (places.count > 0) return places;
  throw new ArgumentError(`The definition of ${showValue(column)} lists no options.`, {
    hint: 'Give the values from first to last: { order: ["OPEN", "CLOSED"] }.',
    facts: { column },
  });
}

/**
 * Values may stand in an order before anything has them. One is a slip where others are missing: those of which a step
 * would then not be told.
 */
function refuseUnknown(
  column: PropertyColumn,
  order: readonly unknown[],
  places: ValuePlaces,
  logged: Iterable<unknown>,
): void {
  const { had, known } = knownValues(column, logged);
  const unknown = order.find((value) => !known.has(canonicalJson(value)));
  const left = had.filter((value) => places.of(value) === undefined);
  if (unknown === undefined || left.length === 0) return;
  throw neverHad(
    column,
    unknown,
    ", which the order names.",
    meant(column, unknown, left, ", which the order leaves out."),
  );
}

/**
 * Refuses a value that a column never had and that its definition does not offer.
 *
 * @param logged the values that the column ever had by its log
 * @throws ArgumentError
 */
export function refuseNeverHad(column: PropertyColumn, value: unknown, logged: Iterable<unknown>): void {
  const { had, known } = knownValues(column, logged);
  if (!known.has(canonicalJson(value))) throw neverHad(column, value, ".", meant(column, value, had, "."));
}

/** The values that a column ever had, and those by their JSON with what its definition offers. */
function knownValues({ choices, values: present }: PropertyColumn, logged: Iterable<unknown>) {
  const had = new Set<string>();
  for (const known of [logged, present]) for (const value of known) had.add(canonicalJson(value));
  had.delete("null");
  return {
    // Equal objects may have their members in another order in an engine: messages show one order.
    had: Array.from(had, (text): unknown => JSON.parse(text)),
    known: new Set([...had, ...choices.map((choice) => canonicalJson(choice)), "null"]),
  };
}

function neverHad({ column }: PropertyColumn, value: unknown, end: string, hint: string): ArgumentError {
  return new ArgumentError(`${showValue(column)} never had the value ${showValue(value)}${end}`, {
    hint,
    facts: { column, value },
  });
}

function meant({ choices }: PropertyColumn, unknown: unknown, left: readonly unknown[], end: string): string {
  const texts = choices.filter((value) => typeof value === "string" && left.includes(value)).map(String);
  const name = typeof unknown === "string" ? nearestName(unknown, texts) : undefined;
  if (name !== undefined) return `Did you mean ${showValue(name)}?`;
  return `It had ${listOptions(left, choices, MOST_SHOWN)}${end}`;
}

function twice(value: unknown): ArgumentError {
  return new ArgumentError(`The order names ${showValue(value)} twice.`, {
    hint: "Name each value once.",
    facts: { value },
  });
}

function isJson(value: unknown): boolean {
  return value === null || (["string", "number", "boolean", "object"].includes(typeof value) && !Number.isNaN(value));
}

/** Order of any values: null, booleans, numbers, dates, texts, then arrays and objects by their canonical JSON. */
export function compareValues(a: unknown, b: unknown): number {
  const difference = rank(a) - rank(b);
  if (difference !== 0) return difference;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "object" && !(a instanceof Date)) return compareText(canonicalJson(a), canonicalJson(b));
  return Number(a) - Number(b);
}

function rank(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === "boolean") return 1;
  if (typeof value === "number") return 2;
  if (value instanceof Date) return 3;
  return typeof value === "string" ? 4 : 5;
}
