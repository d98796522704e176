/** Longer stretches that are out of order are sorted by the engine: insertion would take quadratic time. */
const LONG = 64;

/**
 * Sorts one stretch of parallel arrays by time, then by position. Positions must rise already, as they do after a
 * stable counting sort; since edits mostly arrive in the order they were made, little moves.
 */
export function sortByTime(positions: Int32Array, timesUs: Float64Array, start: number, end: number): void {
  if (end - start > LONG) sortLong(positions, timesUs, start, end);
  else insertionSort(positions, timesUs, start, end);
}

function insertionSort(positions: Int32Array, timesUs: Float64Array, start: number, end: number): void {
  for (let next = start + 1; next < end; next += 1) {
    const us = timesUs[next] ?? 0;
    if ((timesUs[next - 1] ?? 0) <= us) continue;
    const position = positions[next] ?? 0;
    let place = next;
    for (; place > start && (timesUs[place - 1] ?? 0) > us; place -= 1) {
      timesUs[place] = timesUs[place - 1] ?? 0;
      positions[place] = positions[place - 1] ?? 0;
    }
    timesUs[place] = us;
    positions[place] = position;
  }
}

function sortLong(positions: Int32Array, timesUs: Float64Array, start: number, end: number): void {
  const us = timesUs.slice(start, end);
  const own = positions.slice(start, end);
  const order = Uint32Array.from(us, (_, index) => index);
  order.sort((a, b) => (us[a] ?? 0) - (us[b] ?? 0) || a - b);
  order.forEach((from, index) => {
    timesUs[start + index] = us[from] ?? 0;
    positions[start + index] = own[from] ?? 0;
  });
}
