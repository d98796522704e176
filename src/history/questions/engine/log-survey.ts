import { isUuid } from "../../../core/uuid.js";
import { knownUntil, lastKnownUs } from "../../cell/known-at.js";
import { type Presence, presence } from "../../cell/present-rows.js";
import { noInsertionTime } from "../../log/inserted-by.js";
import { MOST_IDS, refuseUndated } from "../../log/time-diagnostics.js";
import { resolveTimePoint, type TimePoint } from "../../time/valid-time.js";
import { readRows } from "../rows/read-rows.js";
import type { SqlExpression } from "../sql/dialect/literals.js";
import { earlyRows, oddTimes, surveyRows, timelessIds, undatedRows } from "../sql/log-statements.js";
import type { Scope } from "../sql/statement-scope.js";
import type { Engine } from "./engine.js";
import { changesOf, type QuestionData, queryAll, Remembered, requireColumns } from "./query-in-batches.js";

/** Summary of the log of some features. */
interface LogSurvey {
  /** Canonical keys of the changes, with the number of known changes that have a valid time. */
  readonly datedByKey: ReadonlyMap<string, number>;
  /** Sites of the partitions that contain the changes. */
  readonly sites: readonly (number | null)[];
  /** Number of changes without a valid time. */
  readonly undated: number;
  /** First and last time, in microseconds since 1970; 0 without times. */
  readonly firstUs: number;
  readonly lastUs: number;
}

/** Reads the keys and times of a log. */
export async function surveyLog(engine: Engine, scope: Scope, signal: AbortSignal | undefined): Promise<LogSurvey> {
  const datedByKey = new Map<string, number>();
  const sites = new Set<number | null>();
  let [all, dated, firstUs, lastUs] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for await (const { rowCount, columns } of queryAll({ engine, scope }, surveyRows, signal)) {
    const [siteIds, keys, counts, datedCounts, firsts, lasts] = requireColumns(columns, 6);
    for (let index = 0; index < rowCount; index += 1) {
      const [site, key] = [siteIds[index], String(keys[index])];
      const datedCount = Number(datedCounts[index]);
      sites.add(typeof site === "number" ? site : null);
      datedByKey.set(key, (datedByKey.get(key) ?? 0) + datedCount);
      all += Number(counts[index]);
      dated += datedCount;
      if (datedCount === 0) continue;
      firstUs = Math.min(firstUs, Number(firsts[index]));
      lastUs = Math.max(lastUs, Number(lasts[index]));
    }
  }
  const times = dated > 0 ? { firstUs, lastUs } : { firstUs: 0, lastUs: 0 };
  return { datedByKey, sites: [...sites], undated: all - dated, ...times };
}

/** The times from which the features exist, determined with the first question that needs them. */
export function presenceOf(data: QuestionData, signal: AbortSignal | undefined): Promise<Presence> {
  return data.presence.get(async () => {
    const { length, f, us } = await readRows(
      data,
      { f: "feature", us: "number" } as const,
      queryAll(data, earlyRows, signal),
    );
    const rows = Array.from({ length }, (_, row) => row);
    const early = { rows: Int32Array.from(rows, f), timesUs: Float64Array.from(rows, us), length };
    return presence(data.features, early, lastKnownUs(data.knownUntil, data.timeZone));
  });
}

/** The number of times without a zone, and of times that were read as the start of the next second. */
export async function askOddTimes(
  data: QuestionData,
): Promise<{ readonly zoneless: number; readonly rolledOver: number }> {
  let [zoneless, rolledOver] = [0, 0];
  for await (const { columns } of queryAll(data, oddTimes, undefined)) {
    const [zonelessCounts, rolledCounts] = requireColumns(columns, 2);
    zoneless += Number(zonelessCounts[0]);
    rolledOver += Number(rolledCounts[0]);
  }
  return { zoneless, rolledOver };
}

/**
 * Ids of the changes without a valid time, at most as many as a diagnostic lists.
 *
 * @param strict whether such changes are an error
 * @throws ProtocolError with the first one, if strict
 */
export async function undatedIds(
  engine: Engine,
  scope: Scope,
  strict: boolean,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { columns } of queryAll({ engine, scope }, (part) => undatedRows(part, MOST_IDS), signal)) {
    const [changeIds] = requireColumns(columns, 1);
    for (const id of Array.from(changeIds)) ids.push(String(id));
  }
  if (strict) refuseUndated(ids, undefined);
  return ids;
}

const LAST_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const UUID_MS = 2 ** 48;

/**
 * The data of questions if only the changes up to an insertion point were known.
 *
 * @param point a change id, or a time if the ids contain their insertion times
 */
export async function knownAt(
  data: QuestionData,
  point: TimePoint,
  signal: AbortSignal | undefined,
): Promise<QuestionData> {
  const { engine, features } = data;
  const limit = await lastKnown(data, point, signal);
  const before = data.scope.knownUpTo;
  const knownUpTo = typeof before === "string" && before <= limit ? before : limit;
  const until = knownUntil(data, point);
  const lastUs = lastKnownUs(until, data.timeZone);
  const scope = { ...data.scope, knownUpTo, lastKnownUs: lastUs < Number.POSITIVE_INFINITY ? lastUs : undefined };
  const { datedByKey } =
    features.count > 0 ? await surveyLog(engine, scope, signal) : { datedByKey: new Map<string, number>() };
  const extent = { ...data.extent, changeCount: changesOf(scope, datedByKey) };
  return { ...data, scope, extent, presence: new Remembered(), knownUntil: until };
}

/** Id of the last known change, or the empty string, which is before all ids. */
async function lastKnown(data: QuestionData, point: TimePoint, signal: AbortSignal | undefined): Promise<string> {
  if (typeof point === "string" && isUuid(point)) return point.toLowerCase();
  const ms = Math.floor(resolveTimePoint(point, data.timeZone) / 1000);
  if (data.features.count > 0) {
    for await (const { columns } of queryAll(data, timelessIds, signal)) {
      const id = requireColumns(columns, 1)[0][0];
      if (typeof id === "string") throw noInsertionTime(point, id);
    }
  }
  if (ms < 0) return "";
  if (ms >= UUID_MS) return LAST_UUID;
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}${LAST_UUID.slice(13)}`;
}

/**
 * The same as a DuckDB expression: the id of the last change that was known at a time.
 *
 * @param us last microsecond of the time
 */
export function lastKnownAt(us: SqlExpression): SqlExpression {
  const ms = `CAST(floor((${us.sql}) / 1000) AS BIGINT)`;
  const hex = `format('{:012x}', ${ms})`;
  return {
    sql: `CASE WHEN ${ms} < 0 THEN '' WHEN ${ms} >= ${UUID_MS} THEN '${LAST_UUID}'
    ELSE concat(substr(${hex}, 1, 8), '-', substr(${hex}, 9), '${LAST_UUID.slice(13)}') END`,
  };
}
