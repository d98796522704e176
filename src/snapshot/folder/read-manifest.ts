import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import { MANIFEST_NAME, type Manifest } from "../format/manifest.js";
import { parseManifest } from "../format/manifest-text.js";
import { refuseHivePath } from "../format/refuse-hive-path.js";

/**
 * Reads the manifest of a snapshot folder.
 *
 * @throws SnapshotError if the folder is missing or is no snapshot, or the manifest or its place cannot be used
 */
export async function readManifest(path: string): Promise<Manifest> {
  const file = join(path, MANIFEST_NAME);
  try {
    // A pipe would be waited for.
    if (!(await stat(file)).isFile()) throw new TypeError(`${MANIFEST_NAME} is no file`);
    const manifest = parseManifest(await readFile(file, "utf8"), file);
    refuseHivePath(path);
    return manifest;
  } catch (cause) {
    if (cause instanceof SnapshotError) throw cause;
    throw new SnapshotError(await absence(path), {
      cause,
      hint: "Give the folder of a snapshot.",
      facts: { path: file },
    });
  }
}

async function absence(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return `There is no snapshot at ${path}.`;
  if (!found.isDirectory()) return `${path} is a file, and a snapshot is a folder.`;
  return `${path} is no snapshot: its ${MANIFEST_NAME} is missing or cannot be read.`;
}
