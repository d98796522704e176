// Amounts of the features of groups at dates, for counts() and totals(), from a history in memory.
import type { Diagnostic } from "../../../core/diagnostic.js";
import { ArgumentError } from "../../../core/errors.js";
import { valueKind } from "../../../core/show-record-value.js";
import { showValue } from "../../../core/show-value.js";
import { isNone } from "../../../tables/types/typed-column.js";
import type { HistoryData } from "../../cell/history-data.js";
import { rowsOfDates, type SeenDates, seenDates } from "../../cell/present-rows.js";
import { type Summands, summandsOf } from "../../columns/summands.js";
import { isWeight, Weightless, type Weights } from "../../columns/weights.js";
import { DateSums, DateTally, type DeltaSink, WeightedDeltas } from "../../grid/date-sums.js";
import { groupCodes, PairCodes } from "../../grid/group-codes.js";
import {
  type CellContent,
  cellCoding,
  constantTimelines,
  placesOfDate,
  type Timelines,
  timelines,
} from "../../grid/timelines.js";
import { type Codes, codeArray } from "../../log/change-log.js";
import type { DatedPlan } from "../plan/dated-plan.js";
import type { CountedKinds, GroupSums, Kind } from "../rows/amount-tables.js";

/** The contents of features at the dates by group, with their counts and weights. */
export function countKinds(
  data: HistoryData,
  column: number,
  by: string | undefined,
  datesUs: Float64Array,
  weights: Weights | undefined,
): CountedKinds & { readonly diagnostics: readonly Diagnostic[] } {
  const coding = cellCoding(data, column);
  const groups = groupCodes(data, by, datesUs);
  const cells = timelines(data, column, datesUs, coding);
  const codes = new PairCodes(groups.count, coding.count);
  const kinds = () =>
    codes.pairs.flatMap(([group, outcome], code): Kind[] => {
      const entry = coding.entries[outcome];
      return entry ? [{ ...entry, code, group: groups.values[group] }] : [];
    });
  if (!weights) {
    const tally = new DateTally("counts()", datesUs.length);
    sweepDates(seenDates(data, datesUs), groups, cells, codes, tally);
    return { kinds: kinds(), countAt: tally.sum(), diagnostics: [] };
  }
  const steps = new WeightedDeltas("counts()");
  const tracks = { groups, cells, weights: weightTimelines(data, weights, datesUs) };
  const weightless = sweepWeights(data, datesUs, tracks, (cell, group, weight, date, step) => {
    const isWeighed = isWeight(weight);
    steps.take(codes.code(group, cell), date, step, isWeighed ? step : 0, isWeighed ? step * weight : 0);
  });
  const [countAt, quantities] = [steps.counts(datesUs.length), steps.sums(datesUs.length)];
  return { kinds: kinds(), countAt, quantities, diagnostics: weightless.diagnostics(weights) };
}

/** The existing groups, and the sums of their features at each date. */
export function sumGroups(
  data: HistoryData,
  column: number,
  by: string | undefined,
  datesUs: Float64Array,
  { weights, credits }: Pick<DatedPlan, "weights" | "credits">,
): GroupSums {
  const coding = cellCoding(data, column);
  const summands = summandsOf(data.columns[column]);
  if (!credits) requireNumbers(data.names[column], summands, coding.entries);
  const amounts = coding.entries.map(({ value }) => {
    if (credits) return isNone(value) ? undefined : (credits.share(value) ?? 0);
    return summands.includes(value) ? value : undefined;
  });
  const groups = groupCodes(data, by, datesUs);
  const cells = timelines(data, column, datesUs, coding);
  const sums = new DateSums("totals()", groups.count, datesUs.length);
  const tally = () => new DateTally("totals()", datesUs.length);
  const [present, counted, unknown, leftOut] = [tally(), tally(), tally(), tally()];
  const add = (cell: number, group: number, weight: number, date: number, step: number) => {
    const content = coding.entries[cell];
    present.add(group, date, step);
    if (content?.state === "unknown") unknown.add(group, date, step);
    const amount = amounts[cell];
    if (amount === undefined) {
      if (summands.areTyped && !credits && !isNone(content?.value)) leftOut.add(group, date, step);
      return;
    }
    if (!isWeight(weight)) return;
    counted.add(group, date, step);
    sums.add(group, date, step * amount * weight);
  };
  let diagnostics: readonly Diagnostic[] = [];
  if (weights) {
    const tracks = { groups, cells, weights: weightTimelines(data, weights, datesUs) };
    diagnostics = sweepWeights(data, datesUs, tracks, add).diagnostics(weights);
  } else {
    const kinds = new PairCodes(groups.count, coding.count);
    const count = (kind: number, date: number, step: number) =>
      add(kinds.second(kind), kinds.first(kind), 1, date, step);
    sweepDates(seenDates(data, datesUs), groups, cells, kinds, {
      appear: (kind, date) => count(kind, date, 1),
      change: (before, now, date) => {
        count(before, date, -1);
        count(now, date, 1);
      },
      leave: (kind, date) => count(kind, date, -1),
    });
  }
  return {
    groups: groups.values,
    present: present.sum(),
    sum: sums.sum(),
    count: counted.sum(),
    unknown: unknown.sum(),
    leftOut: leftOut.sum(),
    diagnostics,
  };
}

function requireNumbers(column: string | undefined, summands: Summands, entries: readonly CellContent[]): void {
  const values = entries.flatMap(({ value }) => (isNone(value) ? [] : [value]));
  if (values.length === 0 || (summands.canBe && values.some((value) => typeof value === "number"))) return;
  throw noNumbers(column, summands, values[0]);
}

/** A sum over strings would be 0, which looks like a result. */
export function noNumbers(column: string | undefined, { canBe, type }: Summands, value: unknown): ArgumentError {
  const what = canBe ? `it holds ${valueKind(value)}` : `its definition's type is ${type}`;
  return new ArgumentError(`totals(): ${showValue(column)} has no numbers: ${what}.`, {
    hint: `To count features by value, use counts(${showValue(column)}, …).`,
    facts: { column },
  });
}

/**
 * Reports the start and end of features' kinds to a tally, in a single pass over the changes in order of time, however
 * many dates there are.
 *
 * @param appearsAt first date that sees each feature; no change of it is before
 * @param leavesAt first date from which on each is gone
 * @param codes maps pairs of group and cell to codes
 */
function sweepDates(
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
  for (let index = start; index < end; index += 1) {
    const row = rows[index] as number;
    if (leavesAt && (leavesAt[row] as number) <= date) continue;
    const before = kinds[row] as number;
    const now = changed(before, codes[index] as number);
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
function weightTimelines(data: HistoryData, weights: Weights, datesUs: Float64Array): WeightTimelines {
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
 * @param take receives the codes of a cell and a group, the weight, the index of the date, and 1 or -1
 * @returns the features that have no weight at some date
 */
function sweepWeights(
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
      for (let index = start; index < end; index += 1) {
        const row = track.rows[index] as number;
        touch(row);
        now[row] = track.codes[index] as number;
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
