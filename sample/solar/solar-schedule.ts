import type { Random } from "../../src/core/random.js";
import { constructionPace, ramped } from "../base/construction-pace.js";
import { DAY, dateText, HOUR, instant, startOfDay, weekday } from "../base/instant.js";
import type { ParkTable, SolarPark } from "../grounds/solar-park.js";
import { workMoment } from "../log/journal.js";

const IMPORTED = instant("2023-02-13T08:30:00Z");
const actual = constructionPace("2023-03-06", "2025-06-27");
const planned = constructionPace("2023-03-06", "2025-04-11");

/** When each part of the solar park is built: block by block, each step some weeks after the one before. */
export class SolarSchedule {
  readonly #blockCount: number;
  readonly #pace: (share: number) => number;

  private constructor(park: SolarPark, pace: (share: number) => number) {
    this.#blockCount = park.blocks.length;
    this.#pace = pace;
  }

  /** Actual dates. */
  static actual(park: SolarPark): SolarSchedule {
    return new SolarSchedule(park, actual);
  }

  /** Dates in the contract. */
  static baseline(park: SolarPark): SolarSchedule {
    return new SolarSchedule(park, planned);
  }

  /** The design of a block is imported in one go, before work begins. */
  designImported(block: number): number {
    return IMPORTED + block * HOUR;
  }

  trenchExcavated(block: number, share: number): number {
    return this.#date(block, share * 0.5, 0);
  }

  cableLaid(block: number, share: number): number {
    return this.#date(block, 0.4 + share * 0.5, 0.03);
  }

  backfilled(block: number, share: number): number {
    return this.#date(block, 0.6 + share * 0.4, 0.06);
  }

  piles({ block, share }: ParkTable): number {
    return this.#date(block, share, 0.04);
  }

  structure({ block, share }: ParkTable): number {
    return this.#date(block, share, 0.1);
  }

  modules({ block, share }: ParkTable): number {
    return this.#date(block, share, 0.16);
  }

  /** A block goes on the grid as a whole: one moment for all of its tables. */
  commissioned(block: number): number {
    return workingDay(this.#date(block, 1, 0.2) + 14 * DAY) + 10 * HOUR;
  }

  #date(block: number, share: number, step: number): number {
    return this.#pace(0.78 * ramped((block + share) / this.#blockCount) + step);
  }
}

/** A moment in the working hours of a day, or of the next working day of the park. */
export function parkMoment(random: Random, day: number): number {
  return workMoment(random, workingDay(day));
}

/** A day that a plan names, as an ISO date: that of an instant if the park works then, or the next. */
export function plannedDate(at: number): string {
  return dateText(workingDay(at));
}

/** The midnight of a working day of the park: of that day, or of the next. */
function workingDay(at: number): number {
  let day = startOfDay(at);
  while (weekday(day) > 4 || isHoliday(day)) day += DAY;
  return day;
}

const yearly = ["01-01", "01-06", "05-01", "08-15", "10-12", "11-01", "12-06", "12-08", "12-25"];
const goodFridays = ["2023-04-07", "2024-03-29", "2025-04-18", "2026-04-03"];

/** The holidays of the solar park, 2023 to 2026, without any work. */
const holidays: ReadonlySet<string> = new Set([
  ...["2023", "2024", "2025", "2026"].flatMap((year) => yearly.map((day) => `${year}-${day}`)),
  ...goodFridays,
]);

/** Whether the day of an instant is a holiday of the solar park. */
function isHoliday(at: number): boolean {
  return holidays.has(dateText(at));
}
