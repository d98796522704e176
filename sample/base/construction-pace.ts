import { DAY, instant, weekday } from "./instant.js";
import { itemAt } from "./random.js";

/** Share of a summer day's work that gets done, by month: rain and frost in winter, holidays in August. */
const PACE = [0.25, 0.35, 0.7, 1, 1, 1, 1, 0.8, 1, 0.95, 0.6, 0.25];

/** The instant at which a share (0 to 1) of the work between two dates is done, slower in winter and not on Sundays. */
export function constructionPace(from: string, to: string): (share: number) => number {
  const start = instant(from);
  const days = Math.round((instant(to) - start) / DAY);
  const done = new Float64Array(days + 1);
  for (let day = 0; day < days; day++) {
    const at = start + day * DAY;
    const pace = itemAt(PACE, new Date(at / 1000).getUTCMonth());
    done[day + 1] = itemAt(done, day) + (weekday(at) === 6 ? 0 : pace);
  }
  const total = itemAt(done, days);
  return (share) => {
    const day = lastAtOrBelow(done, Math.min(1, Math.max(0, share)) * total);
    return start + day * DAY;
  };
}

/**
 * When a share of a project is reached, as a share of its time: crews build up over the first quarter and
 * leave over the last, which is what bends the curve to an S.
 */
export function ramped(share: number): number {
  const ramp = 0.25;
  const speed = 1 / (1 - ramp);
  const rampShare = (speed * ramp) / 2;
  if (share < rampShare) return Math.sqrt((2 * ramp * share) / speed);
  if (share > 1 - rampShare) return 1 - Math.sqrt((2 * ramp * Math.max(0, 1 - share)) / speed);
  return ramp / 2 + share / speed;
}

function lastAtOrBelow(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (itemAt(ascending, middle) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
