import { constants } from "node:fs";
import { copyFile, link, mkdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { GENERATIONS } from "../format/manifest.js";
import { movedPath } from "../format/moved-path.js";
import { pinnedPath } from "../format/pinned-path.js";
import { tableFolders } from "../format/table-folders.js";
import { diskError } from "./disk-error.js";
import { lockFolder } from "./folder-lock.js";
import { readGeneration } from "./read-generation.js";
import { readManifest } from "./read-manifest.js";
import { unfinishedPath } from "./unfinished.js";

/** A state whose tables have a folder of their own. */
export interface PinnedTables {
  /** Its number. */
  readonly generation: number;
  /** Absolute path of the folder that holds a folder for each table. */
  readonly path: string;
}

/**
 * Gives a state of a snapshot a folder of its own, in which its tables stay as they are until the state is pruned: for
 * engines that list a table's folder once and read its files for as long as a query runs. The files are hard links and
 * take no room; where a file system has none, or another one holds the files, they are copies.
 *
 * @param generation the present state if absent
 */
export async function pinGeneration(
  root: string,
  generation: number | undefined,
  now: () => Date,
): Promise<PinnedTables> {
  await readManifest(root);
  const lock = await lockFolder(root, now);
  try {
    const manifest = await readGeneration(root, generation);
    const path = pinnedPath(root, manifest.generation);
    if (await isFolder(path)) return { generation: manifest.generation, path };
    const unfinished = unfinishedPath(root);
    // An engine refuses a table that has no folder, and a table without rows has no files.
    for (const name of tableFolders) await mkdir(join(unfinished, name), { recursive: true });
    for (const file of [...manifest.files, ...(manifest.gone_files ?? [])]) {
      const isMoved = file.path.startsWith(`${GENERATIONS}/`);
      const place = join(unfinished, isMoved ? movedPath(file.path) : file.path);
      await mkdir(dirname(place), { recursive: true });
      await linkOrCopy(join(root, file.path), place);
    }
    await mkdir(dirname(path), { recursive: true });
    await rename(unfinished, path);
    return { generation: manifest.generation, path };
  } catch (error) {
    throw diskError(error, root, "do it again");
  } finally {
    await lock.release();
  }
}

const NO_LINKS = ["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

async function linkOrCopy(file: string, place: string): Promise<void> {
  try {
    await link(file, place);
  } catch (error) {
    if (!NO_LINKS.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    await copyFile(file, place, constants.COPYFILE_FICLONE);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
