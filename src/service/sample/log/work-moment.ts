import { DAY, HOUR, startOfDay, weekday } from "../base/instant.js";
import type { Random } from "../base/random.js";

/** A moment in the working hours of a day, or of the next Monday if the day is on a weekend; by a device's millisecond clock. */
export function workMoment(random: Random, day: number): number {
  const midnight = startOfDay(day);
  const weekend = Math.max(0, weekday(midnight) - 4);
  const monday = weekend === 0 ? 0 : 3 - weekend;
  return midnight + monday * DAY + Math.floor(random.between(6 * HOUR, 16 * HOUR) / 1000) * 1000;
}
