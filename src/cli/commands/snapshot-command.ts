import type { ColumnTable } from "arquero";
import type { Command } from "commander";
import { counted } from "../../core/counted.js";
import { diagnosticText } from "../../core/diagnostic.js";
import { provenanceText } from "../../core/format/format-provenance.js";
import type { SnapshotDiff } from "../../snapshot/diff/compare-states.js";
import { diffSnapshots } from "../../snapshot/diff-snapshots.js";
import { listGenerations } from "../../snapshot/folder/manifest-file.js";
import { pruneGenerations } from "../../snapshot/folder/prune-generations.js";
import { type Manifest, rowCounts } from "../../snapshot/format/manifest.js";
import { verifySnapshot } from "../../snapshot/verify-snapshot.js";
import { renderTextTable } from "../../tables/display/html/render-table.js";
import { arqueroView, readTable } from "../../tables/display/html/table-view.js";
import { generationOption, integerOption } from "../input/parameters.js";
import { printResult } from "../output/terminal.js";

/** Adds `siteframe snapshot`, which manages the generations of a snapshot folder. */
export function addSnapshotCommand(program: Command): void {
  const snapshot = program
    .command("snapshot")
    .description("List, compare, verify or prune the generations of a snapshot.");
  snapshot
    .command("list")
    .description("List the generations of the folder, oldest first.")
    .argument("<snapshot>", "snapshot folder")
    .action(list);
  addSnapshotDiffCommand(snapshot);
  snapshot
    .command("verify")
    .description("Check a snapshot's files, as siteframe verify does.")
    .argument("<snapshot>", "snapshot folder")
    .option("--generation <n>", "generation to check. Default: the current one", generationOption)
    .action(verify);
  snapshot
    .command("prune")
    .summary("Remove the oldest generations of a snapshot folder.")
    .description(
      "Remove the oldest generations of a snapshot folder. A generation that was the newest in the last 24 hours is kept for its readers.",
    )
    .argument("<snapshot>", "snapshot folder")
    .option("--limit <n>", "generations to keep, including the newest", integerOption(1, 1_000_000), 10)
    .action(prune);
}

async function list(snapshot: string): Promise<void> {
  for (const manifest of await listGenerations(snapshot)) printResult(`${describe(manifest)}`);
}

async function prune(snapshot: string, { limit }: { readonly limit: number }): Promise<void> {
  const { removed, keptForReaders } = await pruneGenerations(snapshot, limit);
  const what = removed.length === 0 ? "nothing" : `generation ${removed.join(", ")}`;
  const kept =
    keptForReaders.length === 0
      ? ""
      : ` Kept generation ${keptForReaders.join(", ")} for readers: newest within the last 24 hours.`;
  printResult(`Removed ${what} of ${snapshot}.${kept}`);
}

function describe(manifest: Manifest): string {
  // A generation without features or changes has no file for them.
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
  readonly limit: number;
}

const DIFFERENT = 3;
const MOST_COLUMNS = 50;
const tables = ["features", "geometries", "definitions", "records", "changes"] as const;

/** Adds `siteframe snapshot diff`, which compares two generations. */
function addSnapshotDiffCommand(snapshot: Command): void {
  snapshot
    .command("diff")
    .summary("Compare two generations of a snapshot folder.")
    .description(
      "Compare two generations of a snapshot folder: new, gone, returned, changed and moved features, definitions, names, and new changes of the log.",
    )
    .argument("<snapshot>", "snapshot folder")
    .argument("[from]", "earlier generation. Default: the one before `to`", generationOption)
    .argument("[to]", "later generation. Default: the current one", generationOption)
    .option("--json", "print everything as JSON")
    .option("--exit-code", "exit with 3 if the generations differ")
    .option("--redact", "show pseudonyms instead of person data")
    .option("--limit <n>", "maximum rows of each table; --json prints all", integerOption(0, 1_000_000), 20)
    .action(run);
}

async function run(path: string, from: number | undefined, to: number | undefined, options: DiffOptions) {
  const diff = await diffSnapshots(path, { from, to, redact: options.redact });
  const text = options.json ? jsonText(diff) : shownText(diff, options.limit);
  printResult(text);
  if (options.exitCode && diff.isDifferent) process.exitCode = DIFFERENT;
}

function jsonText(diff: SnapshotDiff): string {
  const { from, to, counts, isDifferent, diagnostics } = diff;
  const rows = Object.fromEntries(tables.map((name) => [name, diff[name].objects()]));
  return JSON.stringify({ from, to, counts, isDifferent, ...rows, diagnostics }, null, 2);
}

function shownText(diff: SnapshotDiff, rows: number): string {
  const { from, to, counts, isDifferent, diagnostics } = diff;
  const head =
    `From ${provenanceText(from, "generation")} to ${provenanceText(to, "generation")}: ${isDifferent ? "" : "no differences."}`.trim();
  const mismatches = Object.entries(counts).filter(([, count]) => count > 0);
  const width = Math.max(0, ...mismatches.map(([, count]) => counted(count).length));
  const lines = mismatches.map(
    ([name, count]) => `  ${counted(count).padStart(width)}  ${countLabels[name as keyof typeof counts]}`,
  );
  const tableTexts = tables.flatMap((name) =>
    diff[name].numRows() > 0 && rows > 0 ? tableText(name, diff[name], rows) : [],
  );
  return [head, ...lines, ...diagnostics.map(diagnosticText), ...tableTexts].join("\n");
}

const countLabels: Readonly<Record<keyof SnapshotDiff["counts"], string>> = {
  new: "new features",
  gone: "features gone",
  returned: "features returned",
  changed: "features changed",
  geometries: "of them with a different geometry",
  definitions: "property definitions changed",
  records: "sites, operations, blocks and datasets changed",
  changes: "new changes in the log",
};

function tableText(name: string, table: ColumnTable, rows: number): readonly string[] {
  const { age: _, ...view } = arqueroView(table);
  return ["", name, renderTextTable(readTable(view, rows, MOST_COLUMNS), process.stdout.columns)];
}

interface VerifyOptions {
  readonly generation?: number;
}

/** Adds `siteframe verify`, which checks a snapshot. */
export function addVerifyCommand(program: Command): void {
  program
    .command("verify")
    .summary("Check a snapshot's files and references.")
    .description(
      "Check a snapshot's files and references: sha256 and row counts. Exits with 1 if damaged, 2 if incomplete.",
    )
    .argument("<snapshot>", "snapshot folder")
    .option("--generation <n>", "generation to check. Default: the current one", generationOption)
    .action(verify);
}

/** Checks a snapshot and prints the problems. */
export async function verify(snapshot: string, { generation }: VerifyOptions): Promise<void> {
  const result = await verifySnapshot(snapshot, generation);
  const problems = [...result.damage, ...result.references, ...result.notes].map(({ message }) => `${message}\n`);
  const verdict = result.damage.length > 0 ? "is damaged" : result.references.length > 0 ? "is incomplete" : "is sound";
  printResult(
    `${problems.join("")}Generation ${result.generation} of ${snapshot} ${verdict}: ${result.files} files checked.`,
  );
  process.exitCode = result.damage.length > 0 ? 1 : result.references.length > 0 ? 2 : 0;
}
