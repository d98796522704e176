import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import type { CsvFormat } from "../csv/read-csv.js";
import type { EntityColumns, FieldOf, LogColumns, LogFields } from "./log-columns.js";
import type { ReadTime } from "./log-times.js";

const CSV = /\.(csv|tsv|txt)(\.gz|\.zst)?$/i;
const TABLE = /\.(parquet|(ndjson|jsonl|json)(\.gz|\.zst)?)$/i;

/**
 * Reads a log from a file of CSV, Parquet or JSON.
 *
 * @param readTime reads times that are strings
 * @throws FileError for a file that cannot be read, and ArgumentError for a missing column and a function instead of a
 * column name
 */
export async function readLogFile(
  path: string,
  fields: LogFields,
  format: CsvFormat,
  readTime: ReadTime,
): Promise<LogColumns> {
  const named = Object.entries(fields).filter((entry): entry is [string, FieldOf] => entry[1] !== undefined);
  const columns = new Map(named.map(([option, field]) => [option, columnName(option, field)]));
  if (isCsv(path, format)) return (await import("../csv/csv-log.js")).readCsvLog(path, columns, format, readTime);
  return (await import("../sql/log-table.js")).readLogTable(path, columns);
}

/**
 * Reads a table of entities from a file.
 *
 * @param columns names of required columns by option
 * @throws FileError for a file that cannot be read, and ArgumentError for a missing column
 */
export async function readEntityFile(
  path: string,
  columns: ReadonlyMap<string, string>,
  format: CsvFormat,
): Promise<EntityColumns> {
  if (CSV.test(path)) return (await import("../csv/csv-log.js")).readCsvEntities(path, columns, format);
  checkEnding(path);
  return (await import("../sql/log-table.js")).readEntityTable(path);
}

function isCsv(path: string, format: CsvFormat): boolean {
  if (CSV.test(path)) return true;
  checkEnding(path);
  const [option] = Object.entries(format).find(([, value]) => value !== undefined) ?? [];
  if (option === undefined) return false;
  throw new ArgumentError(`fromChanges(): \`${option}\` is for CSV files, but the log is ${showValue(path)}.`, {
    hint: `Remove ${option}.`,
    facts: { option },
  });
}

function checkEnding(path: string): void {
  if (TABLE.test(path)) return;
  throw new ArgumentError(`fromChanges(): unknown file type: ${showValue(path)}.`, {
    hint: "Use a file whose name ends in .csv, .tsv, .txt, .parquet, .ndjson, .jsonl or .json.",
  });
}

function columnName(option: string, field: FieldOf): string {
  if (typeof field === "string") return field;
  throw new ArgumentError(`fromChanges(): \`${option}\` is a function, but files need the name of a column.`, {
    hint: "Read the rows yourself and pass them instead of the path.",
    facts: { option },
  });
}
