import type { Progress } from "../ask/read-options.js";

/** A read as a screen shows it. */
export interface ProgressState extends Progress {
  /** Milliseconds since the read began. */
  readonly elapsedMs: number;
}

/** The place where one read shows how far it is. */
export interface ProgressLine {
  show(state: ProgressState): void;
  /** Shows the last state, or nothing more, when the read is over. */
  end(state: ProgressState): void;
}

/** Opens a place for a read. */
export type ProgressScreen = () => ProgressLine;
