import { setTimeout as delay } from "node:timers/promises";

/** Clocks, waits and chance, which tests replace. */
export interface Effects {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some moment, which go on evenly when the machine's clock is set. */
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
