import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Argument, type Command } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { trino } from "../../history/questions/engine/trino.js";
import { type DeclaringEngine, declareTables } from "../../snapshot/ddl/declare-tables.js";
import { readManifest } from "../../snapshot/folder/manifest-file.js";
import { pinnedFolder } from "../../snapshot/format/snapshot-paths.js";
import { pinGeneration } from "../../snapshot/pin-generation.js";
import { writeDuckLake } from "../../snapshot/write-ducklake.js";
import { printResult } from "../output/terminal.js";

interface DdlOptions {
  readonly location?: string;
  readonly schema: string;
  readonly catalog: string;
  readonly server?: string;
  readonly user?: string;
}

/** Adds `siteframe ddl`, which declares a snapshot's tables to an engine. */
export function addDdlCommand(program: Command): void {
  program
    .command("ddl")
    .summary("Declare a snapshot's tables to Trino or Spark.")
    .description(
      "Declare a snapshot's tables to Trino or Spark. Prints the SQL, or runs it on Trino with --server. The generation gets its own folder below generations/, which later pulls do not change: declare the next one after a pull.",
    )
    .addArgument(new Argument("<engine>", "engine").choices(["trino", "spark"]))
    .argument("<snapshot>", "snapshot folder")
    .option(
      "--location <url>",
      "address of the folder for the engine: s3://bucket/acme.snapshot; for Spark the default is the folder itself",
    )
    .option("--schema <name>", "schema for the tables", "siteframe")
    .option("--catalog <name>", "catalog of Trino's Hive connector", "hive")
    .option("--server <url>", "Trino server without password to run the SQL on")
    .option("--user <name>", "user name for --server", "siteframe")
    .action(declare);
}

async function declare(engine: DeclaringEngine, snapshot: string, options: DdlOptions): Promise<void> {
  const { schema, catalog, server, user } = options;
  const folder = options.location ?? (engine === "spark" ? pathToFileURL(resolve(snapshot)).href : undefined);
  if (folder === undefined) {
    throw new ArgumentError("siteframe ddl trino: --location is missing.", {
      hint: "Add --location s3://bucket/acme.snapshot, or local:///acme.snapshot below Trino's local.location.",
    });
  }
  if (server !== undefined && engine !== "trino") {
    throw new ArgumentError("siteframe ddl spark: --server works with Trino only.", {
      hint: "Save the printed SQL and run: spark-sql -f FILE.",
    });
  }
  const manifest = await readManifest(snapshot);
  const location = `${folder.replace(/\/+$/, "")}/${pinnedFolder(manifest.generation)}`;
  const statements = declareTables(manifest, engine, { location, schema, catalog });
  await pinGeneration(snapshot, { generation: manifest.generation });
  if (server === undefined) {
    printResult(statements.map((statement) => `${statement};`).join("\n\n"));
    return;
  }
  const door = trino({ server, catalog, schema, ...(user === undefined ? {} : { user }) });
  try {
    for (const statement of statements) for await (const _ of door.query(statement));
  } finally {
    await door.close();
  }
  printResult(`Declared the tables of ${snapshot} in ${catalog}.${schema}.`);
}

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
    .action(writeCatalog);
}

async function writeCatalog(snapshot: string, options: LakeOptions): Promise<void> {
  const { path, generations, timeZone } = await writeDuckLake(snapshot, options);
  printResult(`Wrote ${path} with generation ${generations.join(", ")} and time zone ${timeZone}.`);
}
