import type { Command } from "commander";
import { makeLake } from "../../snapshot/make-lake.js";

interface LakeOptions {
  readonly location?: string;
  readonly timeZone?: string;
}

/** `siteframe lake`: makes a snapshot a DuckLake. */
export function addLakeCommand(program: Command): void {
  program
    .command("lake")
    .description(
      "Write the catalog by which DuckDB attaches a snapshot as a DuckLake: its tables in every state, its semantic types as views, and their past as macros. Later pulls keep it true.",
    )
    .argument("<snapshot>", "snapshot folder")
    .option(
      "--location <url>",
      "where readers find the folder: https://data.example.com/acme.snapshot, s3://bucket/acme.snapshot; on this machine if absent",
    )
    .option("--time-zone <zone>", "time zone in which the calendar dates that macros are given end", "UTC")
    .action(run);
}

async function run(snapshot: string, options: LakeOptions): Promise<void> {
  const { path, generations } = await makeLake(snapshot, options);
  process.stdout.write(`Wrote ${path} with generation ${generations.join(", ")}.\n`);
}
