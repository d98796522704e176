// Simulations of a growing number, each with randomly drawn past weeks.

/** Parameters of a simulation. */
interface Simulation {
  /** The increase in features done in each of the past weeks. */
  readonly throughput: readonly number[];
  /** Features done at the start. */
  readonly done: number;
  /** Features to be done. */
  readonly total: number;
  readonly trials: number;
  readonly seed: number;
  /** Weeks after which a simulation ends, done or not. */
  readonly most: number;
  /** Whether the fan has an entry for each week, or only for the last one, which is faster. */
  readonly fan: "weekly" | "last";
}

/** Probabilities with which a date is met, and with which at least an amount is done by a date. */
export const LEVELS = [0.05, 0.2, 0.5, 0.8, 0.95] as const;

/** For the end of a week: the number that is at least done, with the probability of each of `LEVELS`. */
type FanWeek = readonly number[];

/** Results of the simulations. */
export interface Simulated {
  /**
   * The first entry is the start, unless `fan` is `"last"`. The last is the week in which 95 % of the simulations were
   * done, or the end.
   */
  readonly fan: readonly FanWeek[];
  /** Weeks until everything is done, one entry per simulation, ascending; Infinity if it was not. */
  readonly weeks: Float64Array;
}

/**
 * Simulates a growing number: each week has the throughput of a randomly drawn past week. The number grows evenly
 * within the last week.
 */
export function simulate({ throughput, done, total, trials, seed, most, fan }: Simulation): Simulated {
  const random = seededRandom(seed);
  const numbers = new Float64Array(trials).fill(done);
  const weeks = new Float64Array(trials).fill(done >= total ? 0 : Number.POSITIVE_INFINITY);
  const weekly: FanWeek[] = fan === "weekly" ? [fanWeek(numbers)] : [];
  let left = done >= total ? 0 : trials;
  const enough = trials - Math.ceil(0.95 * trials);
  for (let week = 0; week < most && left > enough; week += 1) {
    for (let trial = 0; trial < trials; trial += 1) {
      const before = numbers[trial] as number;
      if (before >= total) continue;
      const step = throughput[Math.floor(random() * throughput.length)] as number;
      numbers[trial] = Math.min(Math.max(before + step, 0), total);
      if (before + step < total) continue;
      weeks[trial] = week + (total - before) / step;
      left -= 1;
    }
    if (fan === "weekly") weekly.push(fanWeek(numbers));
  }
  if (fan === "last") weekly.push(fanWeek(numbers));
  return { fan: weekly, weeks: weeks.sort() };
}

function fanWeek(numbers: Float64Array): FanWeek {
  const sorted = numbers.slice().sort();
  return LEVELS.map((level) => sorted[Math.floor((1 - level) * sorted.length + 1e-9)] as number);
}

/** The number of weeks that a share of the simulations do not exceed. */
export function weeksAt(weeks: Float64Array, level: number): number {
  return weeks[Math.ceil(level * weeks.length - 1e-9) - 1] ?? Number.POSITIVE_INFINITY;
}

/**
 * Pseudo-random numbers from 0 to below 1, the same for one seed on every machine: Mulberry32, whose 32-bit state
 * suffices for some million draws of a resampling.
 */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
