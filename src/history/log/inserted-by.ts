import { ArgumentError } from "../../core/errors.js";
import { upperBound } from "../../core/first-index.js";
import { formatInstant } from "../../core/instant.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import { DateLocator } from "../time/date-grid.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";
import type { ChangeIds, ChangeLog } from "./change-log.js";

/**
 * Tells how many changes of a log were known at a point of insertion: a change id (inclusive), or a time where the ids say
 * when they were made, also as microseconds since 1970. Those that were known stand before the others.
 *
 * @returns throws an `ArgumentError` for what is no such point, and for a time where ids do not say
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

/** So many changes are looked through behind one that is found by its time. */
const BLOCK = 64;

/** When changes were inserted, milliseconds since 1970. Ids are ascending, and a UUIDv7 begins with its time. */
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

/** Why nobody can tell what was known at a time: a change does not say when it was inserted. */
export function noInsertionTime(point: TimePoint | number, id: string): ArgumentError {
  const asked = `What was known at ${showValue(typeof point === "number" ? formatInstant(point) : point)}`;
  return untold(asked, id, "Give the id of the last change that was known.");
}

/** Why nobody can tell what came in late. */
export function noEntryTime(id: string): ArgumentError {
  return untold(
    "What came in late",
    id,
    "lateEdits() tells by the order of ids which edits a newer one had overtaken.",
  );
}

/** @param otherwise what to ask instead of changes that have ids */
function untold(asked: string, id: string, otherwise: string): ArgumentError {
  if (!isUuid(id)) {
    return new ArgumentError(`${asked} cannot be told: the log does not say when its changes were recorded.`, {
      hint: "Give fromChanges() a `sequence` that is the time at which each was recorded.",
    });
  }
  return new ArgumentError(`${asked} cannot be told: change ${id} has no insertion time, since its id is no UUIDv7.`, {
    hint: otherwise,
    facts: { change_id: id },
  });
}
