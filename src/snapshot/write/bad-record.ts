import type { ResourceName } from "../../api/resources.js";
import { SnapshotError } from "../../core/errors.js";

/** A record that cannot be stored, and where it stands. */
export interface BadRecord {
  readonly resource: ResourceName;
  /** File, or name of the table, that holds it. */
  readonly place: string;
  /** Line in the file, or position in the table, from 1. */
  readonly line: number;
  readonly reason: string;
}

/** The error that a bad record is, unless it may be skipped. */
export function badRecordError(bad: BadRecord): SnapshotError {
  return new SnapshotError(`${bad.place}:${bad.line}: ${bad.reason}.`, {
    hint: "Correct it, or skip bad records (skipBad, --skip-bad).",
    facts: { ...bad },
  });
}
