import { ProtocolError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";

/** Ids that a finding lists. */
export const MOST_IDS = 100;

/** Changes whose times are not as they should be. */
interface OddTimes {
  /** How many name no zone. */
  readonly zoneless: number;
  /** How many were read as the beginning of the next second. */
  readonly rolledOver: number;
  /** How many name no time that exists. */
  readonly undated: number;
  /** The ids of these, as many as a finding lists. */
  readonly undatedIds: readonly string[];
}

/** What a user should know of the times of a log. */
export function timeFindings({ zoneless, rolledOver, undated: count, undatedIds }: OddTimes): readonly Finding[] {
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
  if (count > 0) {
    findings.push({
      code: "impossible-timestamp",
      message: `${count} ${count === 1 ? "change names a time that does not exist and is" : "changes name times that do not exist and are"} left out; a value that no other change tells is unknown.`,
      count,
      facts: { change_ids: undatedIds },
    });
  }
  return findings;
}

/**
 * Throws if there are changes that name no time that exists.
 *
 * @param ids of theirs
 * @param place of the first among all changes
 */
export function refuseUndated([id]: readonly string[], place: number | undefined): void {
  if (id === undefined) return;
  throw new ProtocolError(
    `Property change ${id} has a created_at that names no time that exists.`,
    place === undefined ? "$.data[].created_at" : `$.data[${place}].created_at`,
    { hint: "With strict: false, such changes are left out and counted in a finding.", facts: { change_id: id } },
  );
}
