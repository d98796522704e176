import { pruneGenerations } from "../../src/snapshot/folder/prune-generations.js";

/**
 * Prunes a snapshot as of the day after tomorrow, when no reader of an earlier generation is left.
 *
 * @returns the generations that were removed
 */
export async function pruneLater(path: string, keep: number): Promise<readonly number[]> {
  const later = () => new Date(Date.now() + 48 * 3_600_000);
  return (await pruneGenerations(path, keep, later)).removed;
}
