import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { printable } from "../../core/printable.js";
import { askHistory, specifications } from "../../history/questions/by-name.js";
import type { DialectName } from "../../history/questions/sql/dialect/dialect.js";
import { dialectNames } from "../../history/questions/sql/dialect/dialects.js";
import { openSnapshot } from "../../snapshot/open-snapshot.js";
import type { Snapshot, SqlOptions } from "../../snapshot/snapshot.js";
import { renderTextTable } from "../../tables/display/html/render-table.js";
import { arqueroView, readTable } from "../../tables/display/html/table-view.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import type { CopyFormat } from "../../tables/sql/copy-select.js";
import {
  addQuestionOptions,
  type QuestionFlags,
  questionNames,
  questionText,
  refuseFlags,
} from "../input/asked-question.js";
import { generationOption } from "../input/parameters.js";
import { printMessage, printResult } from "../output/terminal.js";
import { type FileFormat, fileFormats, isFileFormat, writeFileOf } from "../output/write-file.js";

interface SqlCommandOptions extends QuestionFlags {
  readonly format: "table" | CopyFormat | FileFormat;
  readonly out?: string;
  readonly generation?: number;
  readonly sandbox?: boolean;
  readonly asLogged?: boolean;
  readonly timeZone?: string;
  readonly print?: boolean;
  readonly dialect: DialectName;
}

const MOST_ROWS = 1000;
const MOST_COLUMNS = 200;

/** `siteframe sql`: runs a query over a snapshot. */
export function addSqlCommand(program: Command): void {
  const command = program
    .command("sql")
    .description(
      "Run SQL (DuckDB's), or a question of a history, over a snapshot and print the result, or write it to a file. Each semantic type is a view, and its past is TRENCHES_AT('2025-06-30'), TRENCHES_STATES('2025-06-30'), TRENCHES_KNOWN_AT('2025-06-30', '2025-07-02') and the view TRENCHES_HISTORY. SHOW TABLES lists tables and views.",
    )
    .argument("<snapshot>", "snapshot folder, or the address of one: https://…, s3://…")
    .argument(
      "<query>",
      `for example: SELECT * FROM layer_features LIMIT 5; or a question: ${questionNames.join(", ")} (lateEdits are edits that a newer one had overtaken, lateEntries what came in late)`,
    )
    .addOption(
      new Option("--format <format>", "how to give the result")
        .choices(["table", "csv", "json", "parquet", ...fileFormats])
        .default("table"),
    )
    .option("--out <file>", "file to write to; Parquet, XLSX and GeoPackage need one")
    .option("--sandbox", "allow the snapshot alone: no other file, no network, no extension, no statement but SELECT")
    .option("--as-logged", "of values that are not of their definition's type: columns <name> (as logged)")
    .option("--generation <n>", "state to query; the present one if absent", generationOption)
    .option("--time-zone <zone>", "where calendar dates begin and end, for example Europe/Berlin (default: UTC)")
    .option("--print", "print the text of SQL for an engine that has the snapshot's tables, instead of running it")
    .addOption(new Option("--dialect <engine>", "whose SQL to print").choices(dialectNames).default("duckdb"))
    .action(run);
  addQuestionOptions(command);
}

async function run(path: string, asked: string, options: SqlCommandOptions): Promise<void> {
  const { format, out, generation, sandbox, timeZone, dialect, asLogged } = options;
  checkOptions(asked, options);
  const snapshot = await openSnapshot(path, generation === undefined ? {} : { generation });
  const how: SqlOptions = { sandbox, timeZone, asLogged, onFinding: tell };
  try {
    const isQuestion = questionNames.includes(asked);
    const query = isQuestion ? await questionText(snapshot, asked, options, { timeZone, dialect }) : asked;
    if (options.print)
      await write(
        isQuestion ? query : await snapshot.printSql(query, { timeZone, dialect, asLogged, onFinding: tell }),
        out,
      );
    else if (format === "table") await printTable(snapshot, query, how);
    else if (isFileFormat(format)) await writeFileOf(await snapshot.sql(query, how), format, out as string);
    else if (out === undefined) await print(snapshot, query, format, how);
    else await snapshot.copy(query, out, format, how);
  } finally {
    await snapshot.close();
  }
}

function checkOptions(asked: string, options: SqlCommandOptions): void {
  const { format, out, print: isText, dialect, sandbox } = options;
  if (specifications.has(asked) && !questionNames.includes(asked)) throw askHistory(asked);
  if (!questionNames.includes(asked)) refuseFlags("A query", [], options);
  else if (options.asLogged) {
    throw new ArgumentError(`${asked} takes no --as-logged.`, {
      hint: "Queries do: \"FROM TRENCHES_AT('2025-06-30')\" --as-logged.",
    });
  }
  if (!isText && dialect !== "duckdb") {
    throw new ArgumentError(`Queries run on DuckDB here, not on ${dialect}.`, { hint: "Add --print to get the text." });
  }
  if (isText && (format !== "table" || sandbox)) {
    throw new ArgumentError("--print takes neither --format nor --sandbox.", {
      hint: "It prints the statement and does not run it.",
    });
  }
  if ((format === "parquet" || isFileFormat(format)) && out === undefined) {
    const name = { parquet: "Parquet", xlsx: "A workbook", gpkg: "A GeoPackage" }[format];
    throw new ArgumentError(`${name} is not for a terminal.`, { hint: "Give --out FILE." });
  }
}

async function write(text: string, out: string | undefined): Promise<void> {
  if (out === undefined) printResult(`${text};`);
  else await replaceFile(out, (file) => writeFile(file, `${text};\n`));
}

function tell({ message }: Finding): void {
  printMessage(message);
}

async function printTable(snapshot: Snapshot, query: string, options: SqlOptions): Promise<void> {
  const shown = readTable(arqueroView(await snapshot.sql(query, options)), MOST_ROWS, MOST_COLUMNS);
  printResult(renderTextTable(shown, process.stdout.columns));
}

async function* shown(chunks: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const chunk of chunks) yield printable(chunk);
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
    await rm(folder, REMOVE_FOLDER);
  }
}
