import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import { MANIFEST_NAME, type Manifest } from "../format/manifest.js";
import { parseManifest } from "../format/manifest-text.js";
import { READ_FLAGS, refuseLinks } from "../format/own-paths.js";
import { refuseHivePath } from "../format/refuse-hive-path.js";

/**
 * Reads the manifest of a snapshot folder.
 *
 * @throws SnapshotError if the folder is missing or is no snapshot, or the manifest or its place cannot be used, or if
 * there is a link, a pipe or a device among what the snapshot has
 */
export async function readManifest(path: string): Promise<Manifest> {
  const file = join(path, MANIFEST_NAME);
  try {
    await refuseLinks(path);
    const manifest = parseManifest(await readText(file), file);
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

/** The text of a manifest: of the present state or, below `generations/`, of an earlier one. */
export async function readText(file: string): Promise<string> {
  await using handle = await open(file, READ_FLAGS);
  if (!(await handle.stat()).isFile()) throw new TypeError(`${file} is no file`);
  return await handle.readFile("utf8");
}

async function absence(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return `There is no snapshot at ${path}.`;
  if (!found.isDirectory()) return `${path} is a file, and a snapshot is a folder.`;
  return `${path} is no snapshot: its ${MANIFEST_NAME} is missing or cannot be read.`;
}
