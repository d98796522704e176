/** Cells of so few changes, as most are, are looked through. */
const FEW = 4;

/**
 * The place after the last change at or before a time. Of a few changes all are looked at, also of the next cell's: where
 * to stop cannot be foretold, and a branch that is taken by chance costs more than all else here.
 */
export function placeAfter(timesUs: Float64Array, start: number, end: number, us: number): number {
  const count = end - start;
  if (count <= FEW && start + FEW <= timesUs.length) {
    return (
      start +
      (Number((timesUs[start] ?? 0) <= us) & Number(count > 0)) +
      (Number((timesUs[start + 1] ?? 0) <= us) & Number(count > 1)) +
      (Number((timesUs[start + 2] ?? 0) <= us) & Number(count > 2)) +
      (Number((timesUs[start + 3] ?? 0) <= us) & Number(count > 3))
    );
  }
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timesUs[middle] ?? 0) <= us) low = middle + 1;
    else high = middle;
  }
  return low;
}
