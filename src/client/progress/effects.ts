import { setTimeout as delay } from "node:timers/promises";
import { findScreen } from "./find-screen.js";
import type { ProgressScreen } from "./progress-screen.js";

/** What the client needs from the outside besides the network. Tests pass their own. */
export interface Effects {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some moment, which go on evenly when the machine's clock is set. */
  readonly elapsed: () => number;
  /** Waits; rejects with the signal's reason as soon as the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A number from 0, inclusive, to 1, exclusive. */
  readonly random: () => number;
  /** Where a read can show its progress, looked up when the read begins. */
  readonly screen: () => ProgressScreen | undefined;
}

export const systemEffects: Effects = {
  now: Date.now,
  elapsed: () => performance.now(),
  random: Math.random,
  screen: findScreen,
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
};
