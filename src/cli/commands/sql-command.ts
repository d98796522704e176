import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { arqueroView } from "../../display/tables/arquero-view.js";
import { readTable } from "../../display/tables/read-table.js";
import { renderTextTable } from "../../display/tables/render-text-table.js";
import { openSnapshot } from "../../snapshot/open-snapshot.js";
import type { CopyFormat, Snapshot, SqlOptions } from "../../snapshot/snapshot.js";
import { integerOption } from "../input/integer-option.js";
import { terminalText } from "../output/terminal-text.js";

interface SqlCommandOptions {
  readonly format: "table" | CopyFormat;
  readonly out?: string;
  readonly generation?: number;
  readonly sandbox?: boolean;
}

const MOST_ROWS = 1000;
const MOST_COLUMNS = 200;

/** `siteframe sql`: runs a query over a snapshot. */
export function addSqlCommand(program: Command): void {
  program
    .command("sql")
    .description("Run SQL (DuckDB's) over a snapshot and print the result, or write it to a file.")
    .argument("<snapshot>", "snapshot folder")
    .argument("<query>", "for example: SELECT * FROM layer_features LIMIT 5")
    .addOption(
      new Option("--format <format>", "how to give the result")
        .choices(["table", "csv", "json", "parquet"])
        .default("table"),
    )
    .option("--out <file>", "file to write to; Parquet needs one")
    .option("--sandbox", "allow the snapshot alone: no other file, no network, no extension, no statement but SELECT")
    .option("--generation <n>", "state to query; the present one if absent", integerOption(1, 1_000_000_000))
    .action(run);
}

async function run(
  path: string,
  query: string,
  { format, out, generation, sandbox }: SqlCommandOptions,
): Promise<void> {
  if (format === "parquet" && out === undefined) {
    throw new ArgumentError("Parquet is not for a terminal.", { hint: "Give --out FILE." });
  }
  const snapshot = await openSnapshot(path, generation === undefined ? {} : { generation });
  const options: SqlOptions = { sandbox, onFinding: tell };
  try {
    if (format === "table") await printTable(snapshot, query, options);
    else if (out === undefined) await print(snapshot, query, format, options);
    else await snapshot.copy(query, out, format, options);
  } finally {
    await snapshot.close();
  }
}

function tell({ message }: Finding): void {
  process.stderr.write(`${message}\n`);
}

async function printTable(snapshot: Snapshot, query: string, options: SqlOptions): Promise<void> {
  const view = arqueroView(await snapshot.sql(query, options));
  if (view) process.stdout.write(`${renderTextTable(readTable(view, MOST_ROWS, MOST_COLUMNS))}\n`);
}

async function* shown(chunks: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const chunk of chunks) yield terminalText(chunk);
}

async function print(snapshot: Snapshot, query: string, format: CopyFormat, options: SqlOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "siteframe-sql-"));
  try {
    const file = join(folder, "result");
    await snapshot.copy(query, file, format, options);
    const end = { end: false };
    if (process.stdout.isTTY) await pipeline(createReadStream(file, "utf8"), shown, process.stdout, end);
    else await pipeline(createReadStream(file), process.stdout, end);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
