import { sortByTime } from "./sort-by-time.js";

/**
 * Positions of a log in valid order: by time, then by position. Edits mostly arrive in the order they were made: the
 * late ones are sorted by themselves and merged in.
 */
export function validOrder(timesUs: Float64Array): Int32Array {
  const { onTime, late } = splitLate(timesUs);
  return merge(onTime, sortByTime(late, timesUs), timesUs);
}

/** Positions that are not before any earlier one in time, and the others; both ascending. */
function splitLate(timesUs: Float64Array): { readonly onTime: Int32Array; readonly late: Int32Array } {
  const positions = new Int32Array(timesUs.length);
  let newestUs = Number.NEGATIVE_INFINITY;
  let onTime = 0;
  let firstLate = positions.length;
  for (let position = 0; position < timesUs.length; position += 1) {
    const us = timesUs[position] ?? 0;
    if (us >= newestUs) {
      newestUs = us;
      positions[onTime] = position;
      onTime += 1;
    } else {
      firstLate -= 1;
      positions[firstLate] = position;
    }
  }
  return { onTime: positions.subarray(0, onTime), late: positions.subarray(firstLate).reverse() };
}

/** Merges the positions that are on time with the others, both in valid order. */
function merge(onTime: Int32Array, late: Int32Array, timesUs: Float64Array): Int32Array {
  const order = new Int32Array(onTime.length + late.length);
  let next = 0;
  for (let nextLate = 0; nextLate < late.length; nextLate += 1) {
    const lateChange = late[nextLate] ?? 0;
    const lateUs = timesUs[lateChange] ?? 0;
    for (; next < onTime.length; next += 1) {
      const change = onTime[next] ?? 0;
      // At the same time the late one comes after: it was overtaken, so what is on time and later in the log is later.
      if ((timesUs[change] ?? 0) > lateUs) break;
      order[next + nextLate] = change;
    }
    order[next + nextLate] = lateChange;
  }
  order.set(onTime.subarray(next), next + late.length);
  return order;
}
