import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import { generationPath } from "../format/generation-path.js";
import { type Manifest, storedFiles } from "../format/manifest.js";
import { fileBytes, refuseOutside } from "../format/own-paths.js";
import { readManifest } from "./read-manifest.js";
import { saveManifest } from "./save-manifest.js";
import { tidyFolder } from "./tidy-folder.js";

/**
 * Makes a new state the present one. Files come first, then the old manifest's copy, then the new manifest by rename:
 * whenever this is stopped, the folder holds the old state or the new one, whole.
 *
 * @param staged folder that holds the files that are new
 */
export async function publish(root: string, staged: string, manifest: Manifest): Promise<void> {
  for (const { path, bytes } of storedFiles(manifest)) {
    const place = join(root, path);
    refuseOutside(root, path);
    refuseOutside(staged, path);
    await mkdir(dirname(place), { recursive: true });
    // Most stand there already: of the state before, or put there by a pull that was stopped.
    const [moved] = await Promise.allSettled([rename(join(staged, path), place)]);
    if (fileBytes(root, path) === bytes) continue;
    const cause = moved.status === "rejected" ? moved.reason : undefined;
    throw new SnapshotError(`${place} could not be put in place.`, { cause, facts: { path: place } });
  }
  if (manifest.generation > 1) {
    const old = await readManifest(root);
    const copy = generationPath(root, old.generation);
    await mkdir(dirname(copy), { recursive: true });
    await saveManifest(root, old, copy);
  }
  await saveManifest(root, manifest);
  await tidyFolder(root);
}
