import { stat } from "node:fs/promises";
import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import { hashFiles } from "../format/hash-files.js";
import { type Manifest, storedFiles } from "../format/manifest.js";
import { movedPath } from "../format/moved-path.js";

/**
 * Checks that every file of a snapshot is there with the size that the manifest says.
 *
 * @throws SnapshotError naming the first file that is missing or truncated
 */
export async function checkSizes(root: string, manifest: Manifest): Promise<void> {
  for (const { path, bytes } of storedFiles(manifest)) {
    const file = join(root, path);
    // A pull may move it aside just now.
    const other = () => stat(join(root, movedPath(path)));
    const found = await stat(file)
      .catch(other)
      .catch(() => undefined);
    if (!found?.isFile()) throw damage(file, "is missing");
    if (found.size !== bytes) throw damage(file, `has ${found.size} bytes instead of ${bytes}`);
  }
}

/**
 * Checks that every Parquet file of a snapshot has the content that the manifest vouches for.
 *
 * @throws SnapshotError naming the first file that was altered
 */
export async function checkHashes(root: string, manifest: Manifest): Promise<void> {
  const files = manifest.files.map(({ path }) => join(root, path));
  const hashes = await hashFiles(files);
  for (const [index, { sha256 }] of manifest.files.entries()) {
    if (hashes[index] !== sha256) throw damage(files[index] ?? root, "was altered: its sha256 is not the manifest's");
  }
}

function damage(path: string, problem: string): SnapshotError {
  return new SnapshotError(`${path} ${problem}.`, {
    hint: "Restore the snapshot from a copy, or write it again.",
    facts: { path },
  });
}
