import type { Command } from "commander";
import { makeLake } from "../../snapshot/make-lake.js";
import { printResult } from "../output/terminal.js";

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
      "where readers find the folder: https://data.example.com/acme.snapshot, s3://bucket/acme.snapshot. Default: as before, else on this machine",
    )
    .option(
      "--time-zone <zone>",
      "time zone in which the calendar dates that macros are given end. Default: as before, else UTC",
    )
    .action(run);
}

async function run(snapshot: string, options: LakeOptions): Promise<void> {
  const { path, generations, timeZone } = await makeLake(snapshot, options);
  printResult(`Wrote ${path} with generation ${generations.join(", ")} and time zone ${timeZone}.`);
}
