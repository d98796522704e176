import { resolve } from "node:path";
import type { Manifest } from "../format/manifest.js";
import { lockFolder } from "./folder-lock.js";
import { prepareFolder } from "./prepare-folder.js";
import { publish } from "./publish.js";

/** A snapshot folder whose lock is held. */
export interface LockedFolder {
  readonly root: string;
  /** The manifest of the state that stands there. */
  readonly previous: Manifest | undefined;
  /**
   * Makes a new state the present one.
   *
   * @param staged folder that holds the files that are new
   * @throws SnapshotError if another process has taken the lock meanwhile
   */
  publish(staged: string, manifest: Manifest): Promise<void>;
}

/**
 * Holds the lock of a snapshot folder while a new state is written to it.
 *
 * @param path of the folder, which is made if there is none
 * @throws SnapshotError naming who holds the lock, or if the folder is no snapshot or cannot be written
 */
export async function writeLocked<T>(
  path: string,
  now: () => Date,
  write: (folder: LockedFolder) => Promise<T>,
): Promise<T> {
  const root = resolve(path);
  await prepareFolder(root);
  const lock = await lockFolder(root, now);
  try {
    return await write({
      root,
      // Another writer may have been at it before the lock was taken.
      previous: await prepareFolder(root),
      async publish(staged, manifest) {
        await lock.check();
        await publish(root, staged, manifest);
      },
    });
  } finally {
    await lock.release();
  }
}
