import { ChangeIndex } from "../index/change-index.js";
import { insertedBy } from "../log/inserted-by.js";
import { logPrefix } from "../log/log-prefix.js";
import type { TimePoint } from "../time/valid-time.js";
import type { HistoryData } from "./history-data.js";
import { presence } from "./present-rows.js";

/**
 * What a history would have said when only the changes up to an insertion point were known.
 *
 * @param point a change id, or a time where the ids tell when they were made
 */
export function knownAt(data: HistoryData, point: TimePoint): HistoryData {
  const { features, names, columnOfKey } = data;
  const log = logPrefix(data.log, insertedBy(data.log, data.timeZone)(point));
  return {
    ...data,
    log,
    index: new ChangeIndex(log, features.count, names.length, columnOfKey),
    ...presence(features.createdUs, log),
  };
}
