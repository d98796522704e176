import { SnapshotError } from "../../core/errors.js";
import { generationPath } from "../format/generation-path.js";
import type { Manifest } from "../format/manifest.js";
import { parseManifest } from "../format/manifest-text.js";
import { listGenerations } from "./list-generations.js";
import { locateFiles } from "./locate-files.js";
import { readManifest, readText } from "./read-manifest.js";

/**
 * The manifest of a state of a snapshot, with its files where they stand now.
 *
 * @param generation the present one if absent
 * @throws SnapshotError if the folder is no snapshot or does not hold that state
 */
export async function readGeneration(root: string, generation?: number): Promise<Manifest> {
  const present = await readManifest(root);
  if (generation === undefined || generation === present.generation) return locateFiles(root, present);
  const file = generationPath(root, generation);
  const text = await readText(file).catch(() => undefined);
  if (text !== undefined && generation < present.generation) return locateFiles(root, parseManifest(text, file));
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
