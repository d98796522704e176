import { SnapshotError } from "../../core/errors.js";
import { folderReason, makeFolder } from "../../core/make-folder.js";
import { diskError } from "./disk-error.js";

/**
 * Makes the folder that will be written to, and those above it.
 *
 * @param mode of the folders that are made
 * @returns the first folder that was made; undefined if all existed
 * @throws SnapshotError with the path and the reason
 */
export async function makeTargetFolder(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await makeFolder(path, mode);
  } catch (cause) {
    const told = diskError(cause, path, "do it again");
    if (told !== cause) throw told;
    throw new SnapshotError(`${path} cannot be written: ${folderReason(cause)}.`, {
      cause,
      hint: "Give the path of a folder, or of a folder that does not exist yet.",
      facts: { path },
    });
  }
}
