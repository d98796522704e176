import { mkdir, readdir, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { renamePath } from "../../core/busy-files.js";
import { SnapshotError } from "../../core/errors.js";
import { FILES, GENERATIONS, MANIFEST_NAME, type Manifest, storedFiles } from "../format/manifest.js";
import { fileBytes, generationPath, refuseHivePath, refuseOutside } from "../format/snapshot-paths.js";
import { lockFolder } from "./folder-lock.js";
import { readManifest, saveManifest } from "./manifest-file.js";
import { keepLake, removeUnlisted } from "./prune-generations.js";
import { finishRewrite } from "./rewrite-folder.js";
import { diskError, makeTargetFolder } from "./target-folder.js";

const folders: ReadonlySet<string> = new Set([FILES, GENERATIONS]);

/** A locked snapshot folder. */
export interface LockedFolder {
  readonly root: string;
  /** The manifest of the current generation. */
  readonly previous: Manifest | undefined;
  /**
   * Makes a new generation the current one.
   *
   * @param staged folder with the new files
   * @param replacesAll whether other content of the folder is removed before the manifest covers the folder
   * @throws SnapshotError if another process has taken over the lock meanwhile
   */
  publish(staged: string, manifest: Manifest, replacesAll?: boolean): Promise<void>;
}

/**
 * Holds the lock of a snapshot folder while a new generation is written.
 *
 * @param path of the folder, which is created if missing, and removed if `write` fails and leaves it empty
 * @throws SnapshotError with the holder of the lock, or if the folder is not a snapshot or cannot be written
 */
export async function writeLocked<T>(
  path: string,
  now: () => Date,
  write: (folder: LockedFolder) => Promise<T>,
): Promise<T> {
  const root = resolve(path);
  const { created } = await prepareFolder(root);
  const lock = await lockFolder(root, now);
  let isWritten = false;
  try {
    // Another writer may have been active before the lock was taken.
    const { previous } = await prepareFolder(root);
    const result = await write({
      root,
      previous,
      async publish(staged, manifest, replacesAll = false) {
        await lock.check();
        await publish(root, staged, replacesAll ? { ...manifest, rewriting: true } : manifest);
        if (replacesAll) await finishRewrite(root);
        else await keepLake(root);
      },
    });
    isWritten = true;
    return result;
  } finally {
    await lock.release();
    if (!isWritten && created !== undefined) await removeEmpty(root, created);
  }
}

/** Removes a folder and its parents up to `first`, as long as they are empty. */
async function removeEmpty(folder: string, first: string): Promise<void> {
  const isRemoved = await rmdir(folder).then(
    () => true,
    () => false,
  );
  if (isRemoved && folder !== first) await removeEmpty(dirname(folder), first);
}

interface PreparedFolder {
  readonly previous: Manifest | undefined;
  readonly created: string | undefined;
}

/**
 * Checks that a snapshot can be written to a folder.
 *
 * @returns the manifest of the existing snapshot, and the first folder that had to be created
 * @throws SnapshotError if the folder has foreign content, which is never mixed with a snapshot or overwritten
 */
async function prepareFolder(path: string): Promise<PreparedFolder> {
  refuseHivePath(path);
  const created = await makeTargetFolder(path);
  const entries = await readdir(path).catch((cause: unknown) => {
    throw diskError(cause, path, "try again");
  });
  if (entries.includes(MANIFEST_NAME)) return { previous: await readManifest(path), created };
  // A writer that was stopped before its first manifest may have left folders.
  const foreign = entries.find((name) => !name.startsWith(".") && !folders.has(name));
  if (foreign === undefined) return { previous: undefined, created };
  throw new SnapshotError(`${path} is not a snapshot and not empty: it contains ${foreign}.`, {
    hint: "Use a new or empty folder.",
    facts: { path },
  });
}

/**
 * Makes a new generation the newest one. Files come first, then the old manifest's copy, then the new manifest by
 * rename: whenever this is stopped, the folder has the complete old or new generation. Files of earlier generations
 * stay.
 *
 * @param staged folder with the new files
 */
export async function publish(root: string, staged: string, manifest: Manifest): Promise<void> {
  for (const { path, bytes } of storedFiles(manifest)) {
    const target = join(root, path);
    refuseOutside(root, path);
    refuseOutside(staged, path);
    await mkdir(dirname(target), { recursive: true });
    // Most files exist already, from the previous generation or from a stopped pull.
    const [moved] = await Promise.allSettled([renamePath(join(staged, path), target)]);
    if (fileBytes(root, path) === bytes) continue;
    const cause = moved.status === "rejected" ? moved.reason : undefined;
    throw new SnapshotError(`Cannot move ${target} into place.`, { cause, facts: { path: target } });
  }
  if (manifest.generation > 1) {
    const old = await readManifest(root);
    const copy = generationPath(root, old.generation);
    await mkdir(dirname(copy), { recursive: true });
    await saveManifest(root, old, copy);
  }
  await saveManifest(root, manifest);
  await removeUnlisted(root);
}

/** Companies delete some records from time to time; a larger share at once is probably a mistake. */
const LARGEST_SHARE = 0.1;
const SMALLEST_COUNT = 10;

/** Whether so many rows are missing that a new generation must be allowed explicitly. */
export function hasShrunk(missing: number, before: number): boolean {
  return missing > Math.max(SMALLEST_COUNT, LARGEST_SHARE * before);
}
