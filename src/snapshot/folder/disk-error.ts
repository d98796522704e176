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
