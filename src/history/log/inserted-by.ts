import { upperBound } from "../../core/binary-search.js";
import { ArgumentError } from "../../core/errors.js";
import { formatInstant } from "../../core/format/format-date.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import { DateLocator } from "../time/date-grid.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";
import type { ChangeIds, ChangeLog } from "./change-log.js";

/**
 * Returns a function for the number of changes known at an insertion point: a change id (inclusive), or a time if the
 * ids contain their insertion times, also as microseconds since 1970. Known changes come before the others.
 *
 * @returns a function that throws an `ArgumentError` for an invalid point, and for a time if ids contain none
 */
export function insertedBy({ ids }: Pick<ChangeLog, "ids">, timeZone: string): (point: TimePoint | number) => number {
  let times: InsertionTimes | undefined;
  return (point) => {
    if (typeof point === "string" && isUuid(point)) return ids.countUpTo(point);
    const us = typeof point === "number" ? point : resolveTimePoint(point, timeZone);
    times ??= new InsertionTimes(ids, point);
    return times.countUpTo(Math.floor(us / 1000));
  };
}

/** Number of changes that are scanned after the binary search by time. */
const BLOCK = 64;

/** Insertion times of changes, in milliseconds since 1970. Ids are ascending, and a UUIDv7 begins with its time. */
class InsertionTimes {
  readonly #ms: Float64Array;
  /** Finds the first whole block that ends at or after a time. */
  readonly #blocks: DateLocator;

  constructor(ids: ChangeIds, point: TimePoint | number) {
    this.#ms = new Float64Array(ids.length);
    for (let change = 0; change < ids.length; change += 1) {
      const ms = ids.timeMs(change);
      if (ms === undefined) throw noInsertionTime(point, ids.at(change));
      this.#ms[change] = ms;
    }
    const ends = new Float64Array(Math.floor(ids.length / BLOCK));
    for (let block = 0; block < ends.length; block += 1) ends[block] = this.#ms[BLOCK * (block + 1) - 1] as number;
    this.#blocks = new DateLocator(ends);
  }

  countUpTo(ms: number): number {
    const start = BLOCK * this.#blocks.locate(ms + 1);
    return upperBound(this.#ms, ms, start, Math.min(start + BLOCK, this.#ms.length));
  }
}

/** The error for a time of insertion that cannot be resolved: the id of a change contains no time. */
export function noInsertionTime(point: TimePoint | number, id: string): ArgumentError {
  const subject = `What was known at ${showValue(typeof point === "number" ? formatInstant(point) : point)}`;
  return untold(subject, id, "Pass the id of the last change that was known: knownAt(id).");
}

/** The error for late entries that cannot be found: no id contains a time. */
export function noEntryTime(id: string): ArgumentError {
  return untold(
    "lateEntries(): the time of recording",
    id,
    "Use lateEdits() for edits that were superseded on arrival: it needs only the order of ids.",
  );
}

/** @param otherwise what to use instead of the ids of changes */
function untold(subject: string, id: string, otherwise: string): ArgumentError {
  if (!isUuid(id)) {
    return new ArgumentError(`${subject} is unknown: the log has no times of recording.`, {
      hint: "Pass fromChanges() a `sequence` with the time at which each change was recorded.",
    });
  }
  return new ArgumentError(`${subject} is unknown: the id of change ${id} is not a UUIDv7 and has no insertion time.`, {
    hint: otherwise,
    facts: { change_id: id },
  });
}
