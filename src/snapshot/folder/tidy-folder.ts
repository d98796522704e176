import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { REMOVE_FOLDER, removeFile, renamePath } from "../../core/busy-files.js";
import { ArgumentError } from "../../core/errors.js";
import { COLUMNS, GENERATIONS, LAKE_NAME, type Manifest, storedFiles } from "../format/manifest.js";
import {
  fileBytes,
  generationPath,
  PART,
  pinnedFolder,
  pinnedPath,
  refuseOutside,
  tableFolders,
} from "../format/own-paths.js";
import { diskError } from "./disk-error.js";
import { lockFolder, unfinishedPath } from "./folder-lock.js";
import { listGenerations } from "./read-generation.js";

/**
 * Puts the files of a snapshot folder where they belong: those of the present state into the tables' folders, those
 * that only earlier states have below `generations/`; what no state has is removed. Files and folders of other names
 * than a snapshot gives are left alone. It can be stopped anywhere and done again.
 *
 * @throws SnapshotError if there is a link among them: what it leads to is not touched
 */
export async function tidyFolder(root: string): Promise<void> {
  const generations = await listGenerations(root);
  const present = filesOf(generations.slice(-1));
  const earlier = filesOf(generations.slice(0, -1));
  for (const name of [...tableFolders, COLUMNS]) {
    for (const path of await tableFiles(root, name)) {
      if (present.has(path)) continue;
      if (earlier.has(path)) await move(root, path, `${GENERATIONS}/${path}`);
      else await remove(root, path);
    }
    for (const moved of await tableFiles(root, `${GENERATIONS}/${name}`)) {
      const path = moved.slice(GENERATIONS.length + 1);
      if (present.has(path)) await move(root, moved, path);
      else if (!earlier.has(path)) await remove(root, moved);
    }
  }
}

function filesOf(generations: readonly Manifest[]): ReadonlySet<string> {
  return new Set(generations.flatMap((manifest) => storedFiles(manifest).map(({ path }) => path)));
}

async function remove(root: string, path: string): Promise<void> {
  refuseOutside(root, path);
  await removeFile(join(root, path));
}

async function move(root: string, from: string, to: string): Promise<void> {
  refuseOutside(root, from);
  refuseOutside(root, to);
  await mkdir(dirname(join(root, to)), { recursive: true });
  await renamePath(join(root, from), join(root, to));
}

/** Paths of the files of a table below its folder, with `/`. */
async function tableFiles(root: string, folder: string): Promise<readonly string[]> {
  const place = join(root, folder);
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  const paths = entries.filter(({ name }) => PART.test(name)).map(({ name }) => `${folder}/${name}`);
  for (const entry of entries) {
    const isInner = folder === COLUMNS || folder === `${GENERATIONS}/${COLUMNS}` || entry.name.startsWith("site_id=");
    if (isInner && entry.isDirectory()) paths.push(...(await tableFiles(root, `${folder}/${entry.name}`)));
  }
  return paths;
}

/** Writes the catalog of a snapshot that is a DuckLake anew: files have come, gone and moved. The folder's lock is held. */
export async function keepLake(root: string): Promise<void> {
  if (fileBytes(root, LAKE_NAME) === undefined) return;
  const { renewLake } = await import("../lake/write-lake.js");
  await renewLake(root);
}

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
      await removeFile(generationPath(root, generation));
    }
    await tidyFolder(root);
    await keepLake(root);
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
    await renamePath(pinnedPath(root, generation), unfinished);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  await rm(unfinished, REMOVE_FOLDER);
}
