import { SnapshotError } from "../../core/errors.js";

/**
 * The error of a file of a snapshot that cannot be used as it is.
 *
 * @param path of the file
 * @param problem after the file's name: `is missing`
 */
export function damagedFile(path: string, problem: string, cause?: unknown): SnapshotError {
  return new SnapshotError(`${path} ${problem}.`, {
    cause,
    hint: "See with siteframe verify what else is damaged, then restore the snapshot from a copy, or write it again.",
    facts: { path },
  });
}
