import { ArgumentError } from "../core/errors.js";
import { showValue } from "../core/show-value.js";
import { isUuid } from "../core/uuid.js";
import type { HistoryData } from "./cell/history-data.js";
import { presence } from "./cell/present-rows.js";
import { ChangeIndex } from "./index/change-index.js";
import type { ChangeLog } from "./log/change-log.js";
import { logPrefix } from "./log/log-prefix.js";
import { resolveTimePoint, type TimePoint } from "./time/valid-time.js";

/**
 * What a history would have said when only the changes up to an insertion point were known.
 *
 * @param point a change id, or a time where the ids tell when they were made
 */
export function knownAt(data: HistoryData, point: TimePoint): HistoryData {
  const { features, names, columnOfKey } = data;
  const log = logPrefix(data.log, insertedBy(data.log, point, data.timeZone));
  return {
    ...data,
    log,
    index: new ChangeIndex(log, features.count, names.length, columnOfKey),
    ...presence(features.createdUs, log),
  };
}

function insertedBy({ ids }: ChangeLog, point: TimePoint, timeZone: string): number {
  if (typeof point === "string" && isUuid(point)) return ids.countUpTo(point);
  const ms = Math.floor(resolveTimePoint(point, timeZone) / 1000);
  let count = 0;
  for (let change = 0; change < ids.length; change += 1) {
    const insertedMs = ids.timeMs(change);
    if (insertedMs === undefined) throw noInsertionTime(point, ids.at(change));
    if (insertedMs <= ms) count += 1;
  }
  return count;
}

/** Why nobody can tell what was known at a time: a change does not say when it was inserted. */
export function noInsertionTime(point: TimePoint, id: string): ArgumentError {
  return new ArgumentError(
    `What was known at ${showValue(point)} cannot be told: change ${id} has no insertion time, since its id is no UUIDv7.`,
    { hint: "Give the id of the last change that was known.", facts: { change_id: id } },
  );
}
