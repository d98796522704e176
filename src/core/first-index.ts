/**
 * By bisection, the index of the first of ascending items that is not before the place looked for; `length` if all are.
 *
 * @param isBefore whether the item of an index comes before the place
 */
export function firstIndex(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of ascending numbers from `start` to before `end`, the index of the first that is above one; `end` if none is. */
export function upperBound(ascending: Float64Array, number: number, start: number, end: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}
