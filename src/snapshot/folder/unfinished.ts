import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const PREFIX = ".unfinished-";

/** A new path in a snapshot folder for what is not complete yet. To be used by who holds the folder's lock. */
export function unfinishedPath(root: string): string {
  return join(root, `${PREFIX}${randomUUID()}`);
}

/** Removes what writers have left that were killed. To be called by who holds the folder's lock. */
export async function removeUnfinished(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(PREFIX)) await rm(join(root, name), { recursive: true, force: true });
  }
}
