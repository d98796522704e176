import type { Column } from "../../tables/column/column.js";
import { REASONS, UNCHANGED } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { isAbsent } from "../cell/present-rows.js";
import type { Codes } from "../log/change-log.js";
import type { RowTimes } from "./row-times.js";

/** The contents of a column's cells. */
export interface DecidedCells {
  /** By row of the table: the code of a value, or `UNKNOWN`, `UNCHANGED`, `ABSENT`, each shifted by `REASONS`. */
  readonly codes: Codes;
  /** When the deciding changes were made, in microseconds since 1970; NaN without a change. */
  readonly changedUs: Float64Array | undefined;
}

/** Changes that prove that a feature exists, by feature. */
class TellingChanges {
  readonly #timesUs: Float64Array;
  readonly #changesOf = new Map<number, number[]>();

  /** @param isOne whether a feature's change at a time is one of them */
  constructor({ rows, timesUs, length }: HistoryData["log"], isOne: (feature: number, us: number) => boolean) {
    this.#timesUs = timesUs;
    for (let change = 0; change < length; change += 1) {
      const feature = rows[change] as number;
      if (!isOne(feature, timesUs[change] as number)) continue;
      const ofFeature = this.#changesOf.get(feature);
      if (ofFeature) ofFeature.push(change);
      else this.#changesOf.set(feature, [change]);
    }
  }

  /** Whether one of them was made at or before a time and is among the first `limit` of the log. */
  hasOne(feature: number, us: number, limit: number): boolean {
    const ofFeature = this.#changesOf.get(feature) ?? [];
    return ofFeature.some((change) => change < limit && (this.#timesUs[change] as number) <= us);
  }
}

/** No feature, no time, or no known insertion point. */
export const NOWHERE = -1;

/** The rows of a table in terms of a history. */
export interface JoinedRows {
  readonly length: number;
  /** Row of each one's feature in the history; `NOWHERE` for a row without values. */
  readonly features: Int32Array;
  readonly times: RowTimes;
  /** Number of changes of the log that a row may use; undefined for all. */
  readonly knownCounts: Int32Array | undefined;
  /** Last microsecond that a row may use; undefined for all. */
  readonly knownUs: Float64Array | undefined;
  /** 1 for rows at times at which their features did not exist; undefined without such rows. */
  readonly absent: Uint8Array | undefined;
}

/**
 * The rows at times at which their features did not exist, by the knowledge of each row; undefined without such rows.
 */
export function absentRows(data: HistoryData, rows: Omit<JoinedRows, "absent">): Uint8Array | undefined {
  const { length, features, times, knownUs } = rows;
  if (!knownUs && times.firstUs >= data.allPresentUs && times.lastUs < data.firstGoneUs) return undefined;
  const isAbsentRow = knownUs ? absentByKnown(data, { ...rows, knownUs }) : absentByAll(data, rows);
  let absent: Uint8Array | undefined;
  for (let row = 0; row < length; row += 1) {
    const feature = features[row] ?? NOWHERE;
    if (feature === NOWHERE || !isAbsentRow(row, feature)) continue;
    absent ??= new Uint8Array(length);
    absent[row] = 1;
  }
  return absent;
}

function absentByAll(data: HistoryData, { times }: Pick<JoinedRows, "times">) {
  return (row: number, feature: number) => isAbsent(data, feature, times.us[row] as number);
}

/** By the changes that each row may use. A change can prove that a feature exists before its creation is known. */
function absentByKnown(
  { log, features }: HistoryData,
  { times, knownCounts, knownUs }: Pick<JoinedRows, "times" | "knownCounts"> & { readonly knownUs: Float64Array },
) {
  const { createdUs, goneUs } = features;
  let early: TellingChanges | undefined;
  let all: TellingChanges | undefined;
  return (row: number, feature: number) => {
    const [us, lastUs] = [times.us[row] as number, knownUs[row] as number];
    const created = createdUs[feature] as number;
    const gone = goneUs?.[feature] as number;
    if (gone <= us && gone <= lastUs) return true;
    if (!(created > us || created > lastUs)) return false;
    const length = knownCounts?.[row] ?? log.length;
    if (created > lastUs) {
      all ??= new TellingChanges(log, () => true);
      return !all.hasOne(feature, us, length);
    }
    early ??= new TellingChanges(log, (one, changed) => changed < (createdUs[one] as number));
    return !early.hasOne(feature, us, length);
  };
}

/** The values of cells: from a dictionary, or from the records of features that were never changed. */
export class JoinedColumn implements Column {
  readonly length: number;
  readonly #decide: () => DecidedCells;
  /** The values that codes stand for; null for the reasons for no value. */
  readonly #dictionary: readonly unknown[];
  readonly #features: Int32Array;
  readonly #present: Column;
  #codes: DecidedCells["codes"] | undefined;

  /**
   * @param decide called when the first value is read
   * @param values the log's dictionary
   * @param features row of each one's feature
   * @param present values in the records of features
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
