import { mkdir, readdir } from "node:fs/promises";
import { SnapshotError } from "../../core/errors.js";
import { COLUMNS, GENERATIONS, MANIFEST_NAME, type Manifest } from "../format/manifest.js";
import { refuseHivePath } from "../format/refuse-hive-path.js";
import { tableFolders } from "../format/table-folders.js";
import { diskError } from "./disk-error.js";
import { readManifest } from "./read-manifest.js";

const folders: ReadonlySet<string> = new Set([...tableFolders, COLUMNS, GENERATIONS]);

/**
 * Makes sure that a snapshot can be written to a folder.
 *
 * @returns the manifest of the snapshot that stands there
 * @throws SnapshotError if the folder holds anything that is no snapshot: it is never mixed with or overwritten
 */
export async function prepareFolder(path: string): Promise<Manifest | undefined> {
  refuseHivePath(path);
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    const told = diskError(cause, path, "do it again");
    if (told !== cause) throw told;
    throw new SnapshotError(`${path} cannot be made a folder.`, { cause, facts: { path } });
  }
  const entries = await readdir(path);
  if (entries.includes(MANIFEST_NAME)) return readManifest(path);
  // A writer that was stopped before its first manifest was in place has left folders.
  const foreign = entries.find((name) => !name.startsWith(".") && !folders.has(name));
  if (foreign === undefined) return undefined;
  throw new SnapshotError(`${path} is no snapshot and not empty: it holds ${foreign}.`, {
    hint: "Give a new or empty folder.",
    facts: { path },
  });
}
