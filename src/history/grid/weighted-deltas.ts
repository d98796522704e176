import { GrowingArray } from "../../tables/cells/growing-array.js";
import type { HistoryData } from "../cell/history-data.js";
import { rowsOfDates, seenDates } from "../cell/present-rows.js";
import { Weightless, type Weights } from "../columns/weights.js";
import { type Codes, codeArray } from "../log/change-log.js";
import { DateSums, DateTally } from "./date-sums.js";
import { cellCoding, constantTimelines, placesOfDate, type Timelines, timelines } from "./timelines.js";

/** Changes of the counts and weights of kinds from dates on. Their running sums are the amounts at each date. */
export class WeightedDeltas {
  readonly #kinds = new GrowingArray(Int32Array);
  readonly #dates = new GrowingArray(Int32Array);
  readonly #counts = new GrowingArray(Float64Array);
  readonly #weighted = new GrowingArray(Float64Array);
  readonly #quantities = new GrowingArray(Float64Array);
  #kindCount = 0;
  readonly #call: string;

  /** @param call the call as users write it: `counts()` */
  constructor(call: string) {
    this.#call = call;
  }

  /**
   * @param date the number of dates means after the last
   * @param count number of features
   * @param weighted number of them that have a weight
   * @param quantity sum of their weights
   */
  take(kind: number, date: number, count: number, weighted: number, quantity: number): void {
    this.#kinds.push(kind);
    this.#dates.push(date);
    this.#counts.push(count);
    this.#weighted.push(weighted);
    this.#quantities.push(quantity);
    this.#kindCount = Math.max(this.#kindCount, kind + 1);
  }

  /** Number of features, by kind and index of a date, in order of time. */
  counts(dateCount: number): (kind: number, date: number) => number {
    return this.#tally(this.#counts, dateCount);
  }

  /** Their weights. */
  sums(dateCount: number): QuantitiesAt {
    const [kinds, dates] = [this.#kinds.filled(), this.#dates.filled()];
    const quantities = this.#quantities.filled();
    const sums = new DateSums(this.#call, this.#kindCount, dateCount);
    kinds.forEach((kind, step) => {
      sums.add(kind, dates[step] as number, quantities[step] as number);
    });
    const [sum, weighted] = [sums.sum(), this.#tally(this.#weighted, dateCount)];
    return {
      weighted,
      // Adding and subtracting the same value may leave a rounding error.
      quantity: (kind, date) => (weighted(kind, date) === 0 ? 0 : sum(kind, date)),
    };
  }

  #tally(steps: GrowingArray<Float64Array>, dateCount: number): (kind: number, date: number) => number {
    const [kinds, dates, values] = [this.#kinds.filled(), this.#dates.filled(), steps.filled()];
    const counted = new DateTally(this.#call, dateCount);
    kinds.forEach((kind, step) => {
      counted.add(kind, dates[step] as number, values[step] as number);
    });
    return counted.sum();
  }
}

/** Number of features of a kind with a weight at a date, and the sum of their weights. */
export interface QuantitiesAt {
  weighted(kind: number, date: number): number;
  quantity(kind: number, date: number): number;
}

/** Weights of features over time, and the features that have no weight at some date. */
export interface WeightTimelines extends Timelines {
  /** By code. */
  readonly weights: Float64Array;
}

/**
 * The weights of features over some dates.
 *
 * @param datesUs ascending
 */
export function weightTimelines(data: HistoryData, weights: Weights, datesUs: Float64Array): WeightTimelines {
  const { column, values, weigh } = weights;
  if (column === undefined) {
    const { rows } = data.features;
    const all = Float64Array.from(rows, (row) => weigh(values.at(row)));
    return { ...constantTimelines(rows, rows.length, datesUs.length), weights: all };
  }
  const coding = cellCoding(data, column);
  const all = Float64Array.from(coding.entries, ({ value }) => weigh(value));
  return { ...timelines(data, column, datesUs, coding), weights: all };
}

/**
 * Reports the weights of kinds at dates: a step for each feature and date at which it, its group or its weight changes.
 *
 * @param kindOf returns the kind for the codes of a cell and a group
 * @returns the features that have no weight at some date
 */
export function sweepWeights(
  data: HistoryData,
  datesUs: Float64Array,
  tracks: { readonly groups: Timelines; readonly cells: Timelines; readonly weights: WeightTimelines },
  take: (cell: number, group: number, weight: number, date: number, step: 1 | -1) => void,
): Weightless {
  const { groups, cells, weights } = tracks;
  const { appearsAt, leavesAt } = seenDates(data, datesUs);
  const [cellNow, groupNow, weightNow] = [nowOf(cells), nowOf(groups), nowOf(weights)];
  const weightless = new Weightless();
  const ids = data.features.base("id");
  const arriving = rowsOfDates(appearsAt, datesUs.length);
  const leaving = leavesAt && rowsOfDates(leavesAt, datesUs.length);
  const touchedAt = new Int32Array(appearsAt.length).fill(-1);
  const tell = (row: number, date: number, step: 1 | -1) => {
    const weight = weights.weights[weightNow[row] as number] as number;
    if (step === 1) weightless.add(weight, ids.at(row));
    take(cellNow[row] as number, groupNow[row] as number, weight, date, step);
  };
  for (let date = 0; date < datesUs.length; date += 1) {
    const touched: number[] = [];
    for (const row of leaving?.[date] ?? []) if ((appearsAt[row] as number) < date) tell(row, date, -1);
    const touch = (row: number) => {
      if (touchedAt[row] === date || (leavesAt && (leavesAt[row] as number) <= date)) return;
      touchedAt[row] = date;
      if ((appearsAt[row] as number) < date) tell(row, date, -1);
      touched.push(row);
    };
    for (const row of arriving[date] as readonly number[]) touch(row);
    for (const [track, now] of [
      [cells, cellNow],
      [groups, groupNow],
      [weights, weightNow],
    ] as const) {
      const [start, end] = placesOfDate(track, date);
      for (let place = start; place < end; place += 1) {
        const row = track.rows[place] as number;
        touch(row);
        now[row] = track.codes[place] as number;
      }
    }
    for (const row of touched) tell(row, date, 1);
  }
  return weightless;
}

function nowOf({ before, count }: Timelines): Codes {
  const now = codeArray(count, before.length);
  now.set(before);
  return now;
}
