import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { formatNumber } from "../../core/format/format-number.js";
import { dateOf } from "../../core/instant.js";
import { anything, integerFrom, type OptionRules } from "../../core/options.js";
import { withEstimates } from "../../tables/column/column-format.js";
import { toTable } from "../../tables/column/table.js";
import { censoringTime } from "../cell/censoring-time.js";
import type { HistoryData } from "../cell/history-data.js";
import { knownAt } from "../cell/known-at.js";
import { valueList } from "../cell/value-sets.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { creditRules } from "../columns/credits.js";
import { type Weights, weightRules } from "../columns/weights.js";
import { type CalendarOption, calendarRule, givenCalendar } from "../time/time-unit.js";
import type { TimeLimit, TimePoint } from "../time/valid-time.js";
import type { WorkingCalendar } from "../time/working-calendar.js";
import { specify } from "./define/specification.js";
import {
  type DoneCounts,
  type DoneOptions,
  doneCounts,
  doneRule,
  type Earning,
  readEarning,
  totalRule,
  type WeekUnit,
  weeklyThroughput,
  weekUnit,
} from "./memory/done-counts.js";
import { LEVELS, type Simulated, simulate, weeksAt } from "./memory/monte-carlo.js";

/** Fewer weeks than this are too few to estimate how much weeks differ. */
export const FEWEST_WEEKS = 8;

/** A forecast as it would have been made in the past, and the actual outcome. */
interface PastForecast {
  /** When it would have been made, in microseconds since 1970. It uses only what was known then. */
  readonly knownUs: number;
  /** The date of the prediction. */
  readonly atUs: number;
  /** Number done at least by then, with the probability of each of `LEVELS`. */
  readonly least: readonly number[];
  /** Number actually done by then, as known now. */
  readonly actual: number;
  /** Whether that was everything: no forecast could be met better. */
  readonly isAll: boolean;
}

/** The data and limits of a backtest. */
interface BacktestOptions {
  readonly earning: Earning;
  readonly total: number | undefined;
  readonly trials: number;
  readonly seed: number;
  /** Maximum number of past weeks that are resampled. */
  readonly most: number;
  /** Weeks from a forecast to its predicted date. */
  readonly horizon: number;
  /** Maximum number of forecasts. */
  readonly count: number;
  /** Whether the ids contain the insertion times. */
  readonly tellsInsertion: boolean;
  readonly unit: WeekUnit;
}

const MEDIAN = LEVELS.indexOf(0.5);

/** The facts about a forecast that diagnostics need. */
interface Forecasted {
  /** Whole weeks of the log. */
  readonly weeks: number;
  readonly done: number;
  readonly total: number;
  readonly levels: readonly { readonly level: number; readonly weeks: number; readonly metCount: number }[];
  readonly past: readonly PastForecast[];
  /** Features (or their quantity) that were added in the resampled weeks, if the total is not set. */
  readonly came: number;
  readonly earning: Earning;
  /** Whether past forecasts used only edits that had been recorded by then. */
  readonly isAsKnown: boolean;
}

/** A hit rate this far below its nominal level is reported. */
const TOO_LOW = 0.15;
/** Forecasts are reported as too cautious if the outcome was above the median this often. */
const TOO_MANY = 0.85;

/** With fewer past forecasts than this, excess caution is not reported. */
const SOME = 8;

const INSERTION: Diagnostic = withSeverity({
  code: "recording-time-unknown",
  message:
    "The ids of changes have no insertion times: past forecasts include edits that were made by then but inserted later.",
});

/** Options of `history.forecast()`. */
export interface ForecastOptions extends DoneOptions, CalendarOption {
  /** Number of features (or with a weight the quantity) to be done. Default: the total at the end of the log. */
  readonly total?: number;
  /** Number of simulations, at most 100,000. Default: 10,000. */
  readonly trials?: number;
  /** Seed of the random numbers: the same seed gives the same forecast. Default: 1. */
  readonly seed?: number;
  /** Maximum number of last weeks to resample; 8 or more. Default: 26. */
  readonly weeks?: number;
  /** Maximum number of past forecasts to compare with the outcome. Default: 40. */
  readonly backtests?: number;
  /** End of the log and start of the forecast. Default: `until` of the history. A calendar date counts to its end. */
  readonly until?: TimePoint;
}

/** Rules for the options. */
const forecastRules: OptionRules<ForecastOptions> = {
  done: doneRule,
  ...weightRules,
  ...creditRules,
  total: totalRule,
  trials: integerFrom(100, 100_000),
  seed: integerFrom(0, 2 ** 32 - 1),
  weeks: integerFrom(FEWEST_WEEKS),
  backtests: integerFrom(0, 1000),
  until: anything,
  calendar: calendarRule,
};

/** Forecast completion dates: a row for each of P50, P80 and P95. */
export interface Forecast extends ColumnTable {
  /**
   * The forecast by week: `date`, and the amount that is done at least by then with a probability of 5, 20, 50, 80 and
   * 95 %: `p5`, `p20`, `p50`, `p80`, `p95`.
   */
  readonly fan: ColumnTable;
  /** Past forecasts: `known_at`, `date` (the predicted date), `p50`, `p80`, `p95` (done at least by then), `actual`. */
  readonly backtest: ColumnTable;
  /** Diagnostics: reasons for a missing forecast, or its limits. */
  readonly diagnostics: readonly Diagnostic[];
  /** Features (or with a weight the quantity) done when the forecast begins. */
  readonly done: number;
  /** Features (or the quantity) to be done in the end. */
  readonly total: number;
  /** Unit of both: the unit of the weights, or `features`. */
  readonly unit: string;
}

/** The levels of `LEVELS` that are returned as dates. */
const TOLD = LEVELS.map((level, index) => ({ level, index })).slice(2);

/** A simulation that is not done within ten years counts as never done. */
const MOST_WEEKS = 520;
/** Longer forecasts are tested over two years only. */
const LONGEST_TEST = 104;
/** Past forecasts need no third digit. */
const TEST_TRIALS = 2000;

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns a Monte Carlo forecast of the completion date from the weekly throughput: `probability` (of P50, P80,
     * P95), `date`, `weeks`, and the hit rate of past forecasts: `backtests`, `kept`, `hit_rate`.
     *
     * Logs of less than eight weeks give no rows. With `weight`, the throughput is a quantity: each feature counts with
     * its weight at the end of the log, also in past forecasts. With `calendar`, weeks have as many working days as a
     * week without holidays, and dates are in working time.
     *
     * @param column name of a property column
     * @example
     * ```ts
     * const forecast = trenchHistory.forecast("STATUS", { done: "BACKFILLED", until: "2024-06-30" });
     * forecast.select("probability", "date", "weeks", "hit_rate")
     * ```
     * @throws ArgumentError also for values that no feature ever had
     */
    forecast(column: string, options: ForecastOptions): Forecast;
  }
}

export const forecastSpecification = specify({
  summary: "Dates by which the remaining work is done, simulated from past weeks (Monte Carlo).",
  takes: ["column"],
  options: forecastRules,
  time: (_: string, options?: ForecastOptions) => options?.until,
  parts: ["fan", "backtest"],
  facts: ["done", "total", "unit"],
  memory: (data, column: string, options: ForecastOptions = NOTHING) => {
    const table = forecast(data, column, options);
    return { table, diagnostics: table.diagnostics };
  },
});

/** Throughput Monte Carlo: the completion date if future weeks resemble past weeks. */
export function forecast(data: HistoryData, name: string, options: ForecastOptions = NOTHING): Forecast {
  const { trials = 10_000, seed = 1, weeks = 26, backtests = 40 } = options;
  const column = chooseColumn(data.names, name);
  const limit = censoringTime(data, options);
  const { lastUs, endUs } = limit;
  const earning = readEarning(data, "forecast()", column, options, lastUs);
  const counts = doneCounts(data, column, earning);
  const working = givenCalendar(options);
  const unit = weekUnit(working);
  const throughput = weeklyThroughput(counts, limit, weeks, unit);
  const start = { done: counts.done(lastUs), total: options.total ?? counts.present(lastUs) };
  const log = { weeks: wholeWeeks(counts, endUs, unit), came: 0, isAsKnown: true, earning };
  if (throughput.length < FEWEST_WEEKS) return table(endUs, unit, start, undefined, [], log);
  const isAsKnown = tellsInsertion(data);
  const { done, credits, weight } = options;
  const of = [valueList(done), credits, weight];
  // A function may depend on changing outer variables.
  const isKept = typeof weight !== "function";
  const request = isKept && JSON.stringify([column, of, options.total, lastUs, endUs, trials, seed, weeks, backtests]);
  const { simulated, past } = drawnOnce(data, request, working, () => {
    const simulated = simulate({ throughput, ...start, trials, seed, most: MOST_WEEKS, fan: "weekly" });
    const past = backtest(data, column, counts, limit, {
      earning,
      total: options.total,
      trials: Math.min(trials, TEST_TRIALS),
      seed,
      most: weeks,
      horizon: horizonOf(simulated, log.weeks),
      count: backtests,
      tellsInsertion: isAsKnown,
      unit,
    } satisfies BacktestOptions);
    return { simulated, past };
  });
  // Features added in the first week count as existing from the start.
  const before = counts.present(unit.after(endUs, 1 - throughput.length) - (endUs - lastUs));
  const came = options.total === undefined ? counts.present(lastUs) - before : 0;
  return table(endUs, unit, start, simulated, past, { ...log, came, isAsKnown });
}

/** Past forecasts, evenly spaced over the weeks with enough log before and after them. */
function backtest(
  data: HistoryData,
  column: number,
  now: DoneCounts,
  { lastUs, endUs }: TimeLimit,
  options: BacktestOptions,
): readonly PastForecast[] {
  const { horizon, count, unit } = options;
  const last = Math.floor(unit.between(now.firstUs, endUs)) - FEWEST_WEEKS;
  const possible = Math.max(0, last - horizon + 1);
  const chosen = Math.min(possible, count);
  return Array.from({ length: chosen }, (_, index) => {
    const weeksAgo = last - Math.floor((index * possible) / chosen);
    const knownUs = unit.after(endUs, -weeksAgo);
    return pastForecast(data, column, { lastUs: knownUs - (endUs - lastUs), endUs: knownUs }, options);
  }).flatMap((forecast) => {
    if (!forecast) return [];
    const { limit, least } = forecast;
    const atUs = unit.after(limit.endUs, horizon);
    const seenUs = atUs - (endUs - lastUs);
    const actual = now.done(seenUs);
    const isAll = actual >= (options.total ?? now.present(seenUs));
    return { knownUs: limit.endUs, atUs, least, actual, isAll };
  });
}

function pastForecast(
  data: HistoryData,
  column: number,
  limit: TimeLimit,
  { earning, total, trials, seed, most, horizon, tellsInsertion, unit }: BacktestOptions,
): { readonly limit: TimeLimit; readonly least: readonly number[] } | undefined {
  // The changes that were made before and recorded by then. Without insertion times, all that were made before.
  const then = tellsInsertion ? knownAt(data, new Date(Math.floor(limit.lastUs / 1000))) : data;
  const counts = doneCounts(then, column, earning);
  const throughput = weeklyThroughput(counts, limit, most, unit);
  // A forecast needs throughput, and no work was done yet.
  if (throughput.length < FEWEST_WEEKS || !throughput.some((week) => week > 0)) return undefined;
  const { fan } = simulate({
    throughput,
    done: counts.done(limit.lastUs),
    // The later total was unknown then.
    total: total ?? Number.POSITIVE_INFINITY,
    trials,
    seed,
    most: horizon,
    fan: "last",
  });
  return { limit, least: fan.at(-1) as readonly number[] };
}

/** The number of forecasts that were met at each of `LEVELS`. */
function kept(forecasts: readonly PastForecast[]): readonly number[] {
  return LEVELS.map(
    (_, level) => forecasts.filter(({ least, actual, isAll }) => isAll || actual >= (least[level] as number)).length,
  );
}

/** Diagnostics about a forecast. */
function forecastDiagnostics(forecasted: Forecasted): readonly Diagnostic[] {
  const { weeks, done, total, levels, past, came, isAsKnown, earning } = forecasted;
  const { weights, diagnostics: ofWeights } = earning;
  if (levels.length === 0) {
    return [
      ...ofWeights,
      withSeverity({
        code: "log-too-short",
        message: `No forecast: the log has ${weeks} whole ${weeks === 1 ? "week" : "weeks"}, but at least ${FEWEST_WEEKS} are needed.`,
        count: weeks,
      }),
    ];
  }
  if (done >= total) {
    const amounts = weights
      ? `${formatNumber(done, { decimals: 3 })} of ${formatNumber(total, { decimals: 3 })} ${weights.unit}`
      : `${done} of ${total} features`;
    return [
      ...ofWeights,
      withSeverity({
        code: "work-already-done",
        message: `Nothing to forecast: ${amounts} are done.`,
        ...(weights ? {} : { count: done }),
      }),
    ];
  }
  const testless: Diagnostic = withSeverity({
    code: "backtest-missing",
    message: "Past forecasts cannot be compared with what happened: the log is too short.",
  });
  return [
    ...ofWeights,
    ...endDiagnostic(levels),
    ...(came === 0 ? [] : [growthDiagnostic(came, weights)]),
    ...(past.length === 0 ? [testless] : [...calibrationDiagnostics(levels, past), ...(isAsKnown ? [] : [INSERTION])]),
  ];
}

function endDiagnostic(levels: Forecasted["levels"]): readonly Diagnostic[] {
  const never = levels.filter(({ weeks }) => !Number.isFinite(weeks)).map(({ level }) => `P${percent(level)}`);
  if (never.length === 0) return [];
  const message = `No date for ${never.join(", ")}: too many trials do not end within ten years.`;
  return [withSeverity({ code: "end-unknown", message })];
}

function growthDiagnostic(came: number, weights: Weights | undefined): Diagnostic {
  if (weights) {
    const message = `${formatNumber(came, { decimals: 3 })} ${weights.unit} were added in the resampled weeks. The forecast covers the current total only, without future additions.`;
    return withSeverity({ code: "total-growing", message });
  }
  const were = came === 1 ? "feature was" : "features were";
  return withSeverity({
    code: "total-growing",
    message: `${came} ${were} added in the resampled weeks. The forecast covers the current total only, without future additions.`,
    count: came,
  });
}

function calibrationDiagnostics(levels: Forecasted["levels"], past: readonly PastForecast[]): readonly Diagnostic[] {
  const tests = past.length;
  const early = levels.filter(({ level, metCount }) => metCount / tests < level - TOO_LOW);
  const rates = early.map(({ level, metCount }) => `P${percent(level)} was kept in ${metCount} of ${tests}`).join(", ");
  if (early.length > 0) {
    return [
      withSeverity({
        code: "forecast-too-early",
        message: `Past forecasts were too optimistic: ${rates}.`,
        count: tests,
      }),
    ];
  }
  const beaten = past.filter(({ least, actual }) => actual > (least[MEDIAN] as number)).length;
  if (tests < SOME || beaten / tests < TOO_MANY) return [];
  const message = `Past forecasts were too pessimistic: in ${beaten} of ${tests}, more was done than the median of the trials.`;
  return [withSeverity({ code: "forecast-too-late", message, count: tests })];
}

function percent(level: number): number {
  return Math.round(100 * level);
}

/** The random part of a forecast. */
interface Draws {
  readonly simulated: Simulated;
  readonly past: readonly PastForecast[];
}

/** The last request, and its calendar. */
interface DrawnOnce {
  readonly request: string;
  readonly working: WorkingCalendar | undefined;
  readonly draws: Draws;
}

/** The last draws of each history: a report shows a forecast as a figure, and then as a table. */
const lastDraws = new WeakMap<HistoryData, DrawnOnce>();

/** @param request everything that the draws depend on besides the history and the calendar; false if unknown */
function drawnOnce(
  data: HistoryData,
  request: string | false,
  working: WorkingCalendar | undefined,
  draw: () => Draws,
): Draws {
  const last = lastDraws.get(data);
  if (last?.request === request && last.working === working) return last.draws;
  const draws = draw();
  if (request !== false) lastDraws.set(data, { request, working, draws });
  return draws;
}

/** Used if a caller without a compiler omits the options; the check then reports the missing ones. */
const NOTHING: ForecastOptions = { done: [] };

function wholeWeeks({ firstUs }: DoneCounts, endUs: number, unit: WeekUnit): number {
  return Math.max(0, Math.floor(unit.between(firstUs, endUs)));
}

/** The horizon of backtests: the median of the forecast, if the log is several times as long. */
function horizonOf({ weeks }: Simulated, whole: number): number {
  const median = Math.ceil(weeksAt(weeks, 0.5));
  return Math.max(1, Math.min(median, LONGEST_TEST, Math.floor((whole - FEWEST_WEEKS) / 3)));
}

function tellsInsertion({ log }: HistoryData): boolean {
  for (let change = 0; change < log.ids.length; change += 1) {
    if (log.ids.timeMs(change) === undefined) return false;
  }
  return true;
}

function table(
  endUs: number,
  unit: WeekUnit,
  { done, total }: { readonly done: number; readonly total: number },
  simulated: Simulated | undefined,
  past: readonly PastForecast[],
  log: Pick<Forecasted, "weeks" | "came" | "isAsKnown" | "earning">,
): Forecast {
  const metCounts = kept(past);
  const rows = simulated
    ? TOLD.map(({ level, index }) => ({
        level,
        weeks: weeksAt(simulated.weeks, level),
        metCount: metCounts[index] as number,
      }))
    : [];
  const weeks = rows.map((row) => (Number.isFinite(row.weeks) ? row.weeks : null));
  const hitRate = rows.map((row) => (past.length === 0 ? null : row.metCount / past.length));
  const levels = toTable([
    ["probability", rows.map(({ level }) => level)],
    ["date", weeks.map((count) => (count === null ? null : dateOf(unit.after(endUs, count))))],
    ["weeks", weeks],
    ["backtests", rows.map(() => past.length)],
    ["kept", rows.map((row) => row.metCount)],
    ["hit_rate", hitRate],
  ]);
  const diagnostics = forecastDiagnostics({ ...log, done, total, levels: rows, past });
  return Object.assign(withEstimates(levels, ["date"]), {
    fan: fanTable(endUs, unit, simulated),
    backtest: backtestTable(past),
    diagnostics,
    done,
    total,
    unit: log.earning.weights?.unit ?? "features",
  });
}

const names = ["p5", "p20", "p50", "p80", "p95"];

function fanTable(endUs: number, unit: WeekUnit, simulated: Simulated | undefined): ColumnTable {
  const fan = simulated?.fan ?? [];
  return toTable([
    ["date", fan.map((_, week) => dateOf(unit.after(endUs, week)))],
    ...names.map((name, level) => [name, fan.map((week) => week[level] as number)] as const),
  ]);
}

function backtestTable(past: readonly PastForecast[]): ColumnTable {
  return toTable([
    ["known_at", past.map(({ knownUs }) => dateOf(knownUs))],
    ["date", past.map(({ atUs }) => dateOf(atUs))],
    ...TOLD.map(({ index }) => [names[index] as string, past.map(({ least }) => least[index] as number)] as const),
    ["actual", past.map(({ actual }) => actual)],
  ]);
}
