import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Argument, type Command } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { trino } from "../../history/questions/engine/trino.js";
import { type DeclaringEngine, declareTables } from "../../snapshot/ddl/declare-tables.js";
import { readManifest } from "../../snapshot/folder/read-generation.js";
import { pinnedFolder } from "../../snapshot/format/own-paths.js";
import { pinTables } from "../../snapshot/pin-tables.js";
import { printResult } from "../output/terminal.js";

interface DdlOptions {
  readonly location?: string;
  readonly schema: string;
  readonly catalog: string;
  readonly server?: string;
  readonly user?: string;
}

/** `siteframe ddl`: declares the tables of a snapshot to an engine. */
export function addDdlCommand(program: Command): void {
  program
    .command("ddl")
    .description(
      "Print the SQL that declares a snapshot's tables to Trino or Spark, or run it on Trino. The state gets a folder of its own below generations/, which no pull touches: declare the next one after a pull.",
    )
    .addArgument(new Argument("<engine>", "engine").choices(["trino", "spark"]))
    .argument("<snapshot>", "snapshot folder")
    .option(
      "--location <url>",
      "where the engine finds the folder: s3://bucket/acme.snapshot; Spark reads the folder itself if absent",
    )
    .option("--schema <name>", "schema for the tables", "siteframe")
    .option("--catalog <name>", "catalog of Trino's Hive connector", "hive")
    .option("--server <url>", "a Trino that asks for no password, to run the SQL on")
    .option("--user <name>", "who asks there", "siteframe")
    .action(run);
}

async function run(engine: DeclaringEngine, snapshot: string, options: DdlOptions): Promise<void> {
  const { schema, catalog, server, user } = options;
  const folder = options.location ?? (engine === "spark" ? pathToFileURL(resolve(snapshot)).href : undefined);
  if (folder === undefined) {
    throw new ArgumentError("Trino has to be told where it finds the folder.", {
      hint: "Give --location s3://bucket/acme.snapshot, or local:///acme.snapshot below its local.location.",
    });
  }
  if (server !== undefined && engine !== "trino") {
    throw new ArgumentError("--server is for Trino.", {
      hint: "Give Spark the SQL that is printed: spark-sql -f FILE.",
    });
  }
  const manifest = await readManifest(snapshot);
  const location = `${folder.replace(/\/+$/, "")}/${pinnedFolder(manifest.generation)}`;
  const statements = declareTables(manifest, engine, { location, schema, catalog });
  await pinTables(snapshot, { generation: manifest.generation });
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
