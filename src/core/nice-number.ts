// Nice numbers: 1, 2 or 5 times a power of ten, for axes, bars and scales.

/** Tolerance, since quotients of decimals are inexact. */
const ROUNDING = 1e-9;

/** Returns the greatest nice number up to `limit`, which is above 1e-300. */
export function niceAtMost(limit: number): number {
  const power = powerOf(limit);
  return power * (limit >= 5 * power ? 5 : limit >= 2 * power ? 2 : 1);
}

/** Returns the least nice number from `least`, which is above 0. */
export function niceAtLeast(least: number): number {
  const power = powerOf(least);
  return power * ([1, 2, 5].find((one) => one * power >= least * (1 - ROUNDING)) ?? 10);
}

/** Returns a multiple of a nice number. A quotient of integers is the exact decimal; 3 * 0.1 is not 0.3. */
export function timesNice(times: number, nice: number): number {
  return nice < 1 ? times / Math.round(1 / nice) : times * nice;
}

/** Bounded by the precision of numbers: the power of 3e-323 would be 0. */
function powerOf(size: number): number {
  return 10 ** Math.max(-300, Math.floor(Math.log10(size)));
}
