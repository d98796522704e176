import { readdirSync, readlinkSync } from "node:fs";

/** Whether this system lists the open files of a process. */
export const listsOpenFiles = process.platform === "linux";

/** Open files of this process below a folder, including removed files. Windows does not remove open files. */
export function openFilesBelow(folder: string): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(`${folder}/`) ? [path] : [];
    } catch {
      // The descriptor of this listing is already closed.
      return [];
    }
  });
}
