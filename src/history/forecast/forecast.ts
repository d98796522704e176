import type { ColumnTable } from "arquero";
import { checkOptions } from "../../core/check-options.js";
import type { Finding } from "../../core/finding.js";
import { dateOf } from "../../core/instant.js";
import { anything, integerFrom, type OptionRules } from "../../core/option-rules.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { requireHeld, valueList } from "../cell/value-sets.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { limitOf } from "../tables/durations.js";
import type { TimePoint } from "../time/valid-time.js";
import { type BacktestOptions, backtest, FEWEST_WEEKS, kept, type PastForecast } from "./backtest.js";
import { type DoneCounts, doneCounts, US_PER_WEEK, weeklyThroughput } from "./done-counts.js";
import { forecastFindings } from "./forecast-findings.js";
import { LEVELS, type Simulated, simulate, weeksAt } from "./simulate.js";

/** Options of `history.forecast()`. */
export interface ForecastOptions {
  /** The value, or an array of values, that means that a feature is done. */
  readonly done: unknown;
  /** How many features are to be done; by default those that there are at the end of the log. */
  readonly total?: number;
  /** How often the future is drawn. Default 10,000. */
  readonly trials?: number;
  /** Seed of the draws: the same seed gives the same forecast. Default 1. */
  readonly seed?: number;
  /** How many of the last weeks are resampled, at most; 8 or more. Default 26. */
  readonly weeks?: number;
  /** How many forecasts of the past are compared with what happened, at most. Default 40. */
  readonly backtests?: number;
  /** Where the log ends and the forecast begins; `until` of the history if absent. A calendar date counts to its end. */
  readonly until?: TimePoint;
}

/** What it takes. */
export const forecastRules: OptionRules<ForecastOptions> = {
  done: anything,
  total: integerFrom(1),
  trials: integerFrom(100, 1_000_000),
  seed: integerFrom(0, 2 ** 32 - 1),
  weeks: integerFrom(FEWEST_WEEKS),
  backtests: integerFrom(0, 1000),
  until: anything,
};

/** When all is done: a row for each of P50, P80 and P95. */
export interface Forecast extends ColumnTable {
  /** Week by week: `date`, and how much is done at least by then with 5, 20, 50, 80 and 95 %: `p5`, `p20`, `p50`, `p80`, `p95`. */
  readonly fan: ColumnTable;
  /** Forecasts of the past: `known_at`, `date` (what they are about), `p50`, `p80`, `p95` (done at least by then), `actual`. */
  readonly backtest: ColumnTable;
  /** Why there is no forecast, or what it lacks. */
  readonly findings: readonly Finding[];
  /** Features that are done when the forecast begins. */
  readonly done: number;
  /** Features that are to be done in the end. */
  readonly total: number;
}

/** The levels of `LEVELS` that are told as dates. */
const TOLD = LEVELS.map((level, place) => ({ level, place })).slice(2);

/** A trial that is not done in ten years is taken for one that never is. */
const MOST_WEEKS = 520;
/** Of a forecast of years the next two are tested. */
const LONGEST_TEST = 104;
/** Forecasts of the past need no third digit. */
const TEST_TRIALS = 2000;

/** Throughput Monte Carlo: when all is done if weeks go on as weeks of the past went. */
export function forecast(data: HistoryData, name: string, options: ForecastOptions = NOTHING): Forecast {
  checkOptions("forecast()", options, forecastRules);
  const { trials = 10_000, seed = 1, weeks = 26, backtests = 40 } = options;
  const column = chooseColumn(data.names, name);
  const done = valueList(options.done);
  requireHeld(data, column, "done", done);
  const limit = limitOf(data, options);
  const { lastUs, endUs } = limit;
  const counts = doneCounts(data, column, done);
  const throughput = weeklyThroughput(counts, limit, weeks);
  const start = { done: counts.done(lastUs), total: options.total ?? counts.present(lastUs) };
  const log = { weeks: wholeWeeks(counts, endUs), came: 0, isAsKnown: true };
  if (throughput.length < FEWEST_WEEKS) return table(endUs, start, undefined, [], log);
  const isAsKnown = tellsInsertion(data);
  const asked = JSON.stringify([column, done, options.total, lastUs, endUs, trials, seed, weeks, backtests]);
  const { simulated, past } = drawnOnce(data, asked, () => {
    const simulated = simulate({ throughput, ...start, trials, seed, most: MOST_WEEKS, fan: "weekly" });
    const past = backtest(data, column, counts, limit, {
      done,
      total: options.total,
      trials: Math.min(trials, TEST_TRIALS),
      seed,
      most: weeks,
      horizon: horizonOf(simulated, log.weeks),
      count: backtests,
      tellsInsertion: isAsKnown,
    } satisfies BacktestOptions);
    return { simulated, past };
  });
  // What came with the first week was there from the start.
  const before = counts.present(lastUs - (throughput.length - 1) * US_PER_WEEK);
  const came = options.total === undefined ? counts.present(lastUs) - before : 0;
  return table(endUs, start, simulated, past, { ...log, came, isAsKnown });
}

/** All that is left to chance in a forecast. */
interface Draws {
  readonly simulated: Simulated;
  readonly past: readonly PastForecast[];
}

/** The last draws of each history: a report shows a forecast as a figure, and then as a table. */
const lastDraws = new WeakMap<HistoryData, { readonly asked: string; readonly draws: Draws }>();

/** @param asked all that the draws depend on, besides the history */
function drawnOnce(data: HistoryData, asked: string, draw: () => Draws): Draws {
  const last = lastDraws.get(data);
  if (last?.asked === asked) return last.draws;
  const draws = draw();
  lastDraws.set(data, { asked, draws });
  return draws;
}

/** Stands for options that a caller without a compiler left out; what they lack is said then. */
const NOTHING: ForecastOptions = { done: [] };

function wholeWeeks({ firstUs }: DoneCounts, endUs: number): number {
  return Math.max(0, Math.floor((endUs - firstUs) / US_PER_WEEK));
}

/** As far ahead as the median of the forecast looks, where the log is long enough to have seen that several times. */
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
  { done, total }: { readonly done: number; readonly total: number },
  simulated: Simulated | undefined,
  past: readonly PastForecast[],
  log: { readonly weeks: number; readonly came: number; readonly isAsKnown: boolean },
): Forecast {
  const held = kept(past);
  const rows = simulated
    ? TOLD.map(({ level, place }) => ({ level, weeks: weeksAt(simulated.weeks, level), held: held[place] ?? 0 }))
    : [];
  const known = rows.map((row) => (Number.isFinite(row.weeks) ? row.weeks : null));
  const coverage = rows.map((row) => (past.length === 0 ? null : row.held / past.length));
  const levels = toTable([
    ["probability", rows.map(({ level }) => level)],
    ["date", known.map((count) => (count === null ? null : dateOf(endUs + count * US_PER_WEEK)))],
    ["weeks", known],
    ["backtests", rows.map(() => past.length)],
    ["kept", rows.map((row) => row.held)],
    ["coverage", coverage],
  ]);
  const findings = forecastFindings({ ...log, done, total, levels: rows, past });
  return Object.assign(levels, {
    fan: fanTable(endUs, simulated),
    backtest: backtestTable(past),
    findings,
    done,
    total,
  });
}

const names = ["p5", "p20", "p50", "p80", "p95"];

function fanTable(endUs: number, simulated: Simulated | undefined): ColumnTable {
  const fan = simulated?.fan ?? [];
  return toTable([
    ["date", fan.map((_, week) => dateOf(endUs + week * US_PER_WEEK))],
    ...names.map((name, level) => [name, fan.map((week) => week[level] ?? 0)] as const),
  ]);
}

function backtestTable(past: readonly PastForecast[]): ColumnTable {
  return toTable([
    ["known_at", past.map(({ knownUs }) => dateOf(knownUs))],
    ["date", past.map(({ atUs }) => dateOf(atUs))],
    ...TOLD.map(({ place }) => [names[place] ?? "", past.map(({ least }) => least[place] ?? 0)] as const),
    ["actual", past.map(({ actual }) => actual)],
  ]);
}
