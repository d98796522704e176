import { constants } from "node:fs";
import { copyFile, link, mkdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { REMOVE_FOLDER, renamePath } from "../../core/busy-files.js";
import { FILES, type Manifest } from "../format/manifest.js";
import { pinnedPath, unfinishedPath } from "../format/snapshot-paths.js";
import { lockFolder } from "./folder-lock.js";
import { readGeneration, readManifest } from "./manifest-file.js";
import { diskError } from "./target-folder.js";
import { checkSizes } from "./verify-files.js";

/** A generation whose tables have their own folder. */
export interface PinnedGeneration {
  /** Number of the generation. */
  readonly generation: number;
  /** Absolute path of the folder, with a folder for each table that has rows. */
  readonly path: string;
}

/**
 * Creates a folder with the tables of a generation, which stays unchanged until the generation is pruned: for engines
 * that list a table's folder once and read its files during a query. The files are hard links and need no space; a file
 * that cannot be linked, because it is on another file system or has another owner, is copied.
 *
 * @param generation default: the current one
 * @throws SnapshotError if the folder is not a snapshot, lacks the generation or one of its files, or cannot be written
 */
export async function pinFolder(
  root: string,
  generation: number | undefined,
  now: () => Date,
): Promise<PinnedGeneration> {
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
    throw diskError(error, root, "try again");
  } finally {
    await lock.release();
  }
}

/** Links the files into a folder that gets its name when it is complete. */
async function placeWhole(root: string, manifest: Manifest, path: string): Promise<void> {
  const unfinished = unfinishedPath(root);
  try {
    await mkdir(unfinished);
    for (const file of [...manifest.files, ...(manifest.gone_files ?? [])]) {
      const target = join(unfinished, file.path.slice(FILES.length + 1));
      await mkdir(dirname(target), { recursive: true });
      await linkOrCopy(join(root, file.path), target);
    }
    await renamePath(unfinished, path);
  } finally {
    await rm(unfinished, REMOVE_FOLDER);
  }
}

/** Errors for another file system and for another owner. */
const NO_LINKS = ["EXDEV", "EPERM"];

async function linkOrCopy(file: string, target: string): Promise<void> {
  try {
    await link(file, target);
  } catch (error) {
    if (!NO_LINKS.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    await copyFile(file, target, constants.COPYFILE_FICLONE);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}
