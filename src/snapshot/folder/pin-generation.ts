import { constants } from "node:fs";
import { copyFile, link, mkdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { REMOVE_FOLDER, renamePath } from "../../core/busy-files.js";
import { FILES, type Manifest } from "../format/manifest.js";
import { pinnedPath } from "../format/own-paths.js";
import { diskError } from "./disk-error.js";
import { lockFolder, unfinishedPath } from "./folder-lock.js";
import { readGeneration, readManifest } from "./read-generation.js";
import { checkSizes } from "./verify-files.js";

/** A state whose tables have a folder of their own. */
export interface PinnedTables {
  /** Its number. */
  readonly generation: number;
  /** Absolute path of the folder that holds a folder for each table that has rows. */
  readonly path: string;
}

/**
 * Gives a state of a snapshot a folder of its own, in which its tables stay as they are until the state is pruned: for
 * engines that list a table's folder once and read its files for as long as a query runs. The files are hard links and
 * take no room; a file that cannot be linked, of another file system or of another owner, is copied.
 *
 * @param generation the present state if absent
 * @throws SnapshotError if the folder is no snapshot, does not hold that state or misses a file of it, or if it cannot be
 * written
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
    await checkSizes(root, manifest);
    await mkdir(dirname(path), { recursive: true });
    await placeWhole(root, manifest, path);
    return { generation: manifest.generation, path };
  } catch (error) {
    throw diskError(error, root, "do it again");
  } finally {
    await lock.release();
  }
}

/** Links the files into a folder that has its name once it is whole. */
async function placeWhole(root: string, manifest: Manifest, path: string): Promise<void> {
  const unfinished = unfinishedPath(root);
  try {
    await mkdir(unfinished);
    for (const file of [...manifest.files, ...(manifest.gone_files ?? [])]) {
      const place = join(unfinished, file.path.slice(FILES.length + 1));
      await mkdir(dirname(place), { recursive: true });
      await linkOrCopy(join(root, file.path), place);
    }
    await renamePath(unfinished, path);
  } finally {
    await rm(unfinished, REMOVE_FOLDER);
  }
}

/** Of another file system, and of another owner. */
const NO_LINKS = ["EXDEV", "EPERM"];

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
