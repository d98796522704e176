// Trials of how a number goes on, each by weeks of the past that are drawn by chance.

/** What is resampled. */
interface Simulation {
  /** How many features more were done after each of some weeks. */
  readonly throughput: readonly number[];
  /** Features that are done at the beginning. */
  readonly done: number;
  /** Features that are to be done. */
  readonly total: number;
  readonly trials: number;
  readonly seed: number;
  /** Weeks after which a trial ends, done or not. */
  readonly most: number;
  /** Whether the fan tells of each week, or, which takes less time, of the last one only. */
  readonly fan: "weekly" | "last";
}

/** The probabilities with which a date is kept, and at least so much is done by a date. */
export const LEVELS = [0.05, 0.2, 0.5, 0.8, 0.95] as const;

/** At the end of a week: the number that is done at least, with the probability of each of `LEVELS`. */
type FanWeek = readonly number[];

/** What came of the trials. */
export interface Simulated {
  /**
   * The first entry is the beginning, unless only the last is told of. The last is the week in which all but one in twenty
   * trials were done, or the end.
   */
  readonly fan: readonly FanWeek[];
  /** Weeks until all is done, one for each trial, ascending; Infinity where it was not. */
  readonly weeks: Float64Array;
}

/**
 * Trials of how a number goes on: each week takes the throughput of a week of the past that is drawn by chance. Within the
 * last week the number grows evenly.
 */
export function simulate({ throughput, done, total, trials, seed, most, fan }: Simulation): Simulated {
  const random = seededRandom(seed);
  const numbers = new Float64Array(trials).fill(done);
  const weeks = new Float64Array(trials).fill(done >= total ? 0 : Number.POSITIVE_INFINITY);
  const told: FanWeek[] = fan === "weekly" ? [fanWeek(numbers)] : [];
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
    if (fan === "weekly") told.push(fanWeek(numbers));
  }
  if (fan === "last") told.push(fanWeek(numbers));
  return { fan: told, weeks: weeks.sort() };
}

function fanWeek(numbers: Float64Array): FanWeek {
  const sorted = numbers.slice().sort();
  return LEVELS.map((level) => sorted[Math.floor((1 - level) * sorted.length + 1e-9)] as number);
}

/** The number of weeks that a share of the trials do not exceed. */
export function weeksAt(weeks: Float64Array, level: number): number {
  return weeks[Math.ceil(level * weeks.length - 1e-9) - 1] ?? Number.POSITIVE_INFINITY;
}

/**
 * Numbers from 0 to below 1 that look random and are the same for one seed on every machine: Mulberry32, whose state of
 * 32 bits is ample for some million draws of a resampling.
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
