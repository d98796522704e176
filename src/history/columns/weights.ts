import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { nameHint } from "../../core/nearest-name.js";
import { type OptionRule, type OptionRules, text } from "../../core/options.js";
import { showTimeOrNumber } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import type { Column } from "../../tables/column/column.js";
import type { HistoryData } from "../cell/history-data.js";
import { valuesAt } from "../cell/values-at.js";
import { computeByFeature } from "./added-columns.js";
import { chooseColumn } from "./choose-columns.js";
import { summandsOf } from "./summands.js";

/**
 * What a feature weighs: the name of a column of numbers, `"length"` (m) or `"area"` (m²) of its geometry, or a function
 * of its present row, whose fields are the layer's columns.
 */
export type Weight = string | WeighFeature;

/**
 * Weighs a feature: a number from 0 on; null or undefined for none.
 *
 * @param row the feature as it is at present: its values by the names of the layer's columns
 */
export type WeighFeature = (row: Readonly<Record<string, unknown>>) => unknown;

/** Options of questions about quantities instead of numbers of features. */
export interface WeightOptions {
  /**
   * What each feature weighs: a property column, as of the same date; a column that `derive()` or `follow()`
   * added, `"length"`, `"area"` or a function, the same at every date. A feature without a weight is in no quantity, and
   * a finding (`missing-weight`) counts it.
   */
  readonly weight?: Weight | undefined;
  /** The unit of the weights, for texts and axes, where no definition says it: `"MW"`. Nothing is converted. */
  readonly unit?: string | undefined;
}

const weightRule: OptionRule = {
  takes: 'the name of a column, "length", "area" or a function of a row',
  schema: { type: "string" },
  accepts: (value) => typeof value === "function" || (typeof value === "string" && value !== ""),
};

/** What they take. */
export const weightRules: OptionRules<WeightOptions> = { weight: weightRule, unit: text };

/** The weights of features, resolved. */
export interface Weights {
  /** As texts call it: `"Length"`, `length`, `weight`. */
  readonly label: string;
  /** The unit, or where nobody says it a name for texts: the column's, or `weight`. Never "features". */
  readonly unit: string;
  /** Whether somebody says it: two weights of one name need not be of one unit. */
  readonly isUnitKnown: boolean;
  /** The property column that holds them, as of each date; otherwise they are `values`. */
  readonly column: number | undefined;
  /** Whether values of the property column have to be integers. */
  readonly areIntegers: boolean;
  /** By row, whatever the date. */
  readonly values: Column;
  /** The weight that a value is: `MISSING` for none, `INVALID` for one that is no weight. */
  weigh(value: unknown): number;
}

/** A feature that has no weight. */
export const MISSING = Number.NaN;
/** A feature whose weight is negative or no number. */
export const INVALID = -1;

/** Whether a feature weighs something that can be added up: 0 or more. */
export function isWeight(weight: number): boolean {
  return weight >= 0;
}

/**
 * The weights that a question of a history asks for; undefined for one that counts features.
 *
 * @throws ArgumentError for a column that there is not or that holds no number, for what gives none for any feature, and for
 * a unit that contradicts a definition
 */
export function readWeights(data: HistoryData, { weight, unit }: WeightOptions): Weights | undefined {
  if (weight === undefined) return refuseUnit(unit);
  if (typeof weight === "function") {
    const names = [...data.names, ...data.added.keys()].map((name) => showValue(name));
    const hint = `Give a number from 0 on. The row has ${names.join(", ")} and the fields of features.`;
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
  const names = [...data.names, ...data.added.keys()];
  throw new ArgumentError(`weight: there is no column ${showValue(weight)}.`, {
    hint: nameHint(weight, [...names, "length", "area"]),
    facts: { column: weight },
  });
}

/**
 * The same of a question that an engine answers: a property column.
 *
 * @param call as users write it: `counts`
 * @throws ArgumentError also for weights that are known in memory alone
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
    throw new ArgumentError(`${call} weighs by ${what} in memory, and no engine of SQL is asked for it.`, {
      hint: `const history = await snapshot.history(…), then history.${call}(…); an engine weighs by a property column.`,
      facts: { question: call },
    });
  }
  return propertyWeights({ names, columns }, chooseColumn(names, weight), unit);
}

function refuseUnit(unit: string | undefined): undefined {
  if (unit === undefined) return undefined;
  throw new ArgumentError(`unit is of weights, and no weight is given with ${showValue(unit)}.`, {
    hint: 'Give both: { weight: "Length", unit: "m" }.',
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

/** @throws ArgumentError where no feature has a weight, since none ever will */
function constantWeights(
  { features }: HistoryData,
  label: string,
  unit: WeightUnit,
  values: Column,
  hint?: string,
): Weights {
  const own = (value: unknown) => weigh(value, isNumber);
  const { rows } = features;
  if (rows.length > 0 && rows.every((row) => !isWeight(own(values.at(row))))) {
    const of = rows.length === 1 ? "of the only feature" : `of each of ${rows.length.toLocaleString("en-US")} features`;
    const such = `such as ${showTimeOrNumber(values.at(0) ?? null)} of row 0`;
    throw noWeights(label, `${of} it is missing, negative or no number, ${such}`, hint);
  }
  return { label, ...unit, column: undefined, areIntegers: false, values, weigh: own };
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
  hint = 'Give a column of numbers from 0 on, "length", "area" or a function of a row.',
): ArgumentError {
  return new ArgumentError(`${label} has no number that a feature could weigh: ${reason}.`, {
    hint,
    facts: { option: "weight" },
  });
}

/** The unit that the definition of a column says, of the first one that says any. */
export function definedUnit(column: NamedColumn | undefined): string | undefined {
  const units = column?.keys.map(({ definition }) => definition?.config?.["unit"]) ?? [];
  return units.find((unit) => typeof unit === "string" && unit !== "") as string | undefined;
}

type WeightUnit = Pick<Weights, "unit" | "isUnitKnown">;

function nameUnit(name: string, unit: string | undefined): WeightUnit {
  return { unit: unit ?? name, isUnitKnown: unit !== undefined };
}

function unitOf(name: string, known: string | undefined, asked: string | undefined): WeightUnit {
  if (known !== undefined && asked !== undefined && known !== asked) {
    throw new ArgumentError(`${showValue(name)} is in ${known}, and unit says ${showValue(asked)}.`, {
      hint: `Leave unit out, or convert: layer.derive(${showValue(`${name} (${asked})`)}, (row) => …, { unit: ${showValue(asked)} }).`,
      facts: { column: name, unit: known },
    });
  }
  return nameUnit(name, asked ?? known);
}

/** The weight of each feature at a time, by row. */
export function weightsAt(data: HistoryData, { column, values, weigh }: Weights, us: number): Float64Array {
  const { rows } = data.features;
  const past = column === undefined ? values : valuesAt(data, column, rows, us, false);
  return Float64Array.from(rows, (row) => weigh(past.at(row)));
}

/** Ids that a finding lists. */
const MOST_IDS = 10;

/** Counts the features that weigh nothing, and keeps some of their ids. */
export class Weightless {
  readonly #ids: Readonly<Record<"missing" | "invalid", Set<unknown>>> = { missing: new Set(), invalid: new Set() };
  #isAnyWeighed = false;

  /** @param weight as a feature was weighed, or more often than once */
  add(weight: number, id: unknown): void {
    if (isWeight(weight)) this.#isAnyWeighed = true;
    else this.#ids[weight === INVALID ? "invalid" : "missing"].add(id);
  }

  /** @throws ArgumentError where there are values and none of them is a weight: all quantities would be 0 */
  findings({ label }: Weights): readonly Finding[] {
    const { missing, invalid } = this.#ids;
    if (invalid.size > 0 && !this.#isAnyWeighed) throw noWeights(label, "its values are negative or no numbers");
    return [
      ...weightFinding("missing-weight", label, missing, `no ${label}`),
      ...weightFinding("invalid-weight", label, invalid, `a ${label} that is negative or no number`),
    ];
  }
}

function weightFinding(
  code: "missing-weight" | "invalid-weight",
  label: string,
  found: ReadonlySet<unknown>,
  what: string,
): readonly Finding[] {
  if (found.size === 0) return [];
  // Ids of a user's own log may be names.
  const ids = [...found].filter((id) => typeof id === "number").sort((a, b) => a - b);
  const such = ids.length === 0 ? "" : `, such as id ${ids[0]},`;
  const [features, have, are] = found.size === 1 ? ["feature", "has", "is"] : ["features", "have", "are"];
  return [
    {
      code,
      message: `${found.size.toLocaleString("en-US")} ${features} ${have} ${what}${such} and ${are} in no quantity.`,
      count: found.size,
      facts: { weight: label, ids: ids.slice(0, MOST_IDS) },
    },
  ];
}

/** An amount as texts say it: `12,345.678`. */
export function amountText(amount: number): string {
  return amount.toLocaleString("en-US", { maximumFractionDigits: 3 });
}
