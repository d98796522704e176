import { resolve } from "node:path";
import { ArgumentError, SnapshotError } from "../core/errors.js";
import { checkOptions, flag, integerFrom, type OptionRules } from "../core/options.js";
import type { DiffSnapshotsOptions, SnapshotDiff } from "./diff/compare-states.js";
import type { Manifest } from "./format/manifest.js";

const rules: OptionRules<DiffSnapshotsOptions> = { from: integerFrom(1), to: integerFrom(1), redact: flag };

/**
 * Returns the differences between two generations of a snapshot: new, gone, returned and changed features, geometries
 * with the distance in meters that they moved, definitions, names, and new changes of the log.
 *
 * Only files that are not in both generations are read. The order of members in a record does not count. A feature is
 * `returned` if it was gone in the earlier generation, otherwise `new`. Property names are those of the later
 * generation.
 *
 * @param path of the snapshot folder
 * @example
 * ```ts
 * const diff = await diffSnapshots("acme.snapshot", { from: 1, to: 2 });
 * diff.counts
 * ```
 * @throws SnapshotError if the folder is not a snapshot, does not have one of the generations (the message lists the
 * existing ones), or has only one generation and none is passed
 * @throws ArgumentError if `from` is later than `to`
 */
export async function diffSnapshots(path: string, options: DiffSnapshotsOptions = {}): Promise<SnapshotDiff> {
  checkOptions("diffSnapshots()", options, rules);
  const [{ listGenerations, readGeneration }, { compareStates }] = await Promise.all([
    import("./folder/manifest-file.js"),
    import("./diff/compare-states.js"),
  ]);
  const root = resolve(path);
  const to = await readGeneration(root, options.to);
  const before = async () => generationBefore(root, await listGenerations(root), to.generation);
  const from = await readGeneration(root, options.from ?? (await before()));
  if (from.generation > to.generation) {
    throw new ArgumentError(`diffSnapshots(): generation ${from.generation} is later than ${to.generation}.`, {
      hint: `Swap them: { from: ${to.generation}, to: ${from.generation} }.`,
      facts: { from: from.generation, to: to.generation },
    });
  }
  return compareStates({ root, from, to }, path, options.redact ?? false);
}

function generationBefore(root: string, manifests: readonly Manifest[], generation: number): number {
  const generations = manifests.map((manifest) => manifest.generation);
  const before = generations.filter((one) => one < generation).at(-1);
  if (before !== undefined) return before;
  throw new SnapshotError(`${root} has no generation before ${generation}.`, {
    hint: `Available: ${generations.join(", ")}. Pull again to add one.`,
    facts: { path: root, generation, held: generations },
  });
}
