import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ColumnTable } from "arquero";
import { type Command, Option } from "commander";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { type Diagnostic, diagnosticText } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { printable } from "../../core/printable.js";
import { readSafely } from "../../core/show-value.js";
import { askHistory, specifications } from "../../history/questions/define/question-methods.js";
import type { DialectName } from "../../history/questions/sql/dialect/dialect.js";
import { dialectNames } from "../../history/questions/sql/dialect/dialects.js";
import { openSnapshot } from "../../snapshot/open-snapshot.js";
import type { Snapshot, SqlOptions } from "../../snapshot/snapshot.js";
import { toTable } from "../../tables/column/table.js";
import { renderTextTable } from "../../tables/display/html/render-table.js";
import { arqueroView, readTable } from "../../tables/display/html/table-view.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { tableToGeoPackage, tableToXLSX } from "../../tables/export/table-exports.js";
import type { WriteFormat } from "../../tables/sql/copy-select.js";
import { generationOption } from "../input/parameters.js";
import {
  addQuestionOptions,
  type QuestionFlags,
  questionNames,
  questionText,
  refuseFlags,
} from "../input/question-options.js";
import { printMessage, printResult } from "../output/terminal.js";

interface SqlCommandOptions extends QuestionFlags {
  readonly format: "table" | WriteFormat | FileFormat;
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

/** Adds `siteframe sql`, which queries a snapshot. */
export function addSqlCommand(program: Command): void {
  const command = program
    .command("sql")
    .summary("Query a snapshot with SQL or a history method.")
    .description(
      "Query a snapshot with SQL (DuckDB) or a history method. Each semantic type is a view. For its past use TRENCHES_AT('2025-06-30'), TRENCHES_STATES('2025-06-30'), TRENCHES_KNOWN_AT('2025-06-30', '2025-07-02') and the view TRENCHES_HISTORY. SHOW TABLES lists tables and views.",
    )
    .argument("<snapshot>", "snapshot folder or address: https://…, s3://…")
    .argument(
      "<query>",
      `SQL, for example SELECT * FROM layer_features LIMIT 5, or a method: ${questionNames.join(", ")}`,
    )
    .addOption(
      new Option("--format <format>", "format of the result")
        .choices(["table", "csv", "json", "parquet", ...fileFormats])
        .default("table"),
    )
    .option("--out <file>", "output file; required for Parquet, XLSX and GeoPackage")
    .option("--sandbox", "read this snapshot only: no other file, network, extension or statement but SELECT")
    .option("--as-logged", "add columns <name> (as logged) with raw values that do not match the declared type")
    .option("--generation <n>", "generation to query. Default: the current one", generationOption)
    .option("--time-zone <zone>", "time zone of calendar dates, for example Europe/Berlin (default: UTC)")
    .option("--print", "print SQL for an engine with the snapshot's tables instead of running it")
    .addOption(new Option("--dialect <engine>", "SQL dialect for --print").choices(dialectNames).default("duckdb"))
    .action(run);
  addQuestionOptions(command);
}

async function run(path: string, statement: string, options: SqlCommandOptions): Promise<void> {
  const { format, out, generation, sandbox, timeZone, dialect, asLogged } = options;
  checkOptions(statement, options);
  const snapshot = await openSnapshot(path, generation === undefined ? {} : { generation });
  const how: SqlOptions = { sandbox, timeZone, asLogged, onDiagnostic: printDiagnostic };
  try {
    const isQuestion = questionNames.includes(statement);
    const query = isQuestion ? await questionText(snapshot, statement, options, { timeZone, dialect }) : statement;
    if (options.print)
      await write(
        isQuestion
          ? query
          : await snapshot.toSQL(query, { timeZone, dialect, asLogged, onDiagnostic: printDiagnostic }),
        out,
      );
    else if (format === "table") await printTable(snapshot, query, how);
    else if (isFileFormat(format)) await writeFileOf(await snapshot.sql(query, how), format, out as string);
    else if (out === undefined) await print(snapshot, query, format, how);
    else await snapshot.writeTo(query, out, format, how);
  } finally {
    await snapshot.close();
  }
}

function checkOptions(statement: string, options: SqlCommandOptions): void {
  const { format, out, print: isText, dialect, sandbox } = options;
  if (specifications.has(statement) && !questionNames.includes(statement)) throw askHistory(statement);
  if (!questionNames.includes(statement)) refuseFlags("a query", [], options);
  else if (options.asLogged) {
    throw new ArgumentError(`siteframe sql ${statement}: --as-logged works with SQL queries only.`, {
      hint: "Write a query: \"FROM TRENCHES_AT('2025-06-30')\" --as-logged.",
    });
  }
  if (!isText && dialect !== "duckdb") {
    throw new ArgumentError(`siteframe sql: --dialect ${dialect} needs --print.`, {
      hint: "Add --print: queries run on DuckDB.",
    });
  }
  if (isText && (format !== "table" || sandbox)) {
    throw new ArgumentError("siteframe sql: --print excludes --format and --sandbox.", {
      hint: "Remove --format and --sandbox: --print does not run the query.",
    });
  }
  if ((format === "parquet" || isFileFormat(format)) && out === undefined) {
    throw new ArgumentError(`siteframe sql: --format ${format} needs --out.`, {
      hint: `Add a file: --out result.${format}.`,
    });
  }
}

async function write(text: string, out: string | undefined): Promise<void> {
  if (out === undefined) printResult(`${text};`);
  else await replaceFile(out, (file) => writeFile(file, `${text};\n`));
}

function printDiagnostic(diagnostic: Diagnostic): void {
  printMessage(diagnosticText(diagnostic));
}

async function printTable(snapshot: Snapshot, query: string, options: SqlOptions): Promise<void> {
  const table = readTable(arqueroView(await snapshot.sql(query, options)), MOST_ROWS, MOST_COLUMNS);
  printResult(renderTextTable(table, process.stdout.columns));
}

async function* shownChunks(chunks: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const chunk of chunks) yield printable(chunk);
}

async function print(snapshot: Snapshot, query: string, format: WriteFormat, options: SqlOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "siteframe-sql-"));
  try {
    const file = join(folder, "result");
    await snapshot.writeTo(query, file, format, options);
    const end = { end: false };
    if (process.stdout.isTTY) await pipeline(createReadStream(file, "utf8"), shownChunks, process.stdout, end);
    else await pipeline(createReadStream(file), process.stdout, end);
  } finally {
    await rm(folder, REMOVE_FOLDER);
  }
}

/** Formats written from a table in memory. */
const fileFormats = ["xlsx", "gpkg"] as const;

/** One of these formats. */
type FileFormat = (typeof fileFormats)[number];

/** Whether a format is one of these. */
function isFileFormat(format: string): format is FileFormat {
  return fileFormats.some((one) => one === format);
}

/** Writes a query result to a file. In a GeoPackage, the column `geometry` (GeoJSON in SQL) becomes the geometry. */
async function writeFileOf(table: ColumnTable, format: FileFormat, path: string): Promise<void> {
  if (format === "xlsx") await tableToXLSX(table, { path });
  else await tableToGeoPackage(withGeometries(table), { path });
}

function withGeometries(table: ColumnTable): ColumnTable {
  return toTable(
    table.columnNames().map((name) => {
      const values = table.column(name) ?? [];
      if (name !== "geometry") return [name, values] as const;
      return [name, Array.from(values, (value) => (typeof value === "string" ? parsed(value) : value))] as const;
    }),
  );
}

function parsed(text: string): unknown {
  return readSafely(() => JSON.parse(text) as unknown, text);
}
