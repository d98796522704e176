import type { Column } from "../../tables/column/column.js";
import { REASONS, UNCHANGED } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import type { Codes } from "../log/change-log.js";
import type { RowTimes } from "./row-times.js";

/** What a column's cells say. */
export interface DecidedCells {
  /** By row of the table: the code of a value, or `UNKNOWN`, `UNCHANGED`, `ABSENT`, each `REASONS` higher. */
  readonly codes: Codes;
  /** When the changes that decide were made, microseconds since 1970; NaN where none does. */
  readonly changedUs: Float64Array | undefined;
}

/** The changes that were made before their features were created, by feature: there are few. */
class EarlyChanges {
  readonly #timesUs: Float64Array;
  readonly #changesOf = new Map<number, number[]>();

  constructor({ log, features }: Pick<HistoryData, "log" | "features">) {
    const { rows, timesUs, length } = log;
    this.#timesUs = timesUs;
    for (let change = 0; change < length; change += 1) {
      const feature = rows[change] as number;
      if (!((timesUs[change] as number) < (features.createdUs[feature] as number))) continue;
      const own = this.#changesOf.get(feature);
      if (own) own.push(change);
      else this.#changesOf.set(feature, [change]);
    }
  }

  /** Whether one of the first changes of the log, in whichever property of a feature, was made at or before a time. */
  hasOne(feature: number, us: number, known: number): boolean {
    const own = this.#changesOf.get(feature) ?? [];
    return own.some((change) => change < known && (this.#timesUs[change] as number) <= us);
  }
}

/** No feature, no time, or no point up to which something was known. */
export const NOWHERE = -1;

/** The rows of a table as a history sees them. */
export interface JoinedRows {
  readonly length: number;
  /** Row of each one's feature in the history; `NOWHERE` where a row can have no values. */
  readonly features: Int32Array;
  readonly times: RowTimes;
  /** How many changes of the log a row may know of; all if undefined. */
  readonly known: Int32Array | undefined;
  /** 1 for rows at times at which their features did not exist; undefined where there is no such row. */
  readonly absent: Uint8Array | undefined;
}

/** Which rows are at times at which their features did not exist, by what a row may know; undefined if none is. */
export function absentRows(
  data: HistoryData,
  { length, features, times, known }: Omit<JoinedRows, "absent">,
): Uint8Array | undefined {
  const { presentFromUs, allPresentUs } = data;
  const { createdUs } = data.features;
  if (!known && times.firstUs >= allPresentUs) return undefined;
  const sinceUs = known ? createdUs : presentFromUs;
  let absent: Uint8Array | undefined;
  let early: EarlyChanges | undefined;
  for (let row = 0; row < length; row += 1) {
    const feature = features[row] ?? NOWHERE;
    const us = times.us[row] as number;
    if (feature === NOWHERE || !((sinceUs[feature] as number) > us)) continue;
    if (known) {
      early ??= new EarlyChanges(data);
      if (early.hasOne(feature, us, known[row] as number)) continue;
    }
    absent ??= new Uint8Array(length);
    absent[row] = 1;
  }
  return absent;
}

/** The values that cells say: of a dictionary, or what records hold where nothing was ever changed. */
export class JoinedColumn implements Column {
  readonly length: number;
  readonly #decide: () => DecidedCells;
  /** The values that codes stand for; null for the reasons why there is none. */
  readonly #dictionary: readonly unknown[];
  readonly #features: Int32Array;
  readonly #present: Column;
  #codes: DecidedCells["codes"] | undefined;

  /**
   * @param decide is called when the first value is read
   * @param values the log's dictionary
   * @param features row of each one's feature
   * @param present what the records of features hold
   */
  constructor(decide: () => DecidedCells, values: readonly unknown[], features: Int32Array, present: Column) {
    this.length = features.length;
    this.#decide = decide;
    this.#dictionary = [...new Array<null>(REASONS).fill(null), ...values];
    this.#features = features;
    this.#present = present;
  }

  at(row: number): unknown {
    const code = (this.#codes ?? this.#read())[row];
    if (code === undefined) return undefined;
    return code === UNCHANGED + REASONS ? this.#presentAt(row) : this.#dictionary[code];
  }

  /** All values in an array. */
  allValues(): unknown[] {
    const codes = this.#codes ?? this.#read();
    const dictionary = this.#dictionary;
    const values = new Array<unknown>(codes.length);
    for (let row = 0; row < codes.length; row += 1) {
      const code = codes[row] as number;
      values[row] = code === UNCHANGED + REASONS ? this.#presentAt(row) : dictionary[code];
    }
    return values;
  }

  #read(): DecidedCells["codes"] {
    this.#codes = this.#decide().codes;
    return this.#codes;
  }

  #presentAt(row: number): unknown {
    return this.#present.at(this.#features[row] as number) ?? null;
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }
}
