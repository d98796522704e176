import type { Finding } from "../../core/finding.js";
import { firstIndex } from "../../core/first-index.js";
import { US_PER_DAY } from "../../core/instant.js";
import { checkOptions, integerFrom, type OptionRule } from "../../core/options.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import { cellValue, UNCHANGED } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { goneFromUs, isAbsent } from "../cell/present-rows.js";
import { columnValues, requireHeld, setOfValue, valueList } from "../cell/value-sets.js";
import { type CreditOptions, doneAndCredits, readCredits, requireStages } from "../columns/credits.js";
import { isWeight, readWeights, Weightless, type WeightOptions, type Weights, weightsAt } from "../columns/weights.js";
import type { TimeLimit } from "../time/valid-time.js";
import type { WorkingCalendar } from "../time/working-calendar.js";
import { NANO_PER_DAY } from "../time/working-ledger.js";

const US_PER_WEEK = 7 * US_PER_DAY;

/** What is done, and what that comes to. */
export interface DoneOptions extends WeightOptions, CreditOptions {
  /** The value, or an array of values, that means that a feature is done; `credits` stand in its place. */
  readonly done?: unknown;
}

/** What `done` takes. */
export const doneRule: OptionRule = columnValues("that means that a feature is done");

/** What the features come to that are 100 %: with weights any number above 0. */
export const totalRule: OptionRule = {
  takes: integerFrom(1).takes,
  schema: { type: "number" },
  accepts: (value) => typeof value === "number" && value > 0 && value < Number.POSITIVE_INFINITY,
};

/** What features earn, resolved. */
export interface Earning {
  /** The share of its quantity that a feature has earned by a value. */
  readonly share: (value: unknown) => number;
  /** Undefined where features are counted. */
  readonly weights: Weights | undefined;
  /** What each feature weighs, by row; 0 for one that has no weight. 1 for all if undefined. */
  readonly byRow: Float64Array | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Resolves what is done and what features weigh, at a time.
 *
 * @param call as users write it: `forecast()`
 * @throws ArgumentError for values that no feature ever had, for weights that are none, and a total that does not fit
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
  const weighed = weights ? weighRows(data, weights, us) : { byRow: undefined, findings: [] };
  if (stages) {
    const uncredited = requireStages(data.columns[column] as PropertyColumn, stages, data.everLogged(column));
    const findings = [...weighed.findings, ...uncredited];
    return { share: (value) => stages.share(value) ?? 0, weights, byRow: weighed.byRow, findings };
  }
  const values = valueList(done);
  const findings = [...weighed.findings, ...requireHeld(data, column, "done", values)];
  const setOf = setOfValue({ done: values });
  return { share: (value) => Number(setOf(value) === "done"), weights, ...weighed, findings };
}

/** What a feature comes to. */
export function quantityOf({ byRow }: Pick<Earning, "byRow">, row: number): number {
  return byRow ? (byRow[row] as number) : 1;
}

function weighRows(data: HistoryData, weights: Weights, us: number): Pick<Earning, "byRow" | "findings"> {
  const ids = data.features.base("id");
  const weightless = new Weightless();
  const byRow = weightsAt(data, weights, us).map((weight, row) => {
    if (!isAbsent(data, row, us)) weightless.add(weight, ids.at(row));
    return isWeight(weight) ? weight : 0;
  });
  return { byRow, findings: weightless.findings(weights) };
}

/** How many features there were and how many of them were done, or what they weigh and what of it was earned, by time. */
export interface DoneCounts {
  /** What is done at a time, microseconds since 1970: what was done at that very time counts. */
  done(us: number): number;
  /** What there is at a time. */
  present(us: number): number;
  /** When so much was done for the first time; Infinity if it never was. */
  reached(count: number): number;
  /** First change of the column; Infinity if there is none. */
  readonly firstUs: number;
}

/** Adds up what features have earned by their values in a column; unknown has earned nothing. */
export function doneCounts(data: HistoryData, column: number, earning: Omit<Earning, "findings">): DoneCounts {
  const { index, log } = data;
  const { share } = earning;
  const shares = Float64Array.from(log.values, share);
  const spans = intervalsOf(data, column);
  const [began, ended]: [Steps, Steps] = [new Steps(), new Steps()];
  let areWhole = true;
  for (let span = 0; span < spans.length; span += 1) {
    const decision = spans.decisions[span] as number;
    const row = spans.rows[span] as number;
    const own =
      decision >= 0
        ? (shares[index.valueCodes[decision] as number] as number)
        : decision === UNCHANGED
          ? share(cellValue(data, row, column, decision))
          : 0;
    const amount = own * quantityOf(earning, row);
    if (amount === 0) continue;
    if (amount !== 1) areWhole = false;
    began.add(spans.fromUs[span] as number, amount);
    if (spans.toUs[span] !== Number.POSITIVE_INFINITY) ended.add(spans.toUs[span] as number, amount);
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

/** Amounts that there are more or less from times on. */
class Steps {
  readonly us: number[] = [];
  readonly amounts: number[] = [];

  add(us: number, amount: number): void {
    this.us.push(us);
    this.amounts.push(amount);
  }
}

/** What a week is. */
export interface WeekUnit {
  /** Weeks from one time to a later one. */
  between(fromUs: number, toUs: number): number;
  /** The time so many weeks later; earlier for less than 0. */
  after(us: number, weeks: number): number;
}

/** Weeks of seven days of 24 hours, or as many working days as a week without holidays has. */
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

/** What there is by a time, and when there was so much for the first time; Infinity if there never was. */
type SumOverTime = readonly [upTo: (us: number) => number, reached: (amount: number) => number];

/** Steps of 1, which need no more than their times. */
function countedSteps(began: Steps, ended: Steps): SumOverTime {
  const upTo = (times: readonly number[]) => {
    const sorted = Float64Array.from(times).sort();
    return (us: number) => firstIndex(sorted.length, (place) => (sorted[place] as number) <= us);
  };
  const [beganBy, endedBy] = [upTo(began.us), upTo(ended.us)];
  return [(us) => beganBy(us) - endedBy(us), (count) => summedSteps(began, ended)[1](count)];
}

function summedSteps(began: Steps, ended: Steps): SumOverTime {
  const sum = new RunningSum(began, ended);
  return [(us) => sum.upTo(us), (amount) => sum.reached(amount)];
}

/**
 * What steps come to by each time, with the rounding error carried along (Neumaier 1974) and cut to so many digits that what is
 * all done is as much as there is, in whatever order it was done.
 */
class RunningSum {
  readonly #us: Float64Array;
  readonly #sums: Float64Array;
  /** Below this a sum is what rounding left. */
  readonly #least: number;

  constructor(began: Steps, ended: Steps) {
    const us = Float64Array.from([...began.us, ...ended.us]);
    const amounts = Float64Array.from([...began.amounts, ...ended.amounts.map((amount) => -amount)]);
    const order = Uint32Array.from(us.keys()).sort((a, b) => (us[a] as number) - (us[b] as number));
    this.#us = Float64Array.from(order, (step) => us[step] as number);
    this.#sums = new Float64Array(order.length);
    let [high, low, most] = [0, 0, 0];
    for (let place = 0; place < order.length; place += 1) {
      const amount = amounts[order[place] as number] as number;
      const sum = high + amount;
      low += Math.abs(high) >= Math.abs(amount) ? high - sum + amount : amount - sum + high;
      high = sum;
      most = Math.max(most, high);
      this.#sums[place] = high + low;
    }
    this.#least = most * 10 ** -DIGITS;
  }

  upTo(us: number): number {
    const end = firstIndex(this.#us.length, (place) => (this.#us[place] as number) <= us);
    return end === 0 ? 0 : this.#settled(end - 1);
  }

  reached(amount: number): number {
    // To cut digits takes longer than all else, and tells only where it is close.
    const nearly = amount * (1 - 10 ** (1 - DIGITS));
    for (let place = 0; place < this.#us.length; place += 1) {
      const us = this.#us[place] as number;
      // What happens at one time counts together.
      if (this.#us[place + 1] === us || (this.#sums[place] as number) < nearly) continue;
      if (this.#settled(place) >= amount) return us;
    }
    return Number.POSITIVE_INFINITY;
  }

  #settled(place: number): number {
    const sum = this.#sums[place] as number;
    return Math.abs(sum) < this.#least ? 0 : cutDigits(sum);
  }
}

const DIGITS = 13;

/** A sum without what rounding left, so that it does not depend on the order of what was added up. */
export function cutDigits(sum: number): number {
  return Number(sum.toPrecision(DIGITS));
}

/** The weeks of a log, oldest first: by how many more features were done at the end of each than at its beginning. */
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
