import type { DateGrid } from "../../../time/date-grid.js";
import type { StoredDate } from "../../sql/cte/step-ctes.js";

/** The dates of a grid, each time once: what statements are about. */
export interface AskedDates {
  /** Ascending. Where none is asked for there is one all the same, of which nothing is asked: statements need one. */
  readonly datesUs: readonly number[];
  readonly isEmpty: boolean;
  /** As they were asked for. */
  readonly dates: readonly StoredDate[];
  /** Place among the grid's sorted dates of the first that a place among `datesUs` means; their number for one behind. */
  sortedPlace(place: number): number;
}

export function askedDates({ dates, sortedUs, rank }: DateGrid): AskedDates {
  const firsts = Array.from(sortedUs.keys()).filter((place) => place === 0 || sortedUs[place] !== sortedUs[place - 1]);
  const placeOf = new Map(firsts.map((sorted, place) => [sortedUs[sorted], place]));
  return {
    datesUs: firsts.length > 0 ? firsts.map((sorted) => sortedUs[sorted] as number) : [0],
    isEmpty: firsts.length === 0,
    dates: dates.map((date, asked) => ({
      text: date instanceof Date ? date.toISOString() : date,
      place: placeOf.get(sortedUs[rank[asked] as number]) ?? 0,
    })),
    sortedPlace: (place) => firsts[place] ?? sortedUs.length,
  };
}
