import { SnapshotError } from "../../core/errors.js";
import { folderReason, makeFolder } from "../../core/make-folder.js";
import { diskError } from "./disk-error.js";

/**
 * Creates the target folder and its parents.
 *
 * @param mode of the created folders
 * @returns the first created folder; undefined if all existed
 * @throws SnapshotError with the path and the reason
 */
export async function makeTargetFolder(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await makeFolder(path, mode);
  } catch (cause) {
    const translated = diskError(cause, path, "try again");
    if (translated !== cause) throw translated;
    throw new SnapshotError(`${path} cannot be written: ${folderReason(cause)}.`, {
      cause,
      hint: "Pass the path of an existing or new folder.",
      facts: { path },
    });
  }
}
