import { SnapshotError } from "../../core/errors.js";

/**
 * Returns the error for a damaged file of a snapshot.
 *
 * @param path of the file
 * @param problem text after the file name: `is missing`
 */
export function damagedFile(path: string, problem: string, cause?: unknown): SnapshotError {
  return new SnapshotError(`${path} ${problem}.`, {
    cause,
    hint: "Run siteframe verify to find all damaged files, then restore the snapshot from a backup or write it again.",
    facts: { path },
  });
}
