import { open } from "node:fs/promises";
import { join } from "node:path";
import { renamePath } from "../../core/busy-files.js";
import { MANIFEST_NAME, type Manifest } from "../format/manifest.js";
import { formatManifest } from "../format/manifest-text.js";
import { unfinishedPath } from "./folder-lock.js";

/**
 * Replaces the manifest of a snapshot folder in one step: readers see the old generation or the new one, also after a
 * power failure.
 *
 * @param path path of the file, in that folder
 */
export async function saveManifest(root: string, manifest: Manifest, path = join(root, MANIFEST_NAME)): Promise<void> {
  const unfinished = unfinishedPath(root);
  {
    await using file = await open(unfinished, "w");
    await file.writeFile(formatManifest(manifest));
    await file.sync();
  }
  await renamePath(unfinished, path);
}
