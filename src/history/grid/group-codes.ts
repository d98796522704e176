import { type OptionRules, text } from "../../core/options.js";
import type { Column } from "../../tables/column/column.js";
import type { HistoryData } from "../cell/history-data.js";
import { constantColumn, constantNames } from "../columns/added-columns.js";
import { chooseColumn, propertyNames } from "../columns/choose-columns.js";
import { ValueDictionary } from "../log/change-log.js";
import { cellCoding, constantTimelines, type Timelines, timelines } from "./timelines.js";

/** Grouping options of `history.counts()` and `history.totals()`. */
export interface GroupOptions {
  /** A base field, a property as of the same date, or a column added with `derive()` to group by. */
  readonly by?: string;
}

/** Rules for the option. */
export const groupRules: OptionRules<GroupOptions> = {
  by: text,
};

/** The group of each feature over time. */
interface Groups extends Timelines {
  /** The value of each group, by code. */
  readonly values: readonly unknown[];
}

/**
 * Groups by a base field or an added column, by a property as of each date, or a single group.
 *
 * @param datesUs ascending
 * @throws ArgumentError for an unknown `by`
 */
export function groupCodes(data: HistoryData, by: string | undefined, datesUs: Float64Array): Groups {
  const dateCount = datesUs.length;
  if (by === undefined) {
    return { ...constantTimelines(new Int32Array(data.features.count), 1, dateCount), values: [null] };
  }
  const constant = constantColumn(data, by);
  return constant
    ? groupsOfConstant(data, constant, dateCount)
    : groupsOfProperty(data, chooseColumn(data.names, by, constantNames(data)), datesUs);
}

function groupsOfConstant({ features }: HistoryData, column: Column, dateCount: number): Groups {
  const dictionary = new ValueDictionary();
  const before = Int32Array.from(features.rows, (row) => dictionary.code(column.at(row)));
  return { ...constantTimelines(before, dictionary.values.length, dateCount), values: dictionary.values };
}

/** A group is a value, in any state. */
function groupsOfProperty(data: HistoryData, column: number, datesUs: Float64Array): Groups {
  const { entries, ofValue, before } = cellCoding(data, column);
  const dictionary = new ValueDictionary();
  const groupOf = Int32Array.from(entries, ({ value }) => dictionary.code(value));
  const group = (outcome: number) => groupOf[outcome] as number;
  const coding = { ofValue: ofValue.map(group), before: before.map(group), count: dictionary.values.length };
  return { ...timelines(data, column, datesUs, coding), values: dictionary.values };
}

/**
 * The column that `by` adds to a result, if any.
 *
 * @param ownNames names of the result's own columns
 * @param groups groups of the rows
 */
export function groupColumn(
  by: string | undefined,
  ownNames: readonly string[],
  groups: Column,
): (readonly [string, Column])[] {
  return by === undefined ? [] : propertyNames([by], ownNames).map((name) => [name, groups]);
}

/** Larger numbers of pairs use a map. */
const MOST_DENSE = 2 ** 20;

/** Codes for pairs of codes, in order of first occurrence. */
export class PairCodes {
  readonly #firsts: number[] = [];
  readonly #seconds: number[] = [];
  readonly #secondCount: number;
  /** Codes plus one by pair, if the number of possible pairs is small. */
  readonly #dense: Int32Array;
  readonly #sparse = new Map<number, number>();

  /**
   * @param firstCount first codes are below this
   * @param secondCount second codes are below this
   */
  constructor(firstCount: number, secondCount: number) {
    this.#secondCount = secondCount;
    const possible = firstCount * secondCount;
    this.#dense = new Int32Array(possible <= MOST_DENSE ? possible : 0);
  }

  /** The pairs, by code. */
  get pairs(): readonly (readonly [first: number, second: number])[] {
    return this.#firsts.map((first, code) => [first, this.second(code)]);
  }

  /** First code of a pair. */
  first(code: number): number {
    return this.#firsts[code] as number;
  }

  /** Second code of a pair. */
  second(code: number): number {
    return this.#seconds[code] as number;
  }

  /** Code of a pair. */
  code(first: number, second: number): number {
    const pair = first * this.#secondCount + second;
    const cached = pair < this.#dense.length ? (this.#dense[pair] as number) : (this.#sparse.get(pair) ?? 0);
    return cached === 0 ? this.#enter(pair, first, second) : cached - 1;
  }

  #enter(pair: number, first: number, second: number): number {
    const next = this.#firsts.push(first);
    this.#seconds.push(second);
    if (pair < this.#dense.length) this.#dense[pair] = next;
    else this.#sparse.set(pair, next);
    return next - 1;
  }
}
