import { resolve } from "node:path";
import { checkOptions, integerFrom, type OptionRules } from "../core/options.js";
import type { PinnedGeneration } from "./folder/pin-folder.js";

/** Options of `pinGeneration()`. */
export interface PinGenerationOptions {
  /** Generation to pin. Default: the current one. */
  readonly generation?: number | undefined;
}

const rules: OptionRules<PinGenerationOptions> = { generation: integerFrom(1) };

/**
 * Creates a folder for a generation of a snapshot, `generations/000012`, with a folder for each table that has rows.
 * Its files stay at their paths until the generation is pruned, whatever pulls do, so that an engine's query can finish
 * on the files that it has listed. The files are hard links and need no space; copying the snapshot folder may copy
 * them once more.
 *
 * @param path of the snapshot folder
 * @example
 * ```ts
 * const pinned = await pinGeneration("acme.snapshot", { generation: 1 });
 * pinned.generation
 * ```
 * @throws SnapshotError if the folder is not a snapshot, lacks the generation or one of its files, cannot be written,
 * or is being written by another process
 */
export async function pinGeneration(path: string, options: PinGenerationOptions = {}): Promise<PinnedGeneration> {
  checkOptions("pinGeneration()", options, rules);
  const { pinFolder } = await import("./folder/pin-folder.js");
  return pinFolder(resolve(path), options.generation, () => new Date());
}
