import { firstIndex } from "../../core/first-index.js";
import { US_PER_DAY } from "../../core/instant.js";
import { intervalsOf } from "../cell/cell-intervals.js";
import { cellValue, UNCHANGED } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { setOfValue } from "../cell/value-sets.js";
import type { TimeLimit } from "../time/valid-time.js";
import type { WorkingCalendar } from "../time/working-calendar.js";
import { NANO_PER_DAY } from "../time/working-ledger.js";

const US_PER_WEEK = 7 * US_PER_DAY;

/** How many features there were and how many of them were done, by time. */
export interface DoneCounts {
  /** Features that are done at a time, microseconds since 1970: what was done at that very time counts. */
  done(us: number): number;
  /** Features that are there at a time. */
  present(us: number): number;
  /** When so many were done for the first time; Infinity if they never were. */
  reached(count: number): number;
  /** First change of the column; Infinity if there is none. */
  readonly firstUs: number;
}

/** Counts the features whose value in a column is one of some; unknown is not done. */
export function doneCounts(data: HistoryData, column: number, done: readonly unknown[]): DoneCounts {
  const { index, log } = data;
  const setOf = setOfValue({ done });
  const isDone = Uint8Array.from(log.values, (value) => Number(setOf(value) === 0));
  const spans = intervalsOf(data, column);
  const [began, ended]: [number[], number[]] = [[], []];
  for (let span = 0; span < spans.length; span += 1) {
    const decision = spans.decisions[span] as number;
    const counts =
      decision >= 0
        ? isDone[index.valueCodes[decision] as number] === 1
        : setOf(cellValue(data, spans.rows[span] as number, column, decision)) === 0 && decision === UNCHANGED;
    if (!counts) continue;
    began.push(spans.fromUs[span] as number);
    ended.push(spans.toUs[span] as number);
  }
  const upTo = (times: readonly number[]) => {
    const sorted = Float64Array.from(times).sort();
    return (us: number) => firstIndex(sorted.length, (place) => (sorted[place] as number) <= us);
  };
  const [beganBy, endedBy, present] = [upTo(began), upTo(ended), upTo([...data.presentFromUs])];
  const [first = -1] = index.changesOf(column);
  return {
    done: (us) => beganBy(us) - endedBy(us),
    present,
    reached: (count) => firstReached(began, ended, count),
    firstUs: first < 0 ? Number.POSITIVE_INFINITY : (log.timesUs[first] as number),
  };
}

function firstReached(began: readonly number[], ended: readonly number[], count: number): number {
  const steps = [...began.map((us) => ({ us, step: 1 })), ...ended.map((us) => ({ us, step: -1 }))];
  steps.sort((a, b) => a.us - b.us);
  let done = 0;
  for (let place = 0; place < steps.length; place += 1) {
    done += steps[place]?.step ?? 0;
    const us = steps[place]?.us ?? 0;
    // What happens at one time counts together.
    if (done >= count && steps[place + 1]?.us !== us) return us;
  }
  return Number.POSITIVE_INFINITY;
}

/** What a week is. */
export interface WeekUnit {
  /** Weeks from one time to a later one. */
  between(fromUs: number, toUs: number): number;
  /** The time so many weeks later; earlier for less than 0. */
  after(us: number, weeks: number): number;
}

/** Weeks of seven days of 24 hours, or as many working days as a week without holidays has. */
export function weekUnit(working: WorkingCalendar | undefined): WeekUnit {
  if (!working) {
    return {
      between: (fromUs, toUs) => (toUs - fromUs) / US_PER_WEEK,
      after: (us, weeks) => us + weeks * US_PER_WEEK,
    };
  }
  const nano = working.daysPerWeek * NANO_PER_DAY;
  return {
    between: (fromUs, toUs) => working.workedNano(fromUs, toUs) / nano,
    after: (us, weeks) => working.usAfter(us, weeks * nano),
  };
}

/** The weeks of a log, oldest first: by how many more features were done at the end of each than at its beginning. */
export function weeklyThroughput(
  counts: DoneCounts,
  { lastUs, endUs }: TimeLimit,
  most: number,
  unit: WeekUnit,
): readonly number[] {
  const whole = Math.floor(unit.between(counts.firstUs, endUs));
  const weeks = Math.max(0, Math.min(whole, most));
  const at = Array.from({ length: weeks + 1 }, (_, week) =>
    counts.done(unit.after(endUs, week - weeks) - (endUs - lastUs)),
  );
  return at.slice(1).map((done, week) => done - (at[week] as number));
}
