/**
 * Returns the value below which a share of sorted numbers is, interpolated between neighbors, as by default in numpy,
 * pandas and R. NaN for an empty array.
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
  return below + (above - below) * (place - Math.floor(place));
}
