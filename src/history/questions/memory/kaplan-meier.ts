/**
 * Coefficients of the numerators and denominators of rational functions, constant first: for the middle, next to it,
 * and for the tails.
 */
const MIDDLE = [
  [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
    33430.57558358813, 2509.0809287301227,
  ],
  [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852854,
  ],
] as const;
const BESIDE = [
  [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
] as const;
const TAIL = [
  [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
  ],
  [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 1.8463183175100548e-5,
    1.421511758316446e-7, 2.0442631033899397e-15,
  ],
] as const;

/** When a subject entered and left observation, and why, in one unit since its beginning. */
interface Observation {
  /** 0 if it was observed from its beginning. */
  readonly entry: number;
  /** Later than `entry`, or equal if the subject was lost at once. */
  readonly exit: number;
  readonly isEvent: boolean;
}

/** The events at one time since the beginning, and the estimate from then on. */
export interface SurvivalStep {
  readonly time: number;
  /** Subjects observed just before; at 0, the subjects observed from their beginning. */
  readonly atRisk: number;
  /** Subjects that enter observation at this time; they are at risk later than this. */
  readonly entered: number;
  readonly events: number;
  readonly censored: number;
  readonly survival: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * The Kaplan-Meier estimate with delayed entry, and Greenwood's confidence bands on the scale of log(-log): the
 * "exponential Greenwood" intervals of Kalbfleisch and Prentice, which stay between 0 and 1.
 *
 * @param confidence of the bands, above 0 and below 1
 * @returns a step for 0 and for each time at which a subject entered or left, ascending
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
    // Subjects observed from the beginning are at risk before any event; others can only be lost after they entered.
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

/**
 * The standard normal quantile, to about sixteen digits (Wichura 1988, algorithm AS 241).
 *
 * @param share above 0 and below 1
 */
function normalQuantile(share: number): number {
  const off = share - 0.5;
  if (Math.abs(off) <= 0.425) return off * ratio(MIDDLE, 0.180625 - off * off);
  const far = Math.sqrt(-Math.log(off < 0 ? share : 1 - share));
  const size = far <= 5 ? ratio(BESIDE, far - 1.6) : ratio(TAIL, far - 5);
  return off < 0 ? -size : size;
}

function ratio([above, below]: readonly [readonly number[], readonly number[]], at: number): number {
  return polynomial(above, at) / polynomial(below, at);
}

function polynomial(coefficients: readonly number[], at: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * at + coefficient, 0);
}

/** If no subject or every subject survives, the variance cannot be estimated. */
function bands(survival: number, variance: number, z: number): Pick<SurvivalStep, "lower" | "upper"> {
  if (survival === 0 || survival === 1) return { lower: survival, upper: survival };
  const log = Math.log(survival);
  const width = (z * Math.sqrt(variance)) / -log;
  return { lower: Math.exp(log * Math.exp(width)), upper: Math.exp(log * Math.exp(-width)) };
}

/** Rounding error of a product of shares: 3/4 of 2/3 is a half. */
const ROUNDING = 1e-12;

/** The first time at which a curve is at or below a half; null if it never is. */
export function medianTime(
  steps: readonly Pick<SurvivalStep, "time" | "survival" | "lower" | "upper">[],
  curve: "survival" | "lower" | "upper",
): number | null {
  return steps.find((step) => step[curve] <= 0.5 + ROUNDING)?.time ?? null;
}
