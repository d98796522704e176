/** As many decimals somebody has rounded to; more are what arithmetic leaves behind. */
const MEANT = 6;
/** Digits that are shown of numbers that nobody has rounded. */
const DIGITS = 5;
const FEWEST = 2;

/**
 * Decimals with which the numbers of one column are shown: all, where none has more than six; else as many as give the
 * greatest of them five digits, and two at least.
 */
export function sensibleDecimals(numbers: Iterable<unknown>): number {
  let [most, greatest] = [0, 0];
  for (const value of numbers) {
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    greatest = Math.max(greatest, Math.abs(value));
    while (most <= MEANT && Number(value.toFixed(most)) !== value) most += 1;
  }
  if (most <= MEANT) return most;
  const whole = Math.floor(Math.log10(greatest)) + 1;
  return Math.min(20, Math.max(FEWEST, DIGITS - whole));
}
