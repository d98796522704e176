import { readdirSync, readlinkSync } from "node:fs";

/** Whether this system lists the files that a process has open. */
export const listsOpenFiles = process.platform === "linux";

/** The files below a folder that this process has open, removed files included. Windows removes no open files. */
export function openFilesBelow(folder: string): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(`${folder}/`) ? [path] : [];
    } catch {
      // The descriptor that lists the folder is closed by now.
      return [];
    }
  });
}
