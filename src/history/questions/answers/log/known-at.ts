import { isUuid } from "../../../../core/uuid.js";
import { knownUntil } from "../../../cell/known-at.js";
import { noInsertionTime } from "../../../log/inserted-by.js";
import { resolveTimePoint, type TimePoint } from "../../../time/valid-time.js";
import { timelessIds } from "../../sql/log-statements.js";
import { askAll } from "../ask/ask.js";
import { changesOf, type QuestionData } from "../ask/question-data.js";
import { Remembered } from "../ask/remembered.js";
import { surveyLog } from "./log-survey.js";

const LAST_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const UUID_MS = 2 ** 48;

/**
 * What questions would be answered from when only the changes up to an insertion point were known.
 *
 * @param point a change id, or a time where the ids tell when they were made
 */
export async function knownAt(
  data: QuestionData,
  point: TimePoint,
  signal: AbortSignal | undefined,
): Promise<QuestionData> {
  const { engine, features } = data;
  const limit = await lastKnown(data, point, signal);
  const before = data.scope.knownUpTo;
  const knownUpTo = before === undefined || limit < before ? limit : before;
  const scope = { ...data.scope, knownUpTo };
  const { datedByKey } =
    features.count > 0 ? await surveyLog(engine, scope, signal) : { datedByKey: new Map<string, number>() };
  const extent = { ...data.extent, changeCount: changesOf(scope, datedByKey) };
  return { ...data, scope, extent, presence: new Remembered(), knownUntil: knownUntil(data, point) };
}

/** Id of the last change that was known; no text is below the empty one. */
async function lastKnown(data: QuestionData, point: TimePoint, signal: AbortSignal | undefined): Promise<string> {
  if (typeof point === "string" && isUuid(point)) return point.toLowerCase();
  const ms = Math.floor(resolveTimePoint(point, data.timeZone) / 1000);
  if (data.features.count > 0) {
    for await (const { columns } of askAll(data, timelessIds, signal)) {
      const id = columns[0]?.[0];
      if (typeof id === "string") throw noInsertionTime(point, id);
    }
  }
  if (ms < 0) return "";
  if (ms >= UUID_MS) return LAST_UUID;
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}${LAST_UUID.slice(13)}`;
}
