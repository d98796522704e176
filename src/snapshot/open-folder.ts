import { resolve } from "node:path";
import { LazyDatabase } from "./lazy-database.js";
import type { OpenSnapshotOptions } from "./open-snapshot.js";
import { readGeneration } from "./read-generation.js";
import { Snapshot } from "./snapshot.js";
import { checkSizes } from "./verify-files.js";

/** Does the work of `openSnapshot()`. */
export async function openFolder(path: string, options: OpenSnapshotOptions): Promise<Snapshot> {
  const root = resolve(path);
  const manifest = await readGeneration(root, options.generation);
  await checkSizes(root, manifest);
  return new Snapshot(new LazyDatabase(root, manifest), manifest, root, path);
}
