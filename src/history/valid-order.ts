/**
 * Positions of a log in valid order: by time, then by position. Edits mostly arrive in the order they were made: the
 * late ones are sorted by themselves and merged in.
 */
export function validOrder(timesUs: Float64Array): Int32Array {
  const { onTime, late } = splitLate(timesUs);
  late.sort((a, b) => (timesUs[a] ?? 0) - (timesUs[b] ?? 0) || a - b);
  const order = new Int32Array(timesUs.length);
  let [next, nextLate] = [0, 0];
  for (let place = 0; place < order.length; place += 1) {
    const [change, lateChange] = [onTime[next], late[nextLate]];
    if (lateChange === undefined || (change !== undefined && isBefore(timesUs, change, lateChange))) {
      order[place] = change ?? 0;
      next += 1;
    } else {
      order[place] = lateChange;
      nextLate += 1;
    }
  }
  return order;
}

function splitLate(timesUs: Float64Array): { readonly onTime: Int32Array; readonly late: Int32Array } {
  const positions = new Int32Array(timesUs.length);
  let newestUs = Number.NEGATIVE_INFINITY;
  let onTime = 0;
  let firstLate = positions.length;
  timesUs.forEach((us, position) => {
    if (us >= newestUs) {
      newestUs = us;
      positions[onTime] = position;
      onTime += 1;
    } else {
      firstLate -= 1;
      positions[firstLate] = position;
    }
  });
  return { onTime: positions.subarray(0, onTime), late: positions.subarray(firstLate) };
}

function isBefore(timesUs: Float64Array, a: number, b: number): boolean {
  const difference = (timesUs[a] ?? 0) - (timesUs[b] ?? 0);
  return difference === 0 ? a < b : difference < 0;
}
