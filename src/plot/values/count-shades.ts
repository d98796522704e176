import type { ScaleOptions } from "@observablehq/plot";
import { shortAmount } from "../../history/order/value-label.js";

/** Where the most is more than so many times what nine of ten come to, its root leaves these the palest third of the shades. */
const FAR = 9;
const OTHERS = 0.9;
const SHARES = [0.2, 0.4, 0.6, 0.8, 1];

/** How cells are shaded by their counts. */
interface CountShades {
  readonly opacity: ScaleOptions;
  /** What a figure says of it behind its subtitle; nothing where shades tell the counts. */
  readonly note: string;
}

/**
 * Shades for counts: by their square root, or, where the largest is far above all others, by rank, so that these can be
 * told apart too.
 *
 * @param range the palest and the fullest opacity
 */
export function countShades(counts: Iterable<number>, range: readonly [pale: number, full: number]): CountShades {
  const sorted = [...counts].filter((count) => count > 0).sort((a, b) => a - b);
  const [most = 1, others = 1] = [sorted.at(-1), sorted[Math.floor(OTHERS * (sorted.length - 1))]];
  const levels = [...new Set(sorted)];
  // Of one other there is nothing to tell apart.
  if (levels.length < 3 || most <= FAR * others) {
    return { opacity: { type: "sqrt", range, domain: [0, most] }, note: "" };
  }
  const steps = [...new Set(SHARES.map((share) => levels[Math.floor(share * (levels.length - 1))] as number))];
  const [pale, full] = range;
  const shades = [0, ...steps].map((_, place) => pale + ((full - pale) * place) / steps.length);
  return {
    opacity: { type: "linear", domain: [0, ...steps], range: shades },
    note: `; shaded by rank, since the most, ${shortAmount(most)}, is far above the others`,
  };
}
