import type { ScaleOptions } from "@observablehq/plot";
import { formatAmount } from "../../core/format/format-number.js";

/** If the maximum is more than this many times the 90th percentile, its root leaves the palest third of the shades to the others. */
const FAR = 9;
const OTHERS = 0.9;
const SHARES = [0.2, 0.4, 0.6, 0.8, 1];

/** Shades of cells by their counts. */
interface CountShades {
  readonly opacity: ScaleOptions;
  /** Note after the subtitle; empty if shades are proportional. */
  readonly note: string;
}

/**
 * Returns shades for counts: by their square root, or, if the largest is far above all others, by rank, so that the others
 * can be distinguished.
 *
 * @param range the palest and the fullest opacity
 */
export function countShades(counts: Iterable<number>, range: readonly [pale: number, full: number]): CountShades {
  const sorted = [...counts].filter((count) => count > 0).sort((a, b) => a - b);
  const [most = 1, others = 1] = [sorted.at(-1), sorted[Math.floor(OTHERS * (sorted.length - 1))]];
  const levels = [...new Set(sorted)];
  // A single other count needs no distinction.
  if (levels.length < 3 || most <= FAR * others) {
    return { opacity: { type: "sqrt", range, domain: [0, most] }, note: "" };
  }
  const steps = [...new Set(SHARES.map((share) => levels[Math.floor(share * (levels.length - 1))] as number))];
  const [pale, full] = range;
  const shades = [0, ...steps].map((_, index) => pale + ((full - pale) * index) / steps.length);
  return {
    opacity: { type: "linear", domain: [0, ...steps], range: shades },
    note: `; shaded by rank, since the largest, ${formatAmount(most)}, is far above the others`,
  };
}
