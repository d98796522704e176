import type { HistoryData } from "../cell/history-data.js";
import { rowsOfDates, type SeenDates, seenDates } from "../cell/present-rows.js";
import { Weightless, type Weights } from "../columns/weights.js";
import { type Codes, codeArray } from "../log/change-log.js";
import type { DeltaSink } from "./date-sums.js";
import type { PairCodes } from "./group-codes.js";
import { cellCoding, constantTimelines, placesOfDate, type Timelines, timelines } from "./timelines.js";

/**
 * Reports the start and end of features' kinds to a tally, in a single pass over the changes in order of time, however
 * many dates there are.
 *
 * @param appearsAt first date that sees each feature; no change of it is before
 * @param leavesAt first date from which on each is gone
 * @param codes maps pairs of group and cell to codes
 */
export function sweepDates(
  { appearsAt, leavesAt }: SeenDates,
  groups: Timelines,
  cells: Timelines,
  codes: PairCodes,
  tally: DeltaSink,
): void {
  const kinds = codeArray(groups.count * cells.count, appearsAt.length);
  for (let row = 0; row < appearsAt.length; row += 1) {
    const kind = codes.code(groups.before[row] as number, cells.before[row] as number);
    kinds[row] = kind;
    tally.appear(kind, appearsAt[row] as number);
  }
  const leaving = leavesAt && rowsOfDates(leavesAt, cells.seen.length);
  const ofCell = (kind: number, cell: number) => codes.code(codes.first(kind), cell);
  const ofGroup = (kind: number, group: number) => codes.code(group, codes.second(kind));
  for (let date = 0; date < cells.seen.length; date += 1) {
    for (const row of leaving ? (leaving[date] as readonly number[]) : []) {
      if ((appearsAt[row] as number) < date) tally.leave(kinds[row] as number, date);
    }
    tallyChanges({ changes: cells, leavesAt }, date, kinds, ofCell, tally);
    tallyChanges({ changes: groups, leavesAt }, date, kinds, ofGroup, tally);
  }
}

/**
 * @param kinds kind of each feature, by row
 * @param changed returns the new kind of a feature of one kind that changes to a code
 */
function tallyChanges(
  { changes, leavesAt }: { readonly changes: Timelines } & Pick<SeenDates, "leavesAt">,
  date: number,
  kinds: Codes,
  changed: (kind: number, code: number) => number,
  tally: DeltaSink,
): void {
  const { rows, codes } = changes;
  const [start, end] = placesOfDate(changes, date);
  for (let place = start; place < end; place += 1) {
    const row = rows[place] as number;
    if (leavesAt && (leavesAt[row] as number) <= date) continue;
    const before = kinds[row] as number;
    const now = changed(before, codes[place] as number);
    if (now === before) continue;
    tally.change(before, now, date);
    kinds[row] = now;
  }
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
    for (const row of leaving ? (leaving[date] as readonly number[]) : [])
      if ((appearsAt[row] as number) < date) tell(row, date, -1);
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
