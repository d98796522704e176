import { rowsOfDates, type SeenDates } from "../cell/present-rows.js";
import { type Codes, codeArray } from "../log/change-log.js";
import type { PairCodes } from "./group-codes.js";
import { placesOfDate, type Timelines } from "./timelines.js";

/** Receives the contents of features at dates, each valid until the next change. */
export interface DeltaSink {
  /** A feature of some kind appears at a date. The number of dates as index means after the last. */
  appear(kind: number, date: number): void;
  /** A feature changes from one kind to another at a date. */
  change(before: number, now: number, date: number): void;
  /** A feature of some kind is gone from a date on. */
  leave(kind: number, date: number): void;
}

/**
 * Reports the start and end of features' kinds to a tally, in a single pass over the changes in order of time, however
 * many dates there are.
 *
 * @param appearsAt first date that sees each feature; no change of it is before
 * @param leavesAt first date from which on each is gone
 * @param codes maps pairs of group and cell to codes
 */
export function sweepDates(
  { appearsAt, leavesAt }: SeenDates,
  groups: Timelines,
  cells: Timelines,
  codes: PairCodes,
  tally: DeltaSink,
): void {
  const kinds = codeArray(groups.count * cells.count, appearsAt.length);
  for (let row = 0; row < appearsAt.length; row += 1) {
    const kind = codes.code(groups.before[row] as number, cells.before[row] as number);
    kinds[row] = kind;
    tally.appear(kind, appearsAt[row] as number);
  }
  const leaving = leavesAt && rowsOfDates(leavesAt, cells.seen.length);
  const ofCell = (kind: number, cell: number) => codes.code(codes.first(kind), cell);
  const ofGroup = (kind: number, group: number) => codes.code(group, codes.second(kind));
  for (let date = 0; date < cells.seen.length; date += 1) {
    for (const row of leaving?.[date] ?? []) {
      if ((appearsAt[row] as number) < date) tally.leave(kinds[row] as number, date);
    }
    tallyChanges({ changes: cells, leavesAt }, date, kinds, ofCell, tally);
    tallyChanges({ changes: groups, leavesAt }, date, kinds, ofGroup, tally);
  }
}

/**
 * @param kinds kind of each feature, by row
 * @param changed returns the new kind of a feature of one kind that changes to a code
 */
function tallyChanges(
  { changes, leavesAt }: { readonly changes: Timelines } & Pick<SeenDates, "leavesAt">,
  date: number,
  kinds: Codes,
  changed: (kind: number, code: number) => number,
  tally: DeltaSink,
): void {
  const { rows, codes } = changes;
  const [start, end] = placesOfDate(changes, date);
  for (let place = start; place < end; place += 1) {
    const row = rows[place] as number;
    if (leavesAt && (leavesAt[row] as number) <= date) continue;
    const before = kinds[row] as number;
    const now = changed(before, codes[place] as number);
    if (now === before) continue;
    tally.change(before, now, date);
    kinds[row] = now;
  }
}
