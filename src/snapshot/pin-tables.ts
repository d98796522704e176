import { resolve } from "node:path";
import { checkOptions, integerFrom, type OptionRules } from "../core/options.js";
import type { PinnedTables } from "./folder/pin-generation.js";

/** Options of `pinTables()`. */
export interface PinTablesOptions {
  /** The state to pin; the present one if absent. */
  readonly generation?: number | undefined;
}

const rules: OptionRules<PinTablesOptions> = { generation: integerFrom(1) };

/**
 * Gives a state of a snapshot a folder of its own, `generations/000012`, with a folder for each table that has rows. Its
 * files stay at their paths until the state is pruned, whatever pulls do, so that a query of an engine that has listed
 * them runs to its end. They are hard links and take no room; copying the snapshot's folder may copy them once more.
 *
 * @param path of the snapshot's folder
 * @throws SnapshotError if the folder is no snapshot, does not hold the generation or misses a file of it, cannot be
 * written, or is being written by another process
 */
export async function pinTables(path: string, options: PinTablesOptions = {}): Promise<PinnedTables> {
  checkOptions("pinTables()", options, rules);
  const { pinGeneration } = await import("./folder/pin-generation.js");
  return pinGeneration(resolve(path), options.generation, () => new Date());
}
