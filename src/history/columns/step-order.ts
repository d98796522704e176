import { ArgumentError } from "../../core/errors.js";
import { canonicalJson, compareText } from "../../core/json.js";
import { nearestName } from "../../core/nearest-name.js";
import type { OptionRule, OptionRules } from "../../core/options.js";
import { listOptions } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { optionList } from "../../layer/option-labels.js";
import type { PropertyColumn } from "../../layer/property-columns.js";

/** Ranks of values in an order; equal values have the same rank. */
export class ValueRanks {
  readonly #ranks = new Map<string, number>();
  /** Cache of requested values, which avoids computing their JSON twice. */
  readonly #rankOf = new Map<unknown, number | undefined>();

  /** The rank after the last. */
  count = 0;

  /** Values by their canonical JSON, with their ranks. */
  get entries(): Iterable<readonly [json: string, place: number]> {
    return this.#ranks;
  }

  /**
   * Sets the rank of values.
   *
   * @returns whether all of them are new; existing values keep their rank
   */
  add(values: readonly unknown[], index: number): boolean {
    const texts = values.map(canonicalJson);
    const areNew = texts.every((text) => !this.#ranks.has(text));
    for (const text of texts) if (!this.#ranks.has(text)) this.#ranks.set(text, index);
    this.count = Math.max(this.count, index + 1);
    this.#rankOf.clear();
    return areNew;
  }

  /** The rank of a value; undefined if it is not in the order. */
  of(value: unknown): number | undefined {
    if (this.#rankOf.has(value)) return this.#rankOf.get(value);
    const index = this.#ranks.get(canonicalJson(value));
    this.#rankOf.set(value, index);
    return index;
  }

  /** Whether a step leads to an earlier value; null if a value is not in the order. */
  isBackward(from: unknown, to: unknown): boolean | null {
    const [before, after] = [this.of(from), this.of(to)];
    return before === undefined || after === undefined ? null : after < before;
  }
}

/** Options of `history.steps()` and `history.transitions()`. */
export interface StepOptions {
  /**
   * The values from first to last, or `"options"` for the order of the choices in the column's definition. A step to an
   * earlier value is `backward`; for values missing from the order, `backward` is null.
   */
  readonly order?: readonly unknown[] | "options";
}

const values: OptionRule = {
  takes: 'an array of values or "options"',
  texts: ["options"],
  accepts: (given) => Array.isArray(given) || given === "options",
};

/** Rules for the option. */
export const stepRules: OptionRules<StepOptions> = { order: values };

/** Maximum number of values listed in an error. */
const MOST_SHOWN = 10;

/**
 * The ranks of values in an order.
 *
 * @param order distinct JSON values
 * @param logged the values that the column ever had by its log
 * @throws ArgumentError for an invalid or repeated value, for a value that the column never had if the order omits one
 * that it had, and for `"options"` if the definition has no choices
 */
export function stepOrder(
  column: PropertyColumn,
  order: readonly unknown[] | "options",
  logged: Iterable<unknown>,
): ValueRanks {
  if (order === "options") return optionPlaces(column);
  const ranks = new ValueRanks();
  for (const value of order) {
    if (!isJson(value))
      throw new ArgumentError(`\`order\` contains ${showValue(value)}.`, {
        hint: 'Use values of the column: { order: ["OPEN", "CLOSED"] }.',
        facts: { column: column.column },
      });
    if (!ranks.add([value], ranks.count)) throw twice(value);
  }
  refuseUnknown(column, order, ranks, logged);
  return ranks;
}

/** A code and its label are the same choice: a column has one of them. */
function optionPlaces({ column, keys }: PropertyColumn): ValueRanks {
  const ranks = new ValueRanks();
  for (const { definition } of keys) {
    for (const { code, label } of definition ? optionList(definition) : []) {
      const names = label === undefined ? [code] : [code, label];
      const rankOfName = names.map((name) => ranks.of(name)).find((index) => index !== undefined);
      ranks.add(names, rankOfName ?? ranks.count);
    }
  }
  if (ranks.count > 0) return ranks;
  throw new ArgumentError(`The definition of ${showValue(column)} has no options.`, {
    hint: 'List the values from first to last: { order: ["OPEN", "CLOSED"] }.',
    facts: { column },
  });
}

/**
 * An order may contain values that no feature has yet. If it also omits existing values, such a value is probably
 * misspelled, and `backward` would be null for the steps of the omitted one.
 */
function refuseUnknown(
  column: PropertyColumn,
  order: readonly unknown[],
  ranks: ValueRanks,
  logged: Iterable<unknown>,
): void {
  const { had, possible } = valuesEverHeld(column, logged);
  const unknown = order.find((value) => !possible.has(canonicalJson(value)));
  const left = had.filter((value) => ranks.of(value) === undefined);
  if (unknown === undefined || left.length === 0) return;
  throw neverHad(column, unknown, ", which is in `order`.", meant(column, unknown, left, "`order` omits"));
}

/**
 * Rejects a value that a column never had and that its definition does not offer.
 *
 * @param logged the values that the column ever had by its log
 * @throws ArgumentError
 */
export function refuseNeverHad(column: PropertyColumn, value: unknown, logged: Iterable<unknown>): void {
  const { had, possible } = valuesEverHeld(column, logged);
  if (!possible.has(canonicalJson(value))) throw neverHad(column, value, ".", meant(column, value, had, "It had"));
}

/** The values that a column ever had, and the same with the choices of its definition, by JSON. */
function valuesEverHeld({ choices, values: present }: PropertyColumn, logged: Iterable<unknown>) {
  const had = new Set<string>();
  for (const some of [logged, present]) for (const value of some) had.add(canonicalJson(value));
  had.delete("null");
  return {
    // An engine may order the members of equal objects differently: messages use one order.
    had: Array.from(had, (text): unknown => JSON.parse(text)),
    possible: new Set([...had, ...choices.map((choice) => canonicalJson(choice)), "null"]),
  };
}

function neverHad({ column }: PropertyColumn, value: unknown, end: string, hint: string): ArgumentError {
  return new ArgumentError(`${showValue(column)} never had the value ${showValue(value)}${end}`, {
    hint,
    facts: { column, value },
  });
}

function meant({ choices }: PropertyColumn, unknown: unknown, left: readonly unknown[], lead: string): string {
  const texts = choices.filter((value) => typeof value === "string" && left.includes(value)).map(String);
  const name = typeof unknown === "string" ? nearestName(unknown, texts) : undefined;
  if (name !== undefined) return `Did you mean ${showValue(name)}?`;
  return `${lead} ${listOptions(left, choices, MOST_SHOWN)}.`;
}

function twice(value: unknown): ArgumentError {
  return new ArgumentError(`\`order\` contains ${showValue(value)} twice.`, {
    hint: "List each value once.",
    facts: { value },
  });
}

function isJson(value: unknown): boolean {
  return value === null || (["string", "number", "boolean", "object"].includes(typeof value) && !Number.isNaN(value));
}

/**
 * Compares values of any type: null, booleans, numbers, dates, strings, then arrays and objects by their canonical
 * JSON.
 */
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
