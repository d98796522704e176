// Text of lengths of time.
import { formatFigure } from "./format-number.js";

/** Returns how long a run took: `0.8 s`, `12 s`, `2 min 5 s`. */
export function formatDuration(durationMs: number): string {
  const seconds = durationMs / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Unit of a length of time, and its digits. */
export interface DaysFormat {
  /** Default: `days`. */
  readonly unit?: string;
  /** Default: 1 below 10, otherwise 0. */
  readonly decimals?: number;
}

/** Returns a length of time in days: `3.5 days`, `12 days`, `0.02 days`. */
export function formatDays(days: number, { unit = "days", decimals = days < 9.95 ? 1 : 0 }: DaysFormat = {}): string {
  return `${formatFigure(days, { decimals })} ${unit}`;
}
