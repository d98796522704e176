import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { renamePath } from "../../core/busy-files.js";
import { SnapshotError } from "../../core/errors.js";
import { GENERATIONS, MANIFEST_NAME, type Manifest } from "../format/manifest.js";
import { formatManifest, parseManifest } from "../format/manifest-text.js";
import { generationPath, READ_FLAGS, refuseHivePath, refuseLinks, unfinishedPath } from "../format/snapshot-paths.js";

/**
 * Returns the manifest of a generation of a snapshot.
 *
 * @param generation default: the newest
 * @throws SnapshotError if the folder is not a snapshot or lacks the generation
 */
export async function readGeneration(root: string, generation?: number): Promise<Manifest> {
  const present = await readManifest(root);
  if (generation === undefined || generation === present.generation) return present;
  const file = generationPath(root, generation);
  const text = await readText(file).catch(() => undefined);
  if (text !== undefined && generation < present.generation) return parseManifest(text, file);
  const generations = (await listGenerations(root)).map((manifest) => manifest.generation);
  throw new SnapshotError(`${root} has no generation ${generation}.`, {
    hint: `Available: ${generations.join(", ")}.${meant(generation, generations)}`,
    facts: { path: root, generation, held: generations },
  });
}

/** A hint with the nearest generation, the later one of two; empty if there is only one. */
function meant(generation: number, generations: readonly number[]): string {
  if (generations.length < 2) return "";
  const away = (one: number) => Math.abs(one - generation);
  return ` Did you mean ${generations.reduce((best, one) => (away(one) <= away(best) ? one : best))}?`;
}

/**
 * Reads the manifest of a snapshot folder.
 *
 * @throws SnapshotError if the folder is missing or not a snapshot, if the manifest is invalid, or if the snapshot
 * contains links, pipes or devices
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
    // An address that was treated as a path may have only one slash left.
    const isAddress = /(?:^|[\\/])(?:https?|s3):[\\/]/i.test(path);
    throw new SnapshotError(await absence(path), {
      cause,
      hint: isAddress
        ? "Use a local folder. Only openSnapshot(), siteframe sql and siteframe mcp accept addresses."
        : "Pass the path of a snapshot folder.",
      facts: { path: file },
    });
  }
}

/** The text of a manifest: of the current generation or, below `generations/`, of an earlier one. */
async function readText(file: string): Promise<string> {
  await using handle = await open(file, READ_FLAGS);
  if (!(await handle.stat()).isFile()) throw new TypeError(`${file} is not a file`);
  return await handle.readFile("utf8");
}

async function absence(path: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return `No snapshot at ${path}.`;
  if (!stats.isDirectory()) return `${path} is a file, not a snapshot folder.`;
  return `${path} is not a snapshot: its ${MANIFEST_NAME} is missing or cannot be read.`;
}

/** The generations of a snapshot folder, oldest first, the current one last. */
export async function listGenerations(root: string): Promise<readonly Manifest[]> {
  const present = await readManifest(root);
  const names = await readdir(join(root, GENERATIONS)).catch(() => []);
  const earlier: Manifest[] = [];
  for (const name of names.filter((entry) => /^\d+\.json$/.test(entry)).sort()) {
    const file = join(root, GENERATIONS, name);
    const manifest = parseManifest(await readText(file), file);
    // A killed pull may have left a copy of the current generation's manifest.
    if (manifest.generation < present.generation) earlier.push(manifest);
  }
  return [...earlier, present];
}

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
