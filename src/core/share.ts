/** Whether a value is a share of a whole, from 0 to 1. */
export function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

/**
 * Returns a hint for a value that is not a share.
 *
 * @param whole the meaning of 1
 */
export function shareHint(value: unknown, whole: string): string {
  const isPercent = typeof value === "number" && value > 1 && value <= 100;
  return isPercent ? `Write ${value} % as ${value / 100}.` : `Pass a share: 1 is ${whole}.`;
}

/** Maximum difference, in percent, between sums of the same parts in another order. */
const NOISE = 1e-10;

/**
 * Returns a percentage for rounding to some decimals: a part that would round to the whole is cut to the largest value
 * below 100.
 */
export function belowWhole(percent: number, decimals: number): number {
  const most = Number((100 - 10 ** -decimals).toFixed(decimals));
  return percent > most && percent < 100 - NOISE ? most : percent;
}
