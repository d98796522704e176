import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { GENERATIONS, type Manifest } from "../format/manifest.js";
import { parseManifest } from "../format/manifest-text.js";
import { readManifest, readText } from "./read-manifest.js";

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
