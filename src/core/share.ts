/** Whether a value is a share of a whole. */
export function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

/**
 * What to do about a value that is no share.
 *
 * @param whole what 1 is
 */
export function shareHint(value: unknown, whole: string): string {
  const isPercent = typeof value === "number" && value > 1 && value <= 100;
  return isPercent ? `Of ${value} % the share is ${value / 100}.` : `1 is ${whole}.`;
}

/** What sums of the same parts in another order may differ by, in percent. */
const NOISE = 1e-10;

/** A percentage for rounding to so many decimals: a part that would round to the whole is cut to the largest one below 100. */
export function belowWhole(percent: number, decimals: number): number {
  const most = Number((100 - 10 ** -decimals).toFixed(decimals));
  return percent > most && percent < 100 - NOISE ? most : percent;
}
