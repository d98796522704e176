import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import { GENERATIONS, MANIFEST_NAME, type Manifest } from "../format/manifest.js";
import { parseManifest } from "../format/manifest-text.js";
import { generationPath, READ_FLAGS, refuseHivePath, refuseLinks } from "../format/own-paths.js";

/**
 * The manifest of a generation of a snapshot.
 *
 * @param generation Default: the newest
 * @throws SnapshotError if the folder is no snapshot or does not hold that state
 */
export async function readGeneration(root: string, generation?: number): Promise<Manifest> {
  const present = await readManifest(root);
  if (generation === undefined || generation === present.generation) return present;
  const file = generationPath(root, generation);
  const text = await readText(file).catch(() => undefined);
  if (text !== undefined && generation < present.generation) return parseManifest(text, file);
  const held = (await listGenerations(root)).map((manifest) => manifest.generation);
  throw new SnapshotError(`${root} holds no generation ${generation}.`, {
    hint: `It holds ${held.join(", ")}.${meant(generation, held)}`,
    facts: { path: root, generation, held },
  });
}

/** The state of the nearest number; the later one of two. There is nothing to mean where one alone is held. */
function meant(generation: number, held: readonly number[]): string {
  if (held.length < 2) return "";
  const away = (one: number) => Math.abs(one - generation);
  return ` Did you mean ${held.reduce((best, one) => (away(one) <= away(best) ? one : best))}?`;
}

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
    // Of an address that was taken for a path, one slash may be left.
    const isAddress = /(?:^|[\\/])(?:https?|s3):[\\/]/i.test(path);
    throw new SnapshotError(await absence(path), {
      cause,
      hint: isAddress
        ? "This needs the folder on this machine; openSnapshot(), siteframe sql and siteframe mcp take an address."
        : "Give the folder of a snapshot.",
      facts: { path: file },
    });
  }
}

/** The text of a manifest: of the present state or, below `generations/`, of an earlier one. */
async function readText(file: string): Promise<string> {
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

/** The states that a snapshot folder holds, oldest first; the last one is the present. */
export async function listGenerations(root: string): Promise<readonly Manifest[]> {
  const present = await readManifest(root);
  const names = await readdir(join(root, GENERATIONS)).catch(() => []);
  const earlier: Manifest[] = [];
  for (const name of names.filter((entry) => /^\d+\.json$/.test(entry)).sort()) {
    const file = join(root, GENERATIONS, name);
    const manifest = parseManifest(await readText(file), file);
    // A pull that was killed may have kept a copy of the state that is still the present one.
    if (manifest.generation < present.generation) earlier.push(manifest);
  }
  return [...earlier, present];
}
