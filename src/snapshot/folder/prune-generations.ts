import { readdir, rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { REMOVE_FOLDER, removeFile, renamePath } from "../../core/busy-files.js";
import { ArgumentError } from "../../core/errors.js";
import { FILES, LAKE_NAME, type Manifest, storedFiles } from "../format/manifest.js";
import {
  fileBytes,
  generationPath,
  isStoredPath,
  pinnedFolder,
  pinnedPath,
  refuseOutside,
  unfinishedPath,
} from "../format/snapshot-paths.js";
import { lockFolder } from "./folder-lock.js";
import { listGenerations } from "./manifest-file.js";
import { diskError } from "./target-folder.js";

/** Time for readers to open the listed files of a generation after the next one was written. */
const READERS_MS = 24 * 3_600_000;

/** Removed and kept generations of a prune. */
export interface PrunedGenerations {
  readonly removed: readonly number[];
  /** Generations beyond `keep` that were the newest within the last 24 hours, so they may still be read. */
  readonly keptForReaders: readonly number[];
}

/**
 * Removes files of tables that are not in any generation: remains of a pull that was stopped while it published, and of
 * pruned generations. Files with other names are kept. It can be stopped at any time and repeated.
 *
 * @throws SnapshotError if one of the folders is a link
 */
export async function removeUnlisted(root: string): Promise<void> {
  const listed = new Set((await listGenerations(root)).flatMap(storedFiles).map(({ path }) => path));
  const entries = await readdir(join(root, FILES), { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/");
    if (!isStoredPath(path) || listed.has(path)) continue;
    refuseOutside(root, path);
    await removeFile(join(root, path));
  }
}

/** Updates the DuckLake catalog of a snapshot after changes of its files. Requires the folder's lock. */
export async function keepLake(root: string): Promise<void> {
  if (fileBytes(root, LAKE_NAME) === undefined) return;
  const { renewLake } = await import("../lake/write-lake.js");
  await renewLake(root);
}

/**
 * Removes the oldest generations of a snapshot, and the files that only they use. A generation that was the newest
 * within the last 24 hours is kept, since a reader may have just listed its files.
 *
 * @param keep generations to keep, including the newest
 */
export async function pruneGenerations(
  path: string,
  keep: number,
  now: () => Date = () => new Date(),
): Promise<PrunedGenerations> {
  if (!Number.isInteger(keep) || keep < 1)
    throw new ArgumentError(`pruneGenerations(): keep must be an integer from 1, got ${keep}.`);
  const root = resolve(path);
  const lock = await lockFolder(root, now);
  try {
    const pruned = prunable(await listGenerations(root), keep, now());
    for (const generation of pruned.removed) await removeGeneration(root, generation);
    // The catalog is updated first, so that it never lists a missing file.
    await keepLake(root);
    await removeUnlisted(root);
    return pruned;
  } catch (error) {
    throw diskError(error, root, "try again");
  } finally {
    await lock.release();
  }
}

function prunable(generations: readonly Manifest[], keep: number, now: Date): PrunedGenerations {
  const removed: number[] = [];
  const keptForReaders: number[] = [];
  for (const [index, { generation }] of generations.slice(0, -keep).entries()) {
    const next = generations[index + 1] as Manifest;
    const isRead = now.getTime() - Date.parse(next.written_at) < READERS_MS;
    (isRead ? keptForReaders : removed).push(generation);
  }
  return { removed, keptForReaders };
}

/** Removes the manifest of an earlier generation and its pinned folder. Requires the folder's lock. */
export async function removeGeneration(root: string, generation: number): Promise<void> {
  refuseOutside(root, pinnedFolder(generation));
  await removePinned(root, generation);
  await removeFile(generationPath(root, generation));
}

/**
 * Removes the pinned folder of a generation that still has its manifest, so that the next prune finds the remains. The
 * folder is renamed first, since a folder without some of its files would be taken for a complete one.
 */
async function removePinned(root: string, generation: number): Promise<void> {
  const unfinished = unfinishedPath(root);
  try {
    await renamePath(pinnedPath(root, generation), unfinished);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  await rm(unfinished, REMOVE_FOLDER);
}
