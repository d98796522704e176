import { formatInstant } from "../../core/format/format-date.js";
import { isUuid } from "../../core/uuid.js";
import { ChangeIndex } from "../index/change-index.js";
import { logPrefix } from "../log/change-log.js";
import { insertedBy } from "../log/inserted-by.js";
import {
  type PlainPoint,
  resolveTimeEnd,
  resolveTimePoint,
  type TimePoint,
  withoutTemporal,
} from "../time/valid-time.js";
import type { HistoryData } from "./history-data.js";
import { presence } from "./present-rows.js";

/**
 * The history if only the changes up to an insertion point were known.
 *
 * @param point a change id, or a time if the ids contain their insertion times
 */
export function knownAt(data: HistoryData, point: TimePoint): HistoryData {
  const { features, names, columnOfKey } = data;
  const log = logPrefix(data.log, insertedBy(data.log, data.timeZone)(point));
  const until = knownUntil(data, point);
  return {
    ...data,
    log,
    index: new ChangeIndex(log, features.count, names.length, columnOfKey),
    ...presence(features, log, lastKnownUs(until, data.timeZone)),
    knownUntil: until,
  };
}

/** The last microsecond of the known log; Infinity for the time of the reading. */
export function lastKnownUs(until: PlainPoint | undefined, timeZone: string): number {
  return until === undefined ? Number.POSITIVE_INFINITY : resolveTimePoint(until, timeZone);
}

/**
 * The time up to which edits are known at an insertion point: the time itself, or the time in a change id, if it has
 * one. Undefined for the time of the reading, the latest possible.
 */
export function knownUntil(
  { timeZone, readAtUs, knownUntil: before }: Pick<HistoryData, "timeZone" | "readAtUs" | "knownUntil">,
  given: TimePoint,
): PlainPoint | undefined {
  const point = insertionTime(given);
  if (point === undefined) return before;
  const latestUs = before === undefined ? readAtUs : resolveTimeEnd(before, timeZone);
  return resolveTimeEnd(point, timeZone) < latestUs ? point : before;
}

function insertionTime(given: TimePoint): PlainPoint | undefined {
  return typeof given === "string" && isUuid(given) ? endOfInsertion(given) : withoutTemporal(given);
}

/**
 * The last microsecond of the millisecond in which a UUIDv7 was created (RFC 9562, section 5.7). Other ids contain no
 * time.
 */
function endOfInsertion(id: string): string | undefined {
  if (!/^.{14}7.{4}[89ab]/i.test(id)) return undefined;
  return formatInstant(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) * 1000 + 999);
}
