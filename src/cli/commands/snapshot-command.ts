import type { Command } from "commander";
import { listGenerations } from "../../snapshot/folder/read-generation.js";
import { pruneGenerations } from "../../snapshot/folder/tidy-folder.js";
import { type Manifest, rowCounts } from "../../snapshot/format/manifest.js";
import { integerOption } from "../input/parameters.js";
import { addSnapshotDiffCommand } from "./snapshot-diff-command.js";
import { verify } from "./verify-command.js";

const count = (n = 0) => n.toLocaleString("en-US");

/** `siteframe snapshot`: the states of a snapshot folder. */
export function addSnapshotCommand(program: Command): void {
  const snapshot = program
    .command("snapshot")
    .description("List, compare, verify or prune the states of a snapshot folder.");
  snapshot
    .command("list")
    .description("List the states that the folder holds, oldest first.")
    .argument("<snapshot>", "snapshot folder")
    .action(list);
  addSnapshotDiffCommand(snapshot);
  snapshot
    .command("verify")
    .description("The same as siteframe verify.")
    .argument("<snapshot>", "snapshot folder")
    .option("--generation <n>", "state to check; the present one if absent", integerOption(1, 1_000_000_000))
    .action(verify);
  snapshot
    .command("prune")
    .description("Remove the oldest states and the files that only they have.")
    .argument("<snapshot>", "snapshot folder")
    .option("--keep <n>", "states to keep, the present one among them", integerOption(1, 1_000_000), 10)
    .action(prune);
}

async function list(snapshot: string): Promise<void> {
  for (const manifest of await listGenerations(snapshot)) process.stdout.write(`${describe(manifest)}\n`);
}

async function prune(snapshot: string, { keep }: { readonly keep: number }): Promise<void> {
  const removed = await pruneGenerations(snapshot, keep);
  const what = removed.length === 0 ? "nothing" : `generation ${removed.join(", ")}`;
  process.stdout.write(`Removed ${what} of ${snapshot}.\n`);
}

function describe(manifest: Manifest): string {
  const { layerFeatures, propertyChanges } = rowCounts(manifest);
  const { added, changed, gone, returned } = manifest.found ?? {};
  const found = manifest.found
    ? ` (${count(added)} new, ${count(changed)} changed, ${count(gone)} gone, ${count(returned)} returned)`
    : "";
  return `${String(manifest.generation).padStart(4)}  read ${manifest.read_at}  ${count(layerFeatures)} layer features${found}, ${count(propertyChanges)} changes`;
}
