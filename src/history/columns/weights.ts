import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { formatCount } from "../../core/format/format-number.js";
import { nameHint } from "../../core/nearest-name.js";
import { type OptionRule, type OptionRules, text } from "../../core/options.js";
import { showTimeOrNumber } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import type { Column } from "../../tables/column/column.js";
import type { HistoryData } from "../cell/history-data.js";
import { valuesAt } from "../cell/values-at.js";
import { computeByFeature } from "./added-columns.js";
import { summandsOf } from "./summands.js";

/**
 * The weight of a feature: the name of a column of numbers, `"length"` (m) or `"area"` (m²) of its geometry, or a
 * function of its current row, whose fields are the layer's columns.
 */
export type Weight = string | WeighFeature;

/**
 * Computes the weight of a feature: a number of at least 0; null or undefined for none.
 *
 * @param row the current feature: its values by the names of the layer's columns
 */
export type WeighFeature = (row: Readonly<Record<string, unknown>>) => unknown;

/** Options for quantities instead of numbers of features. */
export interface WeightOptions {
  /**
   * The weight of each feature: a property column, as of the same date, or a value that is the same on every date: a
   * column added with `derive()` or `lookup()`, `"length"`, `"area"` or a function. Features without a weight are
   * excluded from quantities, and a diagnostic (`weight-missing`) counts them. Default: each feature counts as one.
   */
  readonly weight?: Weight | undefined;
  /**
   * Unit of the weights for messages and axes, if no definition has one: `"MW"`. Values are not converted. Default: the
   * unit of the definition.
   */
  readonly unit?: string | undefined;
}

const weightRule: OptionRule = {
  takes: 'the name of a column, "length", "area" or a function of a row',
  schema: { type: "string" },
  accepts: (value) => typeof value === "function" || (typeof value === "string" && value !== ""),
};

/** Rules for the options. */
export const weightRules: OptionRules<WeightOptions> = { weight: weightRule, unit: text };

/** The weights of features, resolved. */
export interface Weights {
  /** Name in messages: `"Length"`, `length`, `weight`. */
  readonly label: string;
  /** The unit; if unknown, a name for messages: the column's, or `weight`. Never "features". */
  readonly unit: string;
  /** Whether the unit is known. Weights with the same name may have different units. */
  readonly isUnitKnown: boolean;
  /** The property column that holds them, as of each date; otherwise they are in `values`. */
  readonly column: number | undefined;
  /** Whether values of the property column must be integers. */
  readonly areIntegers: boolean;
  /** By row, for all dates. */
  readonly values: Column;
  /** Converts a value to a weight: `MISSING` for no value, `INVALID` for an invalid weight. */
  weigh(value: unknown): number;
}

/** Weight of a feature without one. */
export const MISSING = Number.NaN;
/** Weight of a feature whose value is negative or not a number. */
export const INVALID = -1;

/** Whether a weight can be summed: 0 or more. */
export function isWeight(weight: number): boolean {
  return weight >= 0;
}

/**
 * The weights of a question to a history; undefined if it counts features.
 *
 * @throws ArgumentError for a missing column or a column without numbers, for weights that are missing for all
 * features, and for a unit that contradicts a definition
 */
export function readWeights(data: HistoryData, { weight, unit }: WeightOptions): Weights | undefined {
  if (weight === undefined) return refuseUnit(unit);
  if (typeof weight === "function") {
    const names = [...data.names, ...data.added.keys()].map((name) => showValue(name));
    const hint = `Return a number of at least 0. The row has ${names.join(", ")} and the fields of features.`;
    return constantWeights(data, "weight", nameUnit("weight", unit), computeByFeature(data, weight), hint);
  }
  const column = data.names.indexOf(weight);
  if (column >= 0) return propertyWeights(data, column, unit);
  const added = data.added.get(weight);
  if (added) return constantWeights(data, showValue(weight), unitOf(weight, added.unit, unit), added.values);
  if (weight === "length" || weight === "area") {
    const geometries = data.features.base("geometry");
    const values = Array.from(geometries, (geometry) => data.measure(weight, geometry));
    return constantWeights(data, weight, unitOf(weight, weight === "length" ? "m" : "m²", unit), values);
  }
  throw unknownWeight(weight, [...data.names, ...data.added.keys()]);
}

function unknownWeight(weight: string, names: readonly string[]): ArgumentError {
  return new ArgumentError(`weight: unknown column ${showValue(weight)}.`, {
    hint: nameHint(weight, [...names, "length", "area"]),
    facts: { column: weight },
  });
}

/**
 * The weights of a question to an engine: a property column.
 *
 * @param call the call as users write it: `counts`
 * @throws ArgumentError also for weights that are only available in memory
 */
export function storedWeights(
  { names, columns }: Pick<HistoryData, "names" | "columns">,
  call: string,
  { weight, unit }: WeightOptions,
): Weights | undefined {
  if (weight === undefined) return refuseUnit(unit);
  const isComputed = typeof weight === "function" || (!names.includes(weight) && ["length", "area"].includes(weight));
  if (isComputed) {
    const what = typeof weight === "function" ? "a function" : showValue(weight);
    throw new ArgumentError(`${call}(): a weight by ${what} needs a history in memory.`, {
      hint: `Use \`(await snapshot.history(…)).${call}(…)\`, or weigh by a property column.`,
      facts: { question: call },
    });
  }
  const column = names.indexOf(weight);
  if (column < 0) throw unknownWeight(weight, names);
  return propertyWeights({ names, columns }, column, unit);
}

function refuseUnit(unit: string | undefined): undefined {
  if (unit === undefined) return undefined;
  throw new ArgumentError(`\`unit\` is ${showValue(unit)}, but \`weight\` is missing.`, {
    hint: 'Pass both: { weight: "Length", unit: "m" }.',
    facts: { option: "unit" },
  });
}

function propertyWeights(
  { names, columns }: Pick<HistoryData, "names" | "columns">,
  column: number,
  unit: string | undefined,
): Weights {
  const name = names[column] as string;
  const property = columns[column];
  const summands = summandsOf(property);
  const weights = {
    label: showValue(name),
    ...unitOf(name, definedUnit(property), unit),
    column,
    areIntegers: summands.areIntegers,
    values: property?.values ?? [],
  };
  if (!summands.canBe) throw noWeights(weights.label, `its definition's type is ${summands.type}`);
  return { ...weights, weigh: (value) => weigh(value, summands.includes) };
}

/** @throws ArgumentError if no feature has a weight, because these weights never change */
function constantWeights(
  { features }: HistoryData,
  label: string,
  unit: WeightUnit,
  values: Column,
  hint?: string,
): Weights {
  const weightOf = (value: unknown) => weigh(value, isNumber);
  const { rows } = features;
  if (rows.length > 0 && rows.every((row) => !isWeight(weightOf(values.at(row))))) {
    const of = rows.length === 1 ? "the only feature" : `all ${formatCount(rows.length)} features`;
    const such = `for example ${showTimeOrNumber(values.at(0) ?? null)} in row 0`;
    throw noWeights(label, `it is missing, negative or not a number for ${of}, ${such}`, hint);
  }
  return { label, ...unit, column: undefined, areIntegers: false, values, weigh: weightOf };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function weigh(value: unknown, includes: (value: unknown) => value is number): number {
  if (value === null || value === undefined) return MISSING;
  return includes(value) && value >= 0 && value < Number.POSITIVE_INFINITY ? value : INVALID;
}

function noWeights(
  label: string,
  reason: string,
  hint = 'Use a column of numbers of at least 0, "length", "area" or a function: { weight: (row) => row["Length"] }.',
): ArgumentError {
  return new ArgumentError(`${label === "weight" ? "the result of `weight`" : label} cannot be a weight: ${reason}.`, {
    hint,
    facts: { option: "weight" },
  });
}

/** The unit in the definition of a column: the first one given. */
export function definedUnit(column: NamedColumn | undefined): string | undefined {
  const units = column?.keys.map(({ definition }) => definition?.config?.["unit"]) ?? [];
  return units.find((unit) => typeof unit === "string" && unit !== "") as string | undefined;
}

type WeightUnit = Pick<Weights, "unit" | "isUnitKnown">;

function nameUnit(name: string, unit: string | undefined): WeightUnit {
  return { unit: unit ?? name, isUnitKnown: unit !== undefined };
}

function unitOf(name: string, unitOfColumn: string | undefined, unitOption: string | undefined): WeightUnit {
  if (unitOfColumn !== undefined && unitOption !== undefined && unitOfColumn !== unitOption) {
    throw new ArgumentError(`\`unit\` is ${showValue(unitOption)}, but ${showValue(name)} is in ${unitOfColumn}.`, {
      hint: `Remove \`unit\`, or convert: layer.derive(${showValue(`${name} (${unitOption})`)}, (row) => …, { unit: ${showValue(unitOption)} }).`,
      facts: { column: name, unit: unitOfColumn },
    });
  }
  return nameUnit(name, unitOption ?? unitOfColumn);
}

/** The weight of each feature at a time, by row. */
export function weightsAt(data: HistoryData, { column, values, weigh }: Weights, us: number): Float64Array {
  const { rows } = data.features;
  const past = column === undefined ? values : valuesAt(data, column, rows, us, false);
  return Float64Array.from(rows, (row) => weigh(past.at(row)));
}

/** Maximum number of ids in a diagnostic. */
const MOST_IDS = 10;

/** Counts the features without a weight, and keeps some of their ids. */
export class Weightless {
  readonly #ids: Readonly<Record<"missing" | "invalid", Set<unknown>>> = { missing: new Set(), invalid: new Set() };
  #isAnyWeighed = false;

  /** @param weight weight of a feature; may be added more than once */
  add(weight: number, id: unknown): void {
    if (isWeight(weight)) this.#isAnyWeighed = true;
    else this.#ids[weight === INVALID ? "invalid" : "missing"].add(id);
  }

  /** @throws ArgumentError if there are values and none of them is a weight: all quantities would be 0 */
  diagnostics({ label }: Weights): readonly Diagnostic[] {
    const { missing, invalid } = this.#ids;
    if (invalid.size > 0 && !this.#isAnyWeighed) throw noWeights(label, "its values are negative or not numbers");
    return [
      ...weightDiagnostic("weight-missing", label, missing, `no ${label}`),
      ...weightDiagnostic("weight-invalid", label, invalid, `a ${label} that is negative or not a number`),
    ];
  }
}

function weightDiagnostic(
  code: "weight-missing" | "weight-invalid",
  label: string,
  featureIds: ReadonlySet<unknown>,
  what: string,
): readonly Diagnostic[] {
  if (featureIds.size === 0) return [];
  // Ids of a user's own log may be names.
  const ids = [...featureIds].filter((id) => typeof id === "number").sort((a, b) => a - b);
  const such = ids.length === 0 ? "" : `, such as id ${ids[0]},`;
  const [features, have, are] = featureIds.size === 1 ? ["feature", "has", "is"] : ["features", "have", "are"];
  return [
    withSeverity({
      code,
      message: `${formatCount(featureIds.size)} ${features} ${have} ${what}${such} and ${are} excluded from all quantities.`,
      count: featureIds.size,
      facts: { weight: label, ids: ids.slice(0, MOST_IDS) },
    }),
  ];
}
