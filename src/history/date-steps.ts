import type { PairCodes } from "./pair-codes.js";
import type { Timelines } from "./timelines.js";

const NEVER = 0x7fff_ffff;

/** Adds up steps at dates, which hold for all later ones. */
export interface Tally {
  /** A feature begins (`step` 1) or ceases (−1) to be of a kind at a date; the number of dates is beyond the last. */
  add(kind: number, date: number, step: number): void;
}

/**
 * Tells a tally where what features are begins and ends: one look at each change, however many dates.
 *
 * @param appearsAt first date that sees each feature; none sees a change of it before
 * @param kinds gives pairs of group and cell their codes
 */
export function tellSteps(
  appearsAt: Int32Array,
  groups: Timelines,
  cells: Timelines,
  kinds: PairCodes,
  tally: Tally,
): void {
  const { ends, changedAt, valueCodes, ofValue, before } = cells;
  const { ends: groupEnds, changedAt: groupChangedAt } = groups;
  let [place, groupPlace] = [0, 0];
  for (let row = 0; row < appearsAt.length; row += 1) {
    const end = (ends[row + 1] ?? 0) - (ends[0] ?? 0);
    const groupEnd = (groupEnds[row + 1] ?? 0) - (groupEnds[0] ?? 0);
    let cell = before[row] ?? 0;
    let group = groups.before[row] ?? 0;
    let kind = kinds.code(group, cell);
    tally.add(kind, appearsAt[row] ?? 0, 1);
    while (place < end || groupPlace < groupEnd) {
      const cellDate = place < end ? (changedAt[place] ?? 0) : NEVER;
      const groupDate = groupPlace < groupEnd ? (groupChangedAt[groupPlace] ?? 0) : NEVER;
      const date = Math.min(cellDate, groupDate);
      tally.add(kind, date, -1);
      if (cellDate === date) {
        cell = ofValue[valueCodes[place] ?? 0] ?? 0;
        place += 1;
      } else {
        group = groups.ofValue[groups.valueCodes[groupPlace] ?? 0] ?? 0;
        groupPlace += 1;
      }
      kind = kinds.code(group, cell);
      tally.add(kind, date, 1);
    }
  }
}
