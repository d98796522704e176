import { rename, rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

/**
 * Options of `rm()` and `rmSync()` for folders. On Windows, virus scanners and search indexers open new files for a moment,
 * during which they cannot be removed or renamed.
 */
export const REMOVE_FOLDER = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 } as const;

/** Errors of Windows for a file that another program has open. */
const BUSY = ["EACCES", "EBUSY", "EPERM"];
const WAITS_MS = [10, 20, 50, 100, 200, 400, 800];

/** Removes a file, if there is one. On Windows, waits while another program has it open. */
export function removeFile(path: string): Promise<void> {
  // Without `recursive`, Node does not retry itself.
  return whileBusy(() => rm(path, { force: true }));
}

/** Renames a file or a folder and replaces a file of that name. On Windows, waits while another program has it open. */
export function renamePath(from: string, to: string): Promise<void> {
  return whileBusy(() => rename(from, to));
}

/** Runs `work` again while it fails because another program has a file open, for at most 1.6 seconds. */
export async function whileBusy<T>(work: () => Promise<T>, platform: NodeJS.Platform = process.platform): Promise<T> {
  const waits = platform === "win32" ? [...WAITS_MS] : [];
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const wait = waits.shift();
      if (wait === undefined || !BUSY.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
      await setTimeout(wait);
    }
  }
}
