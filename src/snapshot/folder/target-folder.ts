import { relative } from "node:path";
import { SiteframeError, SnapshotError } from "../../core/errors.js";
import { diskReason, folderReason, makeFolder } from "../../core/make-folder.js";

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

/**
 * Returns a SnapshotError for a full disk or a folder without write access. Other errors stay the same.
 *
 * @param path of the folder that could not be written
 * @param again action to repeat after making room
 */
export function diskError(error: unknown, path: string, again: string): unknown {
  if (error instanceof SiteframeError || isOfReading(error, path)) return error;
  const reason = diskReason(error);
  if (!reason) return error;
  return new SnapshotError(`${path} cannot be written: ${reason.words}.`, {
    cause: error,
    hint: reason.needsRoom ? `Make room and ${again}.` : "Use a folder with write access.",
    facts: { path },
  });
}

/** Written data may be read from elsewhere. */
function isOfReading(error: unknown, path: string): boolean {
  const { syscall, path: at } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return syscall === "read" || (at !== undefined && relative(path, at).startsWith(".."));
}

/** Matches DuckDB's message. A database without large records never needs that much memory. */
const OUT_OF_MEMORY = /^Out of Memory Error|(?:allocate|pin) block of size/;

/**
 * Returns a SnapshotError for records that are too large for a database's memory. Other errors stay the same.
 *
 * @param path of the folder that could not be written
 * @param where available memory, and its purpose
 */
export function memoryError(error: unknown, path: string, where: string): unknown {
  if (!(error instanceof Error) || error instanceof SiteframeError || !OUT_OF_MEMORY.test(error.message)) return error;
  return new SnapshotError(`${path} cannot be written: records are too large for ${where}.`, {
    cause: error,
    hint: "Find values or geometries of several megabytes. The folder is unchanged.",
    facts: { path },
  });
}
