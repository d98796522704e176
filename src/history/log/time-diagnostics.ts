import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ProtocolError } from "../../core/errors.js";

/** Maximum number of ids in a diagnostic. */
export const MOST_IDS = 100;

/** Changes with irregular times. */
interface OddTimes {
  /** Number of times without a zone. */
  readonly zoneless: number;
  /** Number of times that were read as the start of the next second. */
  readonly rolledOver: number;
  /** Number of changes without a valid time. */
  readonly undated: number;
  /** Ids of these, at most as many as a diagnostic lists. */
  readonly undatedIds: readonly string[];
}

/** Diagnostics about the times of a log. */
export function timeDiagnostics({ zoneless, rolledOver, undated: count, undatedIds }: OddTimes): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  if (zoneless > 0) {
    const have = zoneless === 1 ? "change has" : "changes have";
    diagnostics.push(
      withSeverity({
        code: "timestamp-without-zone",
        message: `${zoneless} ${have} a time without a zone. Such times are read as UTC.`,
        count: zoneless,
      }),
    );
  }
  if (rolledOver > 0) {
    const were = rolledOver === 1 ? "change was" : "changes were";
    diagnostics.push(
      withSeverity({
        code: "timestamp-rolled-over",
        message: `${rolledOver} ${were} made at second 60 or at 24:00:00. Such times are read as the start of the next second.`,
        count: rolledOver,
      }),
    );
  }
  if (count > 0) {
    diagnostics.push(
      withSeverity({
        code: "timestamp-impossible",
        message: `${count} ${count === 1 ? "change has a time that does not exist and is" : "changes have times that do not exist and are"} excluded. Values without another change are unknown.`,
        count,
        facts: { change_ids: undatedIds },
      }),
    );
  }
  return diagnostics;
}

/**
 * Throws if there are changes without a valid time.
 *
 * @param ids ids of these changes
 * @param index index of the first among all changes
 */
export function refuseUndated([id]: readonly string[], index: number | undefined): void {
  if (id === undefined) return;
  throw new ProtocolError(
    `Property change ${id} has an invalid created_at: the time does not exist.`,
    index === undefined ? "$.data[].created_at" : `$.data[${index}].created_at`,
    {
      hint: "To exclude such changes and count them in a diagnostic, pass { strict: false }.",
      facts: { change_id: id },
    },
  );
}
