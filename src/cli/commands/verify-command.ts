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
  const result = await verifySnapshot(snapshot, generation);
  const problems = [...result.damage, ...result.references, ...result.notes].map(({ message }) => `${message}\n`);
  const verdict = result.damage.length > 0 ? "is damaged" : result.references.length > 0 ? "is incomplete" : "is sound";
  printResult(
    `${problems.join("")}Generation ${result.generation} of ${snapshot} ${verdict}: ${result.files} files checked.`,
  );
  process.exitCode = result.damage.length > 0 ? 1 : result.references.length > 0 ? 2 : 0;
}
