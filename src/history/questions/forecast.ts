import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import { dateOf } from "../../core/instant.js";
import { anything, integerFrom, type OptionRules } from "../../core/options.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { knownAt } from "../cell/known-at.js";
import { limitOf } from "../cell/time-limit.js";
import { valueList } from "../cell/value-sets.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { creditRules } from "../columns/credits.js";
import { amountText, type Weights, weightRules } from "../columns/weights.js";
import { type CalendarOption, calendarRule, givenCalendar } from "../time/time-unit.js";
import type { TimeLimit, TimePoint } from "../time/valid-time.js";
import type { WorkingCalendar } from "../time/working-calendar.js";
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
} from "./done-counts.js";
import { LEVELS, type Simulated, simulate, weeksAt } from "./monte-carlo.js";
import { specify } from "./specification.js";

/** Fewer weeks than this tell nothing of how much weeks differ. */
export const FEWEST_WEEKS = 8;

/** A forecast as it would have been made in the past, and what happened. */
interface PastForecast {
  /** When it would have been made, microseconds since 1970; with what was known then, and nothing else. */
  readonly knownUs: number;
  /** The time that it is about. */
  readonly atUs: number;
  /** The number done at least by then, with the probability of each of `LEVELS`. */
  readonly least: readonly number[];
  /** The number that was done by then, as is known now. */
  readonly actual: number;
  /** Whether that was all that there was: no forecast can be kept better. */
  readonly isAll: boolean;
}

/** What forecasts are made of. */
interface BacktestOptions {
  readonly earning: Earning;
  readonly total: number | undefined;
  readonly trials: number;
  readonly seed: number;
  /** Weeks of the past that are resampled, at most. */
  readonly most: number;
  /** Weeks from a forecast to what it is about. */
  readonly horizon: number;
  /** How many forecasts, at most. */
  readonly count: number;
  /** Whether ids tell what was known when. */
  readonly tellsInsertion: boolean;
  readonly unit: WeekUnit;
}

const MEDIAN = LEVELS.indexOf(0.5);

/** What is known of a forecast. */
interface Forecasted {
  /** Whole weeks of the log. */
  readonly weeks: number;
  readonly done: number;
  readonly total: number;
  readonly levels: readonly { readonly level: number; readonly weeks: number; readonly held: number }[];
  readonly past: readonly PastForecast[];
  /** Features, or how much, that came in the weeks that are resampled, where the total is not given. */
  readonly came: number;
  readonly earning: Earning;
  /** Whether forecasts of the past saw what had come in by then alone. */
  readonly isAsKnown: boolean;
}

/** A share of kept forecasts that is so far below what it should be is worth a word. */
const TOO_LOW = 0.15;
/** So is a share of times that is so high at which more was done than in half of the trials: forecasts were too cautious. */
const TOO_MANY = 0.85;

/** Fewer forecasts of the past than this do not tell that they were too cautious. */
const SOME = 8;

const INSERTION: Finding = {
  code: "insertion-unknown",
  message:
    "Ids of changes do not say when they came in: forecasts of the past saw all edits that were made by then, also those that came in later.",
};

/** Options of `history.forecast()`. */
export interface ForecastOptions extends DoneOptions, CalendarOption {
  /** How many features, or with a weight how much, is to be done; by default what there is at the end of the log. */
  readonly total?: number;
  /** How often the future is drawn, at most 100,000 times. Default 10,000. */
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

/** When all is done: a row for each of P50, P80 and P95. */
export interface Forecast extends ColumnTable {
  /** Week by week: `date`, and how much is done at least by then with 5, 20, 50, 80 and 95 %: `p5`, `p20`, `p50`, `p80`, `p95`. */
  readonly fan: ColumnTable;
  /** Forecasts of the past: `known_at`, `date` (what they are about), `p50`, `p80`, `p95` (done at least by then), `actual`. */
  readonly backtest: ColumnTable;
  /** Why there is no forecast, or what it lacks. */
  readonly findings: readonly Finding[];
  /** Features that are done when the forecast begins, or with a weight how much is. */
  readonly done: number;
  /** Features that are to be done in the end, or how much. */
  readonly total: number;
  /** Of both: that of the weights, else `features`. */
  readonly unit: string;
}

/** The levels of `LEVELS` that are told as dates. */
const TOLD = LEVELS.map((level, place) => ({ level, place })).slice(2);

/** A trial that is not done in ten years is taken for one that never is. */
const MOST_WEEKS = 520;
/** Of a forecast of years the next two are tested. */
const LONGEST_TEST = 104;
/** Forecasts of the past need no third digit. */
const TEST_TRIALS = 2000;

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * When all is done if weeks go on as the last ones did (Monte Carlo): `probability` (of P50, P80, P95), `date`, `weeks`,
     * and how forecasts of the past were kept: `backtests`, `kept`, `coverage`. No row for a log below eight weeks. With `weight`
     * weeks differ by what was done in them, each feature with its weight at the end of the log, also in forecasts of the past.
     * With a `calendar` weeks are of working days, as many as a week without holidays has, and dates are in working time.
     *
     * @param column name of a property column
     * @throws ArgumentError also for values that no feature ever had
     */
    forecast(column: string, options: ForecastOptions): Forecast;
  }
}

export const forecastSpecification = specify({
  summary: "When all is done if weeks go on as the last ones did (Monte Carlo).",
  takes: ["column"],
  options: forecastRules,
  time: (_: string, options?: ForecastOptions) => options?.until,
  parts: ["fan", "backtest"],
  facts: ["done", "total", "unit"],
  memory: (data, column: string, options: ForecastOptions = NOTHING) => {
    const table = forecast(data, column, options);
    return { table, findings: table.findings };
  },
});

/** Throughput Monte Carlo: when all is done if weeks go on as weeks of the past went. */
export function forecast(data: HistoryData, name: string, options: ForecastOptions = NOTHING): Forecast {
  const { trials = 10_000, seed = 1, weeks = 26, backtests = 40 } = options;
  const column = chooseColumn(data.names, name);
  const limit = limitOf(data, options);
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
  // A function may have been changed within.
  const isKept = typeof weight !== "function";
  const asked = isKept && JSON.stringify([column, of, options.total, lastUs, endUs, trials, seed, weeks, backtests]);
  const { simulated, past } = drawnOnce(data, asked, working, () => {
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
  // What came with the first week was there from the start.
  const before = counts.present(unit.after(endUs, 1 - throughput.length) - (endUs - lastUs));
  const came = options.total === undefined ? counts.present(lastUs) - before : 0;
  return table(endUs, unit, start, simulated, past, { ...log, came, isAsKnown });
}

/** Forecasts of the past, evenly spread over the weeks that have enough of the log before and behind them. */
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
  return Array.from({ length: chosen }, (_, place) => {
    const weeksAgo = last - Math.floor((place * possible) / chosen);
    const knownUs = unit.after(endUs, -weeksAgo);
    return pastForecast(data, column, { lastUs: knownUs - (endUs - lastUs), endUs: knownUs }, options);
  }).flatMap((forecast) => {
    if (!forecast) return [];
    const { known, least } = forecast;
    const atUs = unit.after(known.endUs, horizon);
    const seenUs = atUs - (endUs - lastUs);
    const actual = now.done(seenUs);
    const isAll = actual >= (options.total ?? now.present(seenUs));
    return { knownUs: known.endUs, atUs, least, actual, isAll };
  });
}

function pastForecast(
  data: HistoryData,
  column: number,
  known: TimeLimit,
  { earning, total, trials, seed, most, horizon, tellsInsertion, unit }: BacktestOptions,
): { readonly known: TimeLimit; readonly least: readonly number[] } | undefined {
  // What was made before and came in by then. Without insertion times, all that was made before.
  const then = tellsInsertion ? knownAt(data, new Date(Math.floor(known.lastUs / 1000))) : data;
  const counts = doneCounts(then, column, earning);
  const throughput = weeklyThroughput(counts, known, most, unit);
  // Before anything was done there is no pace, and no forecast.
  if (throughput.length < FEWEST_WEEKS || !throughput.some((week) => week > 0)) return undefined;
  const { fan } = simulate({
    throughput,
    done: counts.done(known.lastUs),
    // How much there would be was not known then.
    total: total ?? Number.POSITIVE_INFINITY,
    trials,
    seed,
    most: horizon,
    fan: "last",
  });
  return { known, least: fan.at(-1) as readonly number[] };
}

/** How many of some forecasts were kept at each of `LEVELS`. */
function kept(forecasts: readonly PastForecast[]): readonly number[] {
  return LEVELS.map(
    (_, level) => forecasts.filter(({ least, actual, isAll }) => isAll || actual >= (least[level] as number)).length,
  );
}

/** What a user should know of a forecast. */
function forecastFindings(forecasted: Forecasted): readonly Finding[] {
  const { weeks, done, total, levels, past, came, isAsKnown, earning } = forecasted;
  const { weights, findings: known } = earning;
  if (levels.length === 0) {
    return [
      ...known,
      {
        code: "short-log",
        message: `No forecast: the log has ${weeks} whole ${weeks === 1 ? "week" : "weeks"}, and ${FEWEST_WEEKS} are needed to tell how much weeks differ.`,
        count: weeks,
      },
    ];
  }
  if (done >= total) {
    const amounts = weights
      ? `${amountText(done)} of ${amountText(total)} ${weights.unit}`
      : `${done} of ${total} features`;
    return [
      ...known,
      {
        code: "already-done",
        message: `Nothing to forecast: ${amounts} are done.`,
        ...(weights ? {} : { count: done }),
      },
    ];
  }
  const testless: Finding = {
    code: "no-backtest",
    message: "No forecast of the past can be compared with what happened: the log is too short.",
  };
  return [
    ...known,
    ...endFinding(levels),
    ...(came === 0 ? [] : [growthFinding(came, weights)]),
    ...(past.length === 0 ? [testless] : [...calibrationFindings(levels, past), ...(isAsKnown ? [] : [INSERTION])]),
  ];
}

function endFinding(levels: Forecasted["levels"]): readonly Finding[] {
  const never = levels.filter(({ weeks }) => !Number.isFinite(weeks)).map(({ level }) => `P${percent(level)}`);
  if (never.length === 0) return [];
  const message = `No date for ${never.join(", ")}: at the pace of the past so many trials do not end in ten years.`;
  return [{ code: "no-end", message }];
}

function growthFinding(came: number, weights: Weights | undefined): Finding {
  if (weights) {
    const message = `${amountText(came)} ${weights.unit} were added in the weeks that are resampled; the forecast ends when as much is done as there is now, whatever is added.`;
    return { code: "growing-total", message };
  }
  const were = came === 1 ? "feature was" : "features were";
  return {
    code: "growing-total",
    message: `${came} ${were} added in the weeks that are resampled; the forecast ends when as many are done as there are now, whatever is added.`,
    count: came,
  };
}

function calibrationFindings(levels: Forecasted["levels"], past: readonly PastForecast[]): readonly Finding[] {
  const tests = past.length;
  const early = levels.filter(({ level, held }) => held / tests < level - TOO_LOW);
  const told = early.map(({ level, held }) => `P${percent(level)} was kept in ${held} of ${tests}`).join(", ");
  if (early.length > 0) {
    return [{ code: "forecast-too-early", message: `Forecasts of the past promised too much: ${told}.`, count: tests }];
  }
  const beaten = past.filter(({ least, actual }) => actual > (least[MEDIAN] as number)).length;
  if (tests < SOME || beaten / tests < TOO_MANY) return [];
  const message = `Forecasts of the past were too cautious: ${beaten} of ${tests} times more was done than in half of the trials.`;
  return [{ code: "forecast-too-late", message, count: tests }];
}

function percent(level: number): number {
  return Math.round(100 * level);
}

/** All that is left to chance in a forecast. */
interface Draws {
  readonly simulated: Simulated;
  readonly past: readonly PastForecast[];
}

/** What was asked last, and by which calendar. */
interface DrawnOnce {
  readonly asked: string;
  readonly working: WorkingCalendar | undefined;
  readonly draws: Draws;
}

/** The last draws of each history: a report shows a forecast as a figure, and then as a table. */
const lastDraws = new WeakMap<HistoryData, DrawnOnce>();

/** @param asked all that the draws depend on, besides the history and the calendar; false where that cannot be told */
function drawnOnce(
  data: HistoryData,
  asked: string | false,
  working: WorkingCalendar | undefined,
  draw: () => Draws,
): Draws {
  const last = lastDraws.get(data);
  if (last?.asked === asked && last.working === working) return last.draws;
  const draws = draw();
  if (asked !== false) lastDraws.set(data, { asked, working, draws });
  return draws;
}

/** Stands for options that a caller without a compiler left out; what they lack is said then. */
const NOTHING: ForecastOptions = { done: [] };

function wholeWeeks({ firstUs }: DoneCounts, endUs: number, unit: WeekUnit): number {
  return Math.max(0, Math.floor(unit.between(firstUs, endUs)));
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
  unit: WeekUnit,
  { done, total }: { readonly done: number; readonly total: number },
  simulated: Simulated | undefined,
  past: readonly PastForecast[],
  log: Pick<Forecasted, "weeks" | "came" | "isAsKnown" | "earning">,
): Forecast {
  const held = kept(past);
  const rows = simulated
    ? TOLD.map(({ level, place }) => ({ level, weeks: weeksAt(simulated.weeks, level), held: held[place] as number }))
    : [];
  const known = rows.map((row) => (Number.isFinite(row.weeks) ? row.weeks : null));
  const coverage = rows.map((row) => (past.length === 0 ? null : row.held / past.length));
  const levels = toTable([
    ["probability", rows.map(({ level }) => level)],
    ["date", known.map((count) => (count === null ? null : dateOf(unit.after(endUs, count))))],
    ["weeks", known],
    ["backtests", rows.map(() => past.length)],
    ["kept", rows.map((row) => row.held)],
    ["coverage", coverage],
  ]);
  const findings = forecastFindings({ ...log, done, total, levels: rows, past });
  return Object.assign(levels, {
    fan: fanTable(endUs, unit, simulated),
    backtest: backtestTable(past),
    findings,
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
    ...TOLD.map(({ place }) => [names[place] as string, past.map(({ least }) => least[place] as number)] as const),
    ["actual", past.map(({ actual }) => actual)],
  ]);
}
