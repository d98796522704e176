/**
 * Returns the index of the first ascending item that is not before a position, by bisection; `length` if all are before
 * it.
 *
 * @param isBefore whether the item at an index is before the position
 */
export function binarySearch(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the index of the first ascending number from `start` to before `end` that is above a limit; `end` if none is.
 */
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
