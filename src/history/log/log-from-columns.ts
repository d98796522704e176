import type { Finding } from "../../core/finding.js";
import type { ChangeColumns } from "../../tables/read/change-columns.js";
import type { ChangeLog } from "./change-log.js";
import { fillLog } from "./fill-log.js";
import { insertionOrder } from "./insertion-order.js";
import { logWithout } from "./log-without.js";
import { refuseUndated } from "./refuse-undated.js";
import { MOST_IDS, timeFindings } from "./time-findings.js";

/** A log and what was found while it was read. */
export interface LogReading {
  /** The changes whose time is known. */
  readonly log: ChangeLog;
  /**
   * Every change; the same object where all times are known. It says which cells were ever changed, and no more: a
   * change that names no time stands at the beginning of 1970.
   */
  readonly whole: ChangeLog;
  readonly findings: readonly Finding[];
}

/**
 * Puts changes into order of insertion, with one code for equal values.
 *
 * @param parts changes in any order; one that came twice counts once
 * @param rowOf row of a feature id; changes of other features are left out
 * @param strict whether a `created_at` that names no time that exists is an error; else its change is left out of the log
 * @throws ProtocolError naming the change, if strict
 */
export function logFromColumns(
  parts: readonly ChangeColumns[],
  rowOf: ReadonlyMap<number, number>,
  strict = true,
): LogReading {
  const filled = fillLog(parts, insertionOrder(parts, rowOf));
  const { log: whole } = filled;
  const undated = undatedChanges(whole);
  const undatedIds = Array.from(undated.subarray(0, MOST_IDS), (change) => whole.ids.at(change));
  if (strict) refuseUndated(undatedIds, undated[0]);
  const findings = timeFindings({ ...filled, undated: undated.length, undatedIds });
  return { log: undated.length === 0 ? whole : logWithout(whole, undated), whole, findings };
}

/** Positions of the changes that name no time, which then stand at the beginning of 1970. */
function undatedChanges({ timesUs }: ChangeLog): Int32Array {
  const undated: number[] = [];
  for (let change = 0; change < timesUs.length; change += 1) {
    if (!Number.isNaN(timesUs[change])) continue;
    undated.push(change);
    timesUs[change] = 0;
  }
  return Int32Array.from(undated);
}
