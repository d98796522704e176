import { resolve } from "node:path";
import { LazyDatabase } from "./database/lazy-database.js";
import { readGeneration } from "./folder/read-generation.js";
import { checkHashes, checkSizes, smallFiles } from "./folder/verify-files.js";
import type { OpenSnapshotOptions } from "./open-options.js";
import { Snapshot } from "./snapshot.js";

/** Does the work of `openSnapshot()`. */
export async function openFolder(path: string, options: OpenSnapshotOptions): Promise<Snapshot> {
  const root = resolve(path);
  const manifest = await readGeneration(root, options.generation);
  await checkSizes(root, manifest);
  await checkHashes(root, smallFiles(manifest));
  return new Snapshot(new LazyDatabase(root, manifest), manifest, root, path);
}
