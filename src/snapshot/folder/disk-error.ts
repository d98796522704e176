import { relative } from "node:path";
import { diskReason } from "../../core/disk-reason.js";
import { SiteframeError, SnapshotError } from "../../core/errors.js";

/**
 * A full disk or a folder that cannot be written, in one sentence. Other errors stay as they are.
 *
 * @param path of the folder that was to be written
 * @param again what to do when there is room
 */
export function diskError(error: unknown, path: string, again: string): unknown {
  if (error instanceof SiteframeError || isOfReading(error, path)) return error;
  const reason = diskReason(error);
  if (!reason) return error;
  return new SnapshotError(`${path} cannot be written: ${reason.words}.`, {
    cause: error,
    hint: reason.needsRoom ? `Make room and ${again}.` : "Give a folder that can be written.",
    facts: { path },
  });
}

/** What is written may be read from elsewhere. */
function isOfReading(error: unknown, path: string): boolean {
  const { syscall, path: at } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return syscall === "read" || (at !== undefined && relative(path, at).startsWith(".."));
}

/** DuckDB's own words. A database in which no large record is never needs so much. */
const OUT_OF_MEMORY = /^Out of Memory Error|(?:allocate|pin) block of size/;

/**
 * Records that are too large for the memory that a database has. Other errors stay as they are.
 *
 * @param path of the folder that was to be written
 * @param where how much memory there is, and for what
 */
export function memoryError(error: unknown, path: string, where: string): unknown {
  if (!(error instanceof Error) || error instanceof SiteframeError || !OUT_OF_MEMORY.test(error.message)) return error;
  return new SnapshotError(`Records are too large to be stored in ${path}: ${where}.`, {
    cause: error,
    hint: "Look for values and geometries of several megabytes; what stood in the folder is untouched.",
    facts: { path },
  });
}
