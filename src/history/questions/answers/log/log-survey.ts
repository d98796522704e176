import type { Engine } from "../../engine/engine.js";
import { surveyRows } from "../../sql/log-statements.js";
import type { Scope } from "../../sql/scope.js";
import { askAll } from "../ask/ask.js";

/** What the log of some features is made of. */
export interface LogSurvey {
  /** Keys of the changes, canonical, with how many of them have a time that exists and are known. */
  readonly datedByKey: ReadonlyMap<string, number>;
  /** Sites by whose parts the changes are kept. */
  readonly sites: readonly (number | null)[];
  /** Changes that name no time that exists. */
  readonly undated: number;
  /** First and last time, microseconds since 1970; 0 where there is none. */
  readonly firstUs: number;
  readonly lastUs: number;
}

/** Looks through the keys and times of a log. */
export async function surveyLog(engine: Engine, scope: Scope, signal: AbortSignal | undefined): Promise<LogSurvey> {
  const datedByKey = new Map<string, number>();
  const sites = new Set<number | null>();
  let [all, dated, firstUs, lastUs] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for await (const { rowCount, columns } of askAll({ engine, scope }, surveyRows, signal)) {
    const [siteIds, keys, counts, datedCounts, firsts, lasts] = columns;
    for (let index = 0; index < rowCount; index += 1) {
      const [site, key] = [siteIds?.[index], String(keys?.[index])];
      const known = Number(datedCounts?.[index]);
      sites.add(typeof site === "number" ? site : null);
      datedByKey.set(key, (datedByKey.get(key) ?? 0) + known);
      all += Number(counts?.[index]);
      dated += known;
      if (known === 0) continue;
      firstUs = Math.min(firstUs, Number(firsts?.[index]));
      lastUs = Math.max(lastUs, Number(lasts?.[index]));
    }
  }
  const times = dated > 0 ? { firstUs, lastUs } : { firstUs: 0, lastUs: 0 };
  return { datedByKey, sites: [...sites], undated: all - dated, ...times };
}
