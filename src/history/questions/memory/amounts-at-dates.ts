// Amounts of the features of groups at dates, for counts() and totals(), from a history in memory.
import type { Diagnostic } from "../../../core/diagnostic.js";
import { ArgumentError } from "../../../core/errors.js";
import { valueKind } from "../../../core/show-record-value.js";
import { showValue } from "../../../core/show-value.js";
import type { HistoryData } from "../../cell/history-data.js";
import { seenDates } from "../../cell/present-rows.js";
import { type Summands, summandsOf } from "../../columns/summands.js";
import { isWeight, type Weights } from "../../columns/weights.js";
import { DateSums, DateTally, WeightedDeltas } from "../../grid/date-sums.js";
import { groupCodes, PairCodes } from "../../grid/group-codes.js";
import { sweepDates, sweepWeights, weightTimelines } from "../../grid/sweep-dates.js";
import { type CellContent, cellCoding, timelines } from "../../grid/timelines.js";
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

function isNone(value: unknown): boolean {
  return value === null || value === undefined;
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
