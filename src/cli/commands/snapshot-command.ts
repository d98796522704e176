import type { ColumnTable } from "arquero";
import type { Command } from "commander";
import { counted } from "../../core/counted.js";
import type { ComparedState, SnapshotDiff } from "../../snapshot/diff/snapshot-diff.js";
import { diffSnapshots } from "../../snapshot/diff-snapshots.js";
import { pruneGenerations } from "../../snapshot/folder/prune-generations.js";
import { listGenerations } from "../../snapshot/folder/read-generation.js";
import { type Manifest, rowCounts } from "../../snapshot/format/manifest.js";
import { renderTextTable } from "../../tables/display/html/render-table.js";
import { arqueroView, readTable } from "../../tables/display/html/table-view.js";
import { generationOption, integerOption } from "../input/parameters.js";
import { printResult } from "../output/terminal.js";
import { verify } from "./verify-command.js";

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
    .option("--generation <n>", "state to check; the present one if absent", generationOption)
    .action(verify);
  snapshot
    .command("prune")
    .description(
      "Remove the oldest generations. A generation that was the newest one in the last 24 hours stays for its readers.",
    )
    .argument("<snapshot>", "snapshot folder")
    .option("--keep <n>", "generations to keep, the newest one among them", integerOption(1, 1_000_000), 10)
    .action(prune);
}

async function list(snapshot: string): Promise<void> {
  for (const manifest of await listGenerations(snapshot)) printResult(`${describe(manifest)}`);
}

async function prune(snapshot: string, { keep }: { readonly keep: number }): Promise<void> {
  const { removed, keptForReaders } = await pruneGenerations(snapshot, keep);
  const what = removed.length === 0 ? "nothing" : `generation ${removed.join(", ")}`;
  const kept =
    keptForReaders.length === 0
      ? ""
      : ` Kept generation ${keptForReaders.join(", ")} for readers: each was the newest one in the last 24 hours.`;
  printResult(`Removed ${what} of ${snapshot}.${kept}`);
}

function describe(manifest: Manifest): string {
  // A state without any has no file of them.
  const { layerFeatures = 0, propertyChanges = 0 } = rowCounts(manifest);
  return `${String(manifest.generation).padStart(4)}  read ${manifest.read_at}  ${counted(layerFeatures)} layer features${foundText(manifest)}, ${counted(propertyChanges)} changes${redactionText(manifest)}`;
}

function redactionText({ pseudonyms, rewriting }: Manifest): string {
  if (rewriting) return ", rewrite not finished: pull again";
  return pseudonyms === undefined ? "" : ", redacted";
}

function foundText({ found }: Manifest): string {
  if (!found) return "";
  const { added, changed, gone, returned } = found;
  return ` (${counted(added)} new, ${counted(changed)} changed, ${counted(gone)} gone, ${counted(returned)} returned)`;
}

interface DiffOptions {
  readonly json?: boolean;
  readonly exitCode?: boolean;
  readonly redact?: boolean;
  readonly rows: number;
}

const DIFFERENT = 3;
const MOST_COLUMNS = 50;
const tables = ["features", "geometries", "definitions", "records", "changes"] as const;

/** `siteframe snapshot diff`: what differs between two states. */
function addSnapshotDiffCommand(snapshot: Command): void {
  snapshot
    .command("diff")
    .description(
      "Say what differs between two states: features new, gone, returned, changed and moved, definitions, names, and the changes of the log that came in.",
    )
    .argument("<snapshot>", "snapshot folder")
    .argument("[from]", "the earlier state; the one before the later one if absent", generationOption)
    .argument("[to]", "the later state; the present one if absent", generationOption)
    .option("--json", "print all of it as JSON")
    .option("--exit-code", "exit with 3 if they differ")
    .option("--redact", "show pseudonyms instead of person data")
    .option("--rows <n>", "rows of each table to print; --json has all", integerOption(0, 1_000_000), 20)
    .action(run);
}

async function run(path: string, from: number | undefined, to: number | undefined, options: DiffOptions) {
  const diff = await diffSnapshots(path, { from, to, redact: options.redact });
  const text = options.json ? jsonText(diff) : shownText(diff, options.rows);
  printResult(text);
  if (options.exitCode && diff.isDifferent) process.exitCode = DIFFERENT;
}

function jsonText(diff: SnapshotDiff): string {
  const { from, to, counts, isDifferent, findings } = diff;
  const rows = Object.fromEntries(tables.map((name) => [name, diff[name].objects()]));
  return JSON.stringify({ from, to, counts, isDifferent, ...rows, findings }, null, 2);
}

function shownText(diff: SnapshotDiff, rows: number): string {
  const { from, to, counts, isDifferent, findings } = diff;
  const head = `From ${stateText(from)} to ${stateText(to)}: ${isDifferent ? "" : "no difference."}`.trim();
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  const width = Math.max(0, ...found.map(([, count]) => counted(count).length));
  const lines = found.map(
    ([name, count]) => `  ${counted(count).padStart(width)}  ${countLabels[name as keyof typeof counts]}`,
  );
  const shown = tables.flatMap((name) =>
    diff[name].numRows() > 0 && rows > 0 ? tableText(name, diff[name], rows) : [],
  );
  return [head, ...lines, ...findings.map(({ message }) => message), ...shown].join("\n");
}

const countLabels: Readonly<Record<keyof SnapshotDiff["counts"], string>> = {
  new: "features are new",
  gone: "features are gone",
  returned: "features returned",
  changed: "features changed",
  geometries: "of them have another geometry",
  definitions: "property definitions differ",
  records: "sites, operations, blocks and datasets differ",
  changes: "changes of the log came in",
};

function stateText({ generation: number, readAt }: ComparedState): string {
  return `generation ${number} (read ${readAt.toISOString()})`;
}

function tableText(name: string, table: ColumnTable, rows: number): readonly string[] {
  const { age: _, ...view } = arqueroView(table);
  return ["", name, renderTextTable(readTable(view, rows, MOST_COLUMNS), process.stdout.columns)];
}
