import { resolve } from "node:path";
import { ArgumentError, SnapshotError } from "../core/errors.js";
import { checkOptions, flag, integerFrom, type OptionRules } from "../core/options.js";
import type { DiffSnapshotsOptions, SnapshotDiff } from "./diff/snapshot-diff.js";
import type { Manifest } from "./format/manifest.js";

const rules: OptionRules<DiffSnapshotsOptions> = { from: integerFrom(1), to: integerFrom(1), redact: flag };

/**
 * What differs between two states of a snapshot that are kept: features new, gone, returned and changed, geometries with
 * the metres that they moved, definitions, names, and the changes of the log that came in between.
 *
 * Only files that the two states do not share are read. Order of members in a record is no difference. A feature is
 * `returned` if the earlier state knew it as gone, otherwise `new`. Names of properties are those of the later state.
 *
 * @param path of the snapshot's folder
 * @throws SnapshotError if the folder is no snapshot, does not hold one of the states (it says which it holds), or holds
 * one state only while none is given
 * @throws ArgumentError if `from` is later than `to`
 */
export async function diffSnapshots(path: string, options: DiffSnapshotsOptions = {}): Promise<SnapshotDiff> {
  checkOptions("diffSnapshots()", options, rules);
  const [{ listGenerations, readGeneration }, { compareStates }] = await Promise.all([
    import("./folder/read-generation.js"),
    import("./diff/compare-states.js"),
  ]);
  const root = resolve(path);
  const to = await readGeneration(root, options.to);
  const before = async () => generationBefore(root, await listGenerations(root), to.generation);
  const from = await readGeneration(root, options.from ?? (await before()));
  if (from.generation > to.generation) {
    throw new ArgumentError(`Generation ${from.generation} is later than ${to.generation}.`, {
      hint: `Give ${to.generation} first: from ${to.generation} to ${from.generation}.`,
      facts: { from: from.generation, to: to.generation },
    });
  }
  return compareStates({ root, from, to }, path, options.redact ?? false);
}

function generationBefore(root: string, manifests: readonly Manifest[], generation: number): number {
  const held = manifests.map((manifest) => manifest.generation);
  const before = held.filter((one) => one < generation).at(-1);
  if (before !== undefined) return before;
  throw new SnapshotError(`${root} holds no state before generation ${generation}.`, {
    hint: `It holds ${held.join(", ")}. Each pull adds one.`,
    facts: { path: root, generation, held },
  });
}
