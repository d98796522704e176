import type { Finding } from "../../core/finding.js";
import { FEWEST_WEEKS, type PastForecast } from "./backtest.js";
import { LEVELS } from "./simulate.js";

const MEDIAN = LEVELS.indexOf(0.5);

/** What is known of a forecast. */
interface Forecasted {
  /** Whole weeks of the log. */
  readonly weeks: number;
  readonly done: number;
  readonly total: number;
  readonly levels: readonly { readonly level: number; readonly weeks: number; readonly held: number }[];
  readonly past: readonly PastForecast[];
  /** Features that came in the weeks that are resampled, where the total is not given. */
  readonly came: number;
  /** Whether forecasts of the past saw what had come in by then alone. */
  readonly isAsKnown: boolean;
}

/** A share of kept forecasts that is so far below what it should be is worth a word. */
const TOO_LOW = 0.15;
/** So is a share of times that is so high, in which more was done than in half of the trials. */
const TOO_MANY = 0.85;

/** Fewer forecasts of the past than this do not tell that they were too cautious. */
const SOME = 8;

/** What a user should know of a forecast. */
export function forecastFindings({
  weeks,
  done,
  total,
  levels,
  past,
  came,
  isAsKnown,
}: Forecasted): readonly Finding[] {
  if (levels.length === 0) {
    return [
      {
        code: "short-log",
        message: `No forecast: the log has ${weeks} whole ${weeks === 1 ? "week" : "weeks"}, and ${FEWEST_WEEKS} are needed to tell how much weeks differ.`,
        count: weeks,
      },
    ];
  }
  if (done >= total) {
    return [
      { code: "already-done", message: `Nothing to forecast: ${done} of ${total} features are done.`, count: done },
    ];
  }
  const testless: Finding = {
    code: "no-backtest",
    message: "No forecast of the past can be compared with what happened: the log is too short.",
  };
  return [
    ...endFinding(levels),
    ...(came === 0 ? [] : [growthFinding(came)]),
    ...(past.length === 0 ? [testless] : [...calibrationFindings(levels, past), ...(isAsKnown ? [] : [INSERTION])]),
  ];
}

const INSERTION: Finding = {
  code: "insertion-unknown",
  message:
    "Ids of changes do not say when they came in: forecasts of the past saw all edits that were made by then, also those that came in later.",
};

function endFinding(levels: Forecasted["levels"]): readonly Finding[] {
  const never = levels.filter(({ weeks }) => !Number.isFinite(weeks)).map(({ level }) => `P${percent(level)}`);
  if (never.length === 0) return [];
  const message = `No date for ${never.join(", ")}: at the pace of the past so many trials do not end in ten years.`;
  return [{ code: "no-end", message }];
}

function growthFinding(came: number): Finding {
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
  const beaten = past.filter(({ least, actual }) => actual > (least[MEDIAN] ?? 0)).length;
  if (tests < SOME || beaten / tests < TOO_MANY) return [];
  const message = `Forecasts of the past were too cautious: ${beaten} of ${tests} times more was done than in half of the trials.`;
  return [{ code: "forecast-too-late", message, count: tests }];
}

function percent(level: number): number {
  return Math.round(100 * level);
}
