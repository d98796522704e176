import type { HistoryData } from "../cell/history-data.js";
import { knownAt } from "../cell/known-at.js";
import type { TimeLimit } from "../time/valid-time.js";
import { type DoneCounts, doneCounts, US_PER_WEEK, weeklyThroughput } from "./done-counts.js";
import { LEVELS, simulate } from "./simulate.js";

/** Fewer weeks than this tell nothing of how much weeks differ. */
export const FEWEST_WEEKS = 8;

/** A forecast as it would have been made in the past, and what happened. */
export interface PastForecast {
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
export interface BacktestOptions {
  readonly done: readonly unknown[];
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
}

/** Forecasts of the past, evenly spread over the weeks that have enough of the log before and behind them. */
export function backtest(
  data: HistoryData,
  column: number,
  now: DoneCounts,
  { lastUs, endUs }: TimeLimit,
  options: BacktestOptions,
): readonly PastForecast[] {
  const { horizon, count } = options;
  const last = Math.floor((endUs - now.firstUs) / US_PER_WEEK) - FEWEST_WEEKS;
  const possible = Math.max(0, last - horizon + 1);
  const chosen = Math.min(possible, count);
  return Array.from({ length: chosen }, (_, place) => {
    const weeksAgo = last - Math.floor((place * possible) / chosen);
    const ago = weeksAgo * US_PER_WEEK;
    return pastForecast(data, column, { lastUs: lastUs - ago, endUs: endUs - ago }, options);
  }).flatMap((forecast) => {
    if (!forecast) return [];
    const { known, least } = forecast;
    const ahead = horizon * US_PER_WEEK;
    const actual = now.done(known.lastUs + ahead);
    const isAll = actual >= (options.total ?? now.present(known.lastUs + ahead));
    return { knownUs: known.endUs, atUs: known.endUs + ahead, least, actual, isAll };
  });
}

function pastForecast(
  data: HistoryData,
  column: number,
  known: TimeLimit,
  { done, total, trials, seed, most, horizon, tellsInsertion }: BacktestOptions,
): { readonly known: TimeLimit; readonly least: readonly number[] } | undefined {
  // What was made before and came in by then. Without insertion times, all that was made before.
  const then = tellsInsertion ? knownAt(data, new Date(Math.floor(known.lastUs / 1000))) : data;
  const counts = doneCounts(then, column, done);
  const throughput = weeklyThroughput(counts, known, most);
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
  return { known, least: fan.at(-1) ?? [] };
}

/** How many of some forecasts were kept at each of `LEVELS`. */
export function kept(forecasts: readonly PastForecast[]): readonly number[] {
  return LEVELS.map(
    (_, level) => forecasts.filter(({ least, actual, isAll }) => isAll || actual >= (least[level] ?? 0)).length,
  );
}
