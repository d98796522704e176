import { freeMemory } from "../../core/free-memory.js";
import { sortByTime } from "./sort-by-time.js";
import { isLater } from "./tie-rule.js";

/**
 * Positions of a log in valid order: by time, and by the tie rule. Edits mostly arrive in the order they were made: the
 * late ones are sorted by themselves and merged in.
 */
export function validOrder(timesUs: Float64Array): Int32Array {
  const { onTime, late } = splitLate(timesUs);
  if (late.length === 0) return onTime;
  const sorted = sortByTime(late, timesUs);
  const order = merge(onTime, sorted, timesUs);
  freeMemory(onTime);
  freeMemory(sorted);
  return order;
}

/** Positions that are later than all before them, and the others; both ascending. */
function splitLate(timesUs: Float64Array): { readonly onTime: Int32Array; readonly late: Int32Array } {
  const positions = new Int32Array(timesUs.length);
  let newest = 0;
  let onTime = 0;
  let firstLate = positions.length;
  for (let position = 0; position < timesUs.length; position += 1) {
    if (!isLater(timesUs, newest, position)) {
      newest = position;
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
    for (; next < onTime.length; next += 1) {
      const change = onTime[next] ?? 0;
      if (isLater(timesUs, change, lateChange)) break;
      order[next + nextLate] = change;
    }
    order[next + nextLate] = lateChange;
  }
  order.set(onTime.subarray(next), next + late.length);
  return order;
}
