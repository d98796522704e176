import { rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { ArgumentError } from "../../core/errors.js";
import { generationPath } from "../format/generation-path.js";
import { refuseOutside } from "../format/own-paths.js";
import { pinnedFolder, pinnedPath } from "../format/pinned-path.js";
import { diskError } from "./disk-error.js";
import { lockFolder } from "./folder-lock.js";
import { listGenerations } from "./list-generations.js";
import { tidyFolder } from "./tidy-folder.js";
import { unfinishedPath } from "./unfinished.js";

/**
 * Removes the oldest states of a snapshot, and the files that only they have.
 *
 * @param keep states to keep, the present one among them
 * @returns the states that were removed
 */
export async function pruneGenerations(
  path: string,
  keep: number,
  now: () => Date = () => new Date(),
): Promise<readonly number[]> {
  if (!Number.isInteger(keep) || keep < 1) throw new ArgumentError(`keep takes an integer from 1, but got ${keep}.`);
  const root = resolve(path);
  const lock = await lockFolder(root, now);
  try {
    const removed = (await listGenerations(root)).slice(0, -keep).map(({ generation }) => generation);
    for (const generation of removed) {
      refuseOutside(root, pinnedFolder(generation));
      await removePinned(root, generation);
      await rm(generationPath(root, generation), { force: true });
    }
    await tidyFolder(root);
    return removed;
  } catch (error) {
    throw diskError(error, root, "do it again");
  } finally {
    await lock.release();
  }
}

/**
 * Removes the pinned folder of a state that still has its manifest, so that the next prune finds what this one leaves.
 * It goes at once: one that has lost some of its files would be taken for whole.
 */
async function removePinned(root: string, generation: number): Promise<void> {
  const unfinished = unfinishedPath(root);
  try {
    await rename(pinnedPath(root, generation), unfinished);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  await rm(unfinished, { recursive: true, force: true });
}
