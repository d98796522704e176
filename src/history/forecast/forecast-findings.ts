import type { Finding } from "../../core/finding.js";
import { FEWEST_WEEKS, type PastForecast } from "./backtest.js";

/** What is known of a forecast. */
interface Forecasted {
  /** Whole weeks of the log. */
  readonly weeks: number;
  readonly done: number;
  readonly total: number;
  readonly levels: readonly { readonly level: number; readonly weeks: number; readonly held: number }[];
  readonly past: readonly PastForecast[];
  /** Whether forecasts of the past saw what had come in by then alone. */
  readonly isAsKnown: boolean;
}

/** A share of kept forecasts that is so far below what it should be is worth a word. */
const TOO_LOW = 0.15;

/** What a user should know of a forecast. */
export function forecastFindings({ weeks, done, total, levels, past, isAsKnown }: Forecasted): readonly Finding[] {
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
  const never = levels.filter((level) => !Number.isFinite(level.weeks)).map(({ level }) => percent(level));
  const worst = levels.filter(({ level, held }) => past.length > 0 && held / past.length < level - TOO_LOW);
  return [
    ...(never.length === 0
      ? []
      : [
          {
            code: "no-end",
            message: `No date for ${never.map((one) => `P${one}`).join(", ")}: at the pace of the past so many trials do not end in ten years.`,
          },
        ]),
    ...(past.length === 0
      ? [
          {
            code: "no-backtest",
            message: "No forecast of the past can be compared with what happened: the log is too short.",
          },
        ]
      : []),
    ...(worst.length === 0
      ? []
      : [
          {
            code: "forecast-too-early",
            message: `Forecasts of the past promised too much: ${worst.map(({ level, held }) => `P${percent(level)} was kept in ${held} of ${past.length}`).join(", ")}.`,
            count: past.length,
          },
        ]),
    ...(isAsKnown || past.length === 0
      ? []
      : [
          {
            code: "insertion-unknown",
            message:
              "Ids of changes do not say when they came in: forecasts of the past saw all edits that were made by then, also those that came in later.",
          },
        ]),
  ];
}

function percent(level: number): number {
  return Math.round(100 * level);
}
