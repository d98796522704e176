import { setTimeout as delay } from "node:timers/promises";

/** What the client needs from the outside besides the network. Tests pass their own. */
export interface Effects {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits; rejects with the signal's reason as soon as the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A number from 0, inclusive, to 1, exclusive. */
  readonly random: () => number;
}

export const systemEffects: Effects = {
  now: Date.now,
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
