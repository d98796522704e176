/**
 * Returns the value below which a share of sorted numbers is, interpolated between neighbors, as by default in numpy,
 * pandas and R. NaN for an empty array.
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const position = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(position)] as number, sorted[Math.ceil(position)] as number];
  return below + (above - below) * (position - Math.floor(position));
}
