import { ArgumentError } from "../../core/errors.js";
import { firstIndex } from "../../core/first-index.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import { resolveTimePoint, type TimePoint } from "../time/valid-time.js";
import type { ChangeLog } from "./change-log.js";

/**
 * Tells how many changes of a log were known at a point of insertion: a change id (inclusive), or a time where the ids say
 * when they were made. Those that were known stand before the others.
 *
 * @returns throws an `ArgumentError` for what is no such point, and for a time where ids do not say
 */
export function insertedBy({ ids }: Pick<ChangeLog, "ids">, timeZone: string): (point: TimePoint) => number {
  let isChecked = false;
  const checkIds = (point: TimePoint) => {
    for (let change = 0; change < ids.length && !isChecked; change += 1) {
      if (ids.timeMs(change) === undefined) throw noInsertionTime(point, ids.at(change));
    }
    isChecked = true;
  };
  return (point) => {
    if (typeof point === "string" && isUuid(point)) return ids.countUpTo(point);
    const ms = Math.floor(resolveTimePoint(point, timeZone) / 1000);
    checkIds(point);
    // Ids are ascending, and a UUIDv7 begins with its time.
    return firstIndex(ids.length, (change) => (ids.timeMs(change) ?? 0) <= ms);
  };
}

/** Why nobody can tell what was known at a time: a change does not say when it was inserted. */
export function noInsertionTime(point: TimePoint, id: string): ArgumentError {
  return new ArgumentError(
    `What was known at ${showValue(point)} cannot be told: change ${id} has no insertion time, since its id is no UUIDv7.`,
    { hint: "Give the id of the last change that was known.", facts: { change_id: id } },
  );
}
