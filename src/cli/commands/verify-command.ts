import type { Command } from "commander";
import { verifySnapshot } from "../../snapshot/verify-snapshot.js";
import { generationOption } from "../input/parameters.js";
import { printResult } from "../output/terminal.js";

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
  const found = await verifySnapshot(snapshot, generation);
  const problems = [...found.damage, ...found.references, ...found.notes].map(({ message }) => `${message}\n`);
  const verdict = found.damage.length > 0 ? "is damaged" : found.references.length > 0 ? "is incomplete" : "is sound";
  printResult(
    `${problems.join("")}Generation ${found.generation} of ${snapshot} ${verdict}: ${found.files} files checked.`,
  );
  process.exitCode = found.damage.length > 0 ? 1 : found.references.length > 0 ? 2 : 0;
}
