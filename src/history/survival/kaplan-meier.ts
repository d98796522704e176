import { normalQuantile } from "./normal-quantile.js";

/** When a subject came under observation, when it left, and why; all in one unit since its beginning. */
export interface Observation {
  /** 0 if it was observed from its beginning. */
  readonly entry: number;
  /** After `entry`; or the same, where it was lost at once. */
  readonly exit: number;
  readonly isEvent: boolean;
}

/** What happened at one time since the beginning, and the estimate from then on. */
export interface SurvivalStep {
  readonly time: number;
  /** Subjects that were observed just before; at 0 those that are from their beginning. */
  readonly atRisk: number;
  /** Subjects that come under observation; they are at risk later than this. */
  readonly entered: number;
  readonly events: number;
  readonly censored: number;
  readonly survival: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * The Kaplan-Meier estimate with late entry, and Greenwood's bands on the scale of log(-log): the "exponential Greenwood"
 * intervals of Kalbfleisch and Prentice, which stay between 0 and 1.
 *
 * @param confidence of the bands, above 0 and below 1
 * @returns a step for 0 and for each time at which a subject came or left, ascending
 */
export function kaplanMeier(observations: readonly Observation[], confidence: number): readonly SurvivalStep[] {
  const z = normalQuantile((1 + confidence) / 2);
  const comings = Float64Array.from(observations, ({ entry }) => entry).sort();
  const leavings = [...observations].sort((a, b) => a.exit - b.exit);
  const steps: SurvivalStep[] = [];
  let [come, left, survival, variance] = [0, 0, 1, 0];
  for (let time = 0; ; ) {
    const first = come;
    while ((comings[come] ?? Infinity) <= time) come += 1;
    // Those of the beginning are there before anything happens; others can be lost only after they came.
    const atRisk = (time === 0 ? come : first) - left;
    let [events, censored] = [0, 0];
    for (let next = leavings[left]; next && next.exit <= time; next = leavings[left]) {
      left += 1;
      if (next.isEvent) events += 1;
      else censored += 1;
    }
    if (events > 0) {
      survival *= (atRisk - events) / atRisk;
      variance += events / (atRisk * (atRisk - events));
    }
    const entered = time === 0 ? 0 : come - first;
    steps.push({ time, atRisk, entered, events, censored, survival, ...bands(survival, variance, z) });
    time = Math.min(comings[come] ?? Infinity, leavings[left]?.exit ?? Infinity);
    if (time === Infinity) return steps;
  }
}

/** Where nobody or everybody survives there is nothing to estimate a variance from. */
function bands(survival: number, variance: number, z: number): Pick<SurvivalStep, "lower" | "upper"> {
  if (survival === 0 || survival === 1) return { lower: survival, upper: survival };
  const log = Math.log(survival);
  const width = (z * Math.sqrt(variance)) / -log;
  return { lower: Math.exp(log * Math.exp(width)), upper: Math.exp(log * Math.exp(-width)) };
}

/** Rounding of a product of shares: 3/4 of 2/3 is a half. */
const ROUNDING = 1e-12;

/** The first time at which a curve is at or below a half; null if it never is. */
export function medianTime(
  steps: readonly Pick<SurvivalStep, "time" | "survival" | "lower" | "upper">[],
  curve: "survival" | "lower" | "upper",
): number | null {
  return steps.find((step) => step[curve] <= 0.5 + ROUNDING)?.time ?? null;
}
