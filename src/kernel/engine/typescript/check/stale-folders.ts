import { createHash } from "node:crypto";
import { readdirSync, realpathSync, rmSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { REMOVE_FOLDER } from "../../../../core/busy-files.js";

/** Parent folder and name prefix of the folders for types. */
export function folderPrefix(): string {
  return join(realpathSync(tmpdir()), `${ownPrefix()}${process.pid}-`);
}

/** The owner of these folders: this user on this machine, or in this container. The process id follows. */
function ownPrefix(): string {
  const facts = `${hostname()} ${userInfo().username}`;
  return `siteframe-cells-${createHash("sha256").update(facts).digest("hex").slice(0, 8)}-`;
}

/** Removes the folders of processes that were killed. */
export function removeStaleFolders(): void {
  remove((pid) => !isAlive(pid));
}

/** Removes the folders of a process that has ended or is idle for good. */
export function removeFolders(pid: number): void {
  remove((owner) => owner === pid);
}

function remove(isStale: (pid: number) => boolean): void {
  const folder = realpathSync(tmpdir());
  const prefix = ownPrefix();
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix) || !isStale(Number.parseInt(name.slice(prefix.length), 10))) continue;
    removeFolder(join(folder, name));
  }
}

/** Removes a folder, or leaves it to the next kernel: on Windows, a recently ended compiler may still have it open. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, REMOVE_FOLDER);
  } catch {
    // The folder is small and never read again.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
