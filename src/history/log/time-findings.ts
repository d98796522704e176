import type { Finding } from "../../core/finding.js";
import type { FilledLog } from "./fill-log.js";

/** Ids that a finding lists. */
const MOST_IDS = 100;

/**
 * What a user should know of the times of a log.
 *
 * @param undated positions of the changes that name no time that exists
 */
export function timeFindings({ log, zoneless, rolledOver }: FilledLog, undated: Int32Array): readonly Finding[] {
  const findings: Finding[] = [];
  if (zoneless > 0) {
    const name = zoneless === 1 ? "change names" : "changes name";
    findings.push({
      code: "zoneless-timestamp",
      message: `${zoneless} ${name} no time zone; their times were read as UTC.`,
      count: zoneless,
    });
  }
  if (rolledOver > 0) {
    const were = rolledOver === 1 ? "change was" : "changes were";
    findings.push({
      code: "rolled-over-timestamp",
      message: `${rolledOver} ${were} made at a second 60 or at 24:00:00; their times were read as the beginning of the next second.`,
      count: rolledOver,
    });
  }
  const count = undated.length;
  if (count > 0) {
    findings.push({
      code: "impossible-timestamp",
      message: `${count} ${count === 1 ? "change names a time that does not exist and is" : "changes name times that do not exist and are"} left out; a value that no other change tells is unknown.`,
      count,
      facts: { change_ids: Array.from(undated.subarray(0, MOST_IDS), (change) => log.ids.at(change)) },
    });
  }
  return findings;
}
