import { binarySearch } from "../../../core/binary-search.js";
import type { Diagnostic } from "../../../core/diagnostic.js";
import { US_PER_DAY } from "../../../core/instant.js";
import { checkOptions, integerFrom, type OptionRule } from "../../../core/options.js";
import type { PropertyColumn } from "../../../layer/property-columns.js";
import { intervalsOf } from "../../cell/cell-intervals.js";
import { cellValue, UNCHANGED } from "../../cell/cell-state.js";
import type { HistoryData } from "../../cell/history-data.js";
import { goneFromUs, isAbsent } from "../../cell/present-rows.js";
import { columnValues, requireHeld, setOfValue, valueList } from "../../cell/value-sets.js";
import { type CreditOptions, doneAndCredits, readCredits, requireStages } from "../../columns/credits.js";
import {
  isWeight,
  readWeights,
  Weightless,
  type WeightOptions,
  type Weights,
  weightsAt,
} from "../../columns/weights.js";
import type { TimeLimit } from "../../time/valid-time.js";
import type { WorkingCalendar } from "../../time/working-calendar.js";
import { NANO_PER_DAY } from "../../time/working-ledger.js";

const US_PER_WEEK = 7 * US_PER_DAY;

/** Options that define what counts as done, and how much. */
export interface DoneOptions extends WeightOptions, CreditOptions {
  /** The value, or an array of values, for which a feature is done. `credits` replaces it. */
  readonly done?: unknown;
}

/** Rule for `done`. */
export const doneRule: OptionRule = columnValues("that means that a feature is done");

/** The amount that counts as 100 %: with weights any number above 0. */
export const totalRule: OptionRule = {
  takes: integerFrom(1).takes,
  schema: { type: "number" },
  accepts: (value) => typeof value === "number" && value > 0 && value < Number.POSITIVE_INFINITY,
};

/** Earning rules, resolved. */
export interface Earning {
  /** Share of its quantity that a feature earns by a value. */
  readonly share: (value: unknown) => number;
  /** Undefined if features are counted. */
  readonly weights: Weights | undefined;
  /** Weight of each feature, by row; 0 for a feature without a weight. Undefined if all weigh 1. */
  readonly byRow: Float64Array | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Resolves what counts as done and the weights of features, as of a time.
 *
 * @param call the call as users write it: `forecast()`
 * @throws ArgumentError for values that no feature ever had, invalid weights, and a total that does not fit
 */
export function readEarning(
  data: HistoryData,
  call: string,
  column: number,
  options: DoneOptions & { readonly total?: number | undefined },
  us: number,
): Earning {
  const { done, credits, total } = options;
  const weights = readWeights(data, options);
  const stages = readCredits(credits);
  if (!weights && !stages) checkOptions(call, { total }, { total: integerFrom(1) });
  if (stages && done !== undefined) throw doneAndCredits(call);
  const weighed = weights ? weighRows(data, weights, us) : { byRow: undefined, diagnostics: [] };
  if (stages) {
    const uncredited = requireStages(data.columns[column] as PropertyColumn, stages, data.everLogged(column));
    const diagnostics = [...weighed.diagnostics, ...uncredited];
    return { share: (value) => stages.share(value) ?? 0, weights, byRow: weighed.byRow, diagnostics };
  }
  const values = valueList(done);
  const diagnostics = [...weighed.diagnostics, ...requireHeld(data, column, "done", values)];
  const setOf = setOfValue({ done: values });
  return { share: (value) => Number(setOf(value) === "done"), weights, ...weighed, diagnostics };
}

/** The quantity of a feature. */
export function quantityOf({ byRow }: Pick<Earning, "byRow">, row: number): number {
  return byRow ? (byRow[row] as number) : 1;
}

function weighRows(data: HistoryData, weights: Weights, us: number): Pick<Earning, "byRow" | "diagnostics"> {
  const ids = data.features.base("id");
  const weightless = new Weightless();
  const byRow = weightsAt(data, weights, us).map((weight, row) => {
    if (!isAbsent(data, row, us)) weightless.add(weight, ids.at(row));
    return isWeight(weight) ? weight : 0;
  });
  return { byRow, diagnostics: weightless.diagnostics(weights) };
}

/** Amounts over time: the features that existed and that were done, or their weights and earned weights. */
export interface DoneCounts {
  /** Amount done at a time in microseconds since 1970, including what was done at that very time. */
  done(us: number): number;
  /** Amount that exists at a time. */
  present(us: number): number;
  /** When an amount was done for the first time; Infinity if never. */
  reached(count: number): number;
  /** First change of the column; Infinity if it has no changes. */
  readonly firstUs: number;
}

/** Sums the earnings of features by their values in a column; unknown values earn nothing. */
export function doneCounts(data: HistoryData, column: number, earning: Omit<Earning, "diagnostics">): DoneCounts {
  const { index, log } = data;
  const { share } = earning;
  const shares = Float64Array.from(log.values, share);
  const intervals = intervalsOf(data, column);
  const [began, ended]: [Steps, Steps] = [new Steps(), new Steps()];
  let areWhole = true;
  for (let interval = 0; interval < intervals.length; interval += 1) {
    const decision = intervals.decisions[interval] as number;
    const row = intervals.rows[interval] as number;
    const credit =
      decision >= 0
        ? (shares[index.valueCodes[decision] as number] as number)
        : decision === UNCHANGED
          ? share(cellValue(data, row, column, decision))
          : 0;
    const amount = credit * quantityOf(earning, row);
    if (amount === 0) continue;
    if (amount !== 1) areWhole = false;
    began.add(intervals.fromUs[interval] as number, amount);
    if (intervals.toUs[interval] !== Number.POSITIVE_INFINITY) ended.add(intervals.toUs[interval] as number, amount);
  }
  const [done, reached] = areWhole ? countedSteps(began, ended) : summedSteps(began, ended);
  const [came, left] = [new Steps(), new Steps()];
  data.presentFromUs.forEach((us, row) => {
    const goneUs = goneFromUs(data, row);
    if (!(us < goneUs)) return;
    came.add(us, quantityOf(earning, row));
    if (goneUs !== Number.POSITIVE_INFINITY) left.add(goneUs, quantityOf(earning, row));
  });
  const [present] = earning.byRow ? summedSteps(came, left) : countedSteps(came, left);
  const [first = -1] = index.changesOf(column);
  return {
    done,
    present,
    reached,
    firstUs: first < 0 ? Number.POSITIVE_INFINITY : (log.timesUs[first] as number),
  };
}

/** Amounts added or removed at times. */
export class Steps {
  readonly us: number[] = [];
  readonly amounts: number[] = [];

  add(us: number, amount: number): void {
    this.us.push(us);
    this.amounts.push(amount);
  }
}

/** The length of a week. */
export interface WeekUnit {
  /** Number of weeks from one time to a later one. */
  between(fromUs: number, toUs: number): number;
  /** The time a number of weeks later, or earlier if negative. */
  after(us: number, weeks: number): number;
}

/** Weeks of seven days of 24 hours, or with as many working days as a week without holidays. */
export function weekUnit(working: WorkingCalendar | undefined): WeekUnit {
  if (!working) {
    return {
      between: (fromUs, toUs) => (toUs - fromUs) / US_PER_WEEK,
      after: (us, weeks) => us + weeks * US_PER_WEEK,
    };
  }
  const nano = working.daysPerWeek * NANO_PER_DAY;
  return {
    between: (fromUs, toUs) => working.workedNano(fromUs, toUs) / nano,
    after: (us, weeks) => working.usAfter(us, weeks * nano),
  };
}

/** The amount by a time, and when an amount was reached for the first time; Infinity if never. */
type SumOverTime = readonly [upTo: (us: number) => number, reached: (amount: number) => number];

/** Steps of 1, which need only their times. */
function countedSteps(began: Steps, ended: Steps): SumOverTime {
  const upTo = (times: readonly number[]) => {
    const sorted = Float64Array.from(times).sort();
    return (us: number) => binarySearch(sorted.length, (index) => (sorted[index] as number) <= us);
  };
  const [beganBy, endedBy] = [upTo(began.us), upTo(ended.us)];
  return [(us) => beganBy(us) - endedBy(us), (count) => summedSteps(began, ended)[1](count)];
}

/** Sums of amounts, which do not depend on the order of addition. */
export function summedSteps(began: Steps, ended: Steps): SumOverTime {
  const sum = new RunningSum(began, ended);
  return [(us) => sum.upTo(us), (amount) => sum.reached(amount)];
}

/**
 * Running sum of steps, with compensated rounding (Neumaier 1974) and rounded to a fixed number of digits, so that
 * completed work equals the total in whatever order it was done.
 */
class RunningSum {
  readonly #us: Float64Array;
  readonly #sums: Float64Array;
  /** Sums below this are rounding errors. */
  readonly #least: number;

  constructor(began: Steps, ended: Steps) {
    const us = Float64Array.from([...began.us, ...ended.us]);
    const amounts = Float64Array.from([...began.amounts, ...ended.amounts.map((amount) => -amount)]);
    const order = Uint32Array.from(us.keys()).sort((a, b) => (us[a] as number) - (us[b] as number));
    this.#us = Float64Array.from(order, (step) => us[step] as number);
    this.#sums = new Float64Array(order.length);
    let [high, low, most] = [0, 0, 0];
    for (let index = 0; index < order.length; index += 1) {
      const amount = amounts[order[index] as number] as number;
      const sum = high + amount;
      low += Math.abs(high) >= Math.abs(amount) ? high - sum + amount : amount - sum + high;
      high = sum;
      most = Math.max(most, high);
      this.#sums[index] = high + low;
    }
    this.#least = most * 10 ** -DIGITS;
  }

  upTo(us: number): number {
    const end = binarySearch(this.#us.length, (index) => (this.#us[index] as number) <= us);
    return end === 0 ? 0 : this.#settled(end - 1);
  }

  reached(amount: number): number {
    // Rounding to digits is the slowest part, and only matters for close values.
    const nearly = amount * (1 - 10 ** (1 - DIGITS));
    for (let index = 0; index < this.#us.length; index += 1) {
      const us = this.#us[index] as number;
      // Events at the same time count together.
      if (this.#us[index + 1] === us || (this.#sums[index] as number) < nearly) continue;
      if (this.#settled(index) >= amount) return us;
    }
    return Number.POSITIVE_INFINITY;
  }

  #settled(index: number): number {
    const sum = this.#sums[index] as number;
    return Math.abs(sum) < this.#least ? 0 : cutDigits(sum);
  }
}

const DIGITS = 13;

/** Removes the rounding error of a sum, so that the sum does not depend on the order of addition. */
export function cutDigits(sum: number): number {
  return Number(sum.toPrecision(DIGITS));
}

/**
 * Weekly throughput of a log, oldest first: the increase in features done between the start and the end of each week.
 */
export function weeklyThroughput(
  counts: DoneCounts,
  { lastUs, endUs }: TimeLimit,
  most: number,
  unit: WeekUnit,
): readonly number[] {
  const whole = Math.floor(unit.between(counts.firstUs, endUs));
  const weeks = Math.max(0, Math.min(whole, most));
  const at = Array.from({ length: weeks + 1 }, (_, week) =>
    counts.done(unit.after(endUs, week - weeks) - (endUs - lastUs)),
  );
  return at.slice(1).map((done, week) => done - (at[week] as number));
}
