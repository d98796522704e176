import { setTimeout as delay } from "node:timers/promises";

/** Clocks, timers and random numbers, which tests replace. */
export interface Effects {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock, unaffected by changes of the system time. */
  readonly elapsed: () => number;
  /** Waits; rejects with the signal's reason as soon as the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A number from 0, inclusive, to 1, exclusive. */
  readonly random: () => number;
}

export const systemEffects: Effects = {
  now: Date.now,
  elapsed: () => performance.now(),
  random: Math.random,
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
};
