import { SiteframeError, SnapshotError } from "../../core/errors.js";

const DISK = /ENOSPC|EDQUOT|EFBIG|EROFS|EACCES|EPERM|EIO|No space left|File too large|Could not write|Read-only/i;

/** A full disk or a folder that cannot be written, in one sentence. Other errors stay as they are. */
export function diskError(error: unknown, root: string): unknown {
  if (error instanceof SiteframeError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (!DISK.test(text)) return error;
  return new SnapshotError(`${root} cannot be written: ${text.split("\n", 1)[0]}.`, {
    cause: error,
    hint: "What stood there is untouched. Make room and pull again: it goes on where it stopped.",
    facts: { path: root },
  });
}
