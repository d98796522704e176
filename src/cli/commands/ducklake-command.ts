import type { Command } from "commander";
import { writeDuckLake } from "../../snapshot/write-ducklake.js";
import { printResult } from "../output/terminal.js";

interface LakeOptions {
  readonly location?: string;
  readonly timeZone?: string;
}

/** Adds `siteframe ducklake`, which writes a DuckLake catalog for a snapshot. */
export function addDuckLakeCommand(program: Command): void {
  program
    .command("ducklake")
    .summary("Write a DuckLake catalog for a snapshot.")
    .description(
      "Write a DuckLake catalog for a snapshot, so that DuckDB can attach it: tables of every generation, views of semantic types, and macros for past dates. Later pulls update the catalog.",
    )
    .argument("<snapshot>", "snapshot folder")
    .option(
      "--location <url>",
      "address of the folder for readers: https://data.example.com/acme.snapshot, s3://bucket/acme.snapshot. Default: as before, else the local path",
    )
    .option("--time-zone <zone>", "time zone of the calendar dates passed to macros. Default: as before, else UTC")
    .action(run);
}

async function run(snapshot: string, options: LakeOptions): Promise<void> {
  const { path, generations, timeZone } = await writeDuckLake(snapshot, options);
  printResult(`Wrote ${path} with generation ${generations.join(", ")} and time zone ${timeZone}.`);
}
