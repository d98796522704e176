import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { type CsvDialect, readCsvLog } from "../csv/read-csv-log.js";
import {
  type CodedValues,
  type EntityColumns,
  type FieldOf,
  type LogColumns,
  type LogFields,
  type LogTimes,
  noField,
  numbersWhereAll,
} from "../read/log-columns.js";
import { loadDuckDB } from "./load-duckdb.js";
import { queryError } from "./query-error.js";
import { quotedName } from "./sql-names.js";
import { sqlText } from "./sql-text.js";
import { hashesOf, itemsOf, noHashes, SHORT, TextCodes, textsOf } from "./text-codes.js";

type FileKind = "csv" | "parquet" | "json";

/** How files are read, by how their names end. */
const kinds: readonly (readonly [FileKind, RegExp])[] = [
  ["csv", /\.(csv|tsv|txt)(\.gz|\.zst)?$/i],
  ["parquet", /\.parquet$/i],
  ["json", /\.(ndjson|jsonl|json)(\.gz|\.zst)?$/i],
];

/** Options of a log in a file. */
export interface LogFileOptions {
  /** How times are written in CSV, as `strptime` has it: `"%d/%b/%y %I:%M %p"`. ISO 8601 if absent. */
  readonly timeFormat?: string | undefined;
}

/**
 * Reads a log from a file of CSV, Parquet or JSON: by DuckDB, but for CSV that is written as usual, of which DuckDB says how
 * that is.
 *
 * @throws ArgumentError for a file that cannot be read, a column that there is not, and a function where a name is wanted
 */
export async function readLogFile(path: string, fields: LogFields, options: LogFileOptions): Promise<LogColumns> {
  return withFile(path, async (file) => {
    const named = Object.entries(fields).filter((entry): entry is [string, FieldOf] => entry[1] !== undefined);
    const columns = new Map(named.map(([option, field]) => [option, columnName(option, field)] as const));
    const plain = await file.readPlain(columns, options);
    if (plain) return plain;
    await file.load(columns, options);
    const types = await file.types();
    const isTime = (option: string) => isDated(option) && TIME.test(types.get(option) as string);
    const isNumber = (option: string) => option === "sequence" && NUMBER.test(types.get(option) as string);
    const [dated, coded] = partition([...columns.keys()], (option) => isTime(option) || isNumber(option));
    // A column of texts is read as it is, all else as JSON: an id 7 is not an id "7".
    const isText = (option: string) => types.get(option) === "VARCHAR";
    const texts = coded.map((option) =>
      isText(option) ? quotedName(option) : `to_json(${quotedName(option)})::VARCHAR`,
    );
    const numbers = dated.map(
      (option) => `coalesce(${microseconds(quotedName(option), types.get(option) as string)}, 'NaN'::DOUBLE)`,
    );
    const read = await file.read([...texts, ...numbers], texts.length);
    const values = new Map(
      coded.map((option, place) => {
        const { codes, values: list } = read.texts[place] as CodedValues;
        return [option, isText(option) ? { codes, values: list } : { codes, values: list.map(parsed) }] as const;
      }),
    );
    const times = new Map(
      dated.map(
        (option, place) => [option, timesOf(types.get(option) as string, read.numbers[place] as Float64Array)] as const,
      ),
    );
    const idOf = (option: string) => {
      const own = values.get(option);
      return own && file.kind === "csv" ? numbersWhereAll(own) : own;
    };
    return {
      length: read.length,
      ids: idOf("id") as CodedValues,
      keys: values.get("key"),
      values: values.get("value") as CodedValues,
      previous: values.get("previous"),
      users: idOf("user"),
      times: (times.get("time") ?? values.get("time")) as LogTimes | CodedValues,
      sequence: times.get("sequence") ?? values.get("sequence"),
      isText: file.kind === "csv",
    };
  });
}

function isDated(option: string): boolean {
  return option === "time" || option === "sequence";
}

function partition<T>(list: readonly T[], isFirst: (one: T) => boolean): readonly [T[], T[]] {
  return [list.filter(isFirst), list.filter((one) => !isFirst(one))];
}

/** A value of JSON; null is null. */
function parsed(text: unknown): unknown {
  return JSON.parse(text as string) as unknown;
}

/**
 * Reads a table of entities from a file.
 *
 * @throws ArgumentError for a file that cannot be read
 */
export async function readEntityFile(path: string): Promise<EntityColumns> {
  return withFile(path, (file) => file.rows());
}

function columnName(option: string, field: FieldOf): string {
  if (typeof field === "string") return field;
  throw new ArgumentError(`The option ${option} is a function, but of a file it is the name of a column.`, {
    hint: "Read the rows yourself, and give them instead of the path.",
    facts: { option },
  });
}

async function withFile<T>(path: string, use: (file: LogFile) => Promise<T>): Promise<T> {
  const kind = kinds.find(([, ending]) => ending.test(path))?.[0];
  if (!kind) {
    throw new ArgumentError(`${showValue(path)} is no file of rows, by its name.`, {
      hint: "Its name must end in .csv, .tsv, .parquet, .ndjson, .jsonl or .json.",
    });
  }
  const { DuckDBInstance } = await loadDuckDB();
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    return await use(new LogFile(instance, connection, path, kind));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Times of these types name no zone. */
const LOCAL = /^(DATE|TIMESTAMP|TIMESTAMP_S|TIMESTAMP_MS|TIMESTAMP_NS)$/;
const TIME = /^(DATE|TIMESTAMP.*)$/;
const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL.*)$/;

function microseconds(column: string, type: string): string {
  if (LOCAL.test(type)) return `epoch_us(${column}::TIMESTAMP)::DOUBLE`;
  return TIME.test(type) ? `epoch_us(${column})::DOUBLE` : `${column}::DOUBLE`;
}

function timesOf(type: string, us: Float64Array): LogTimes {
  const isLocal = LOCAL.test(type);
  return { us, isLocal: isLocal ? new Uint8Array(us.length).fill(1) : undefined, areTimes: TIME.test(type) };
}

/** What was read of a file. */
interface FileColumns {
  readonly length: number;
  readonly texts: readonly CodedValues[];
  readonly numbers: readonly Float64Array[];
}

/** What is read of table `log`: expressions. */
interface AskedColumns {
  readonly length: number;
  readonly texts: readonly string[];
  /** Those of them that have texts which do not fit into a vector. */
  readonly long: readonly string[];
  /** DOUBLE. */
  readonly numbers: readonly string[];
}

/** A file as a table of DuckDB. */
class LogFile {
  readonly kind: FileKind;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #path: string;

  constructor(instance: DuckDBInstance, connection: DuckDBConnection, path: string, kind: FileKind) {
    this.#instance = instance;
    this.#connection = connection;
    this.#path = path;
    this.kind = kind;
  }

  /** Reads a file of CSV by its bytes, which takes about half the time; undefined if it is not written as usual. */
  async readPlain(
    columns: ReadonlyMap<string, string>,
    { timeFormat }: LogFileOptions,
  ): Promise<LogColumns | undefined> {
    if (this.kind !== "csv" || timeFormat !== undefined) return undefined;
    // Side by side: one is the work of DuckDB's threads, the other of this one.
    const [dialect, log] = await Promise.all([this.#dialect(columns), readCsvLog(this.#path, columns, isDated)]);
    if (!dialect || !log?.agrees(dialect)) return undefined;
    const { length, texts, dated } = log.finish();
    const idOf = (option: string) => {
      const own = texts.get(option);
      return own && numbersWhereAll(own);
    };
    return {
      length,
      ids: idOf("id") as CodedValues,
      keys: texts.get("key"),
      values: texts.get("value") as CodedValues,
      previous: texts.get("previous"),
      users: idOf("user"),
      times: dated.get("time") as LogTimes,
      sequence: dated.get("sequence"),
      isText: true,
    };
  }

  /** How DuckDB would read the file; undefined if it cannot. */
  async #dialect(columns: ReadonlyMap<string, string>): Promise<CsvDialect | undefined> {
    const sql = `FROM sniff_csv(${sqlText(this.#path)}${listedTypes(this.#typesOf(columns))})`;
    const [row] = await this.#connection.runAndReadAll(sql).then(
      (read) => read.getRowObjectsJson(),
      () => [],
    );
    if (!row) return undefined;
    const listed = row["Columns"] as unknown as readonly { readonly name: string; readonly type: string }[];
    return {
      delimiter: row["Delimiter"] as string,
      quote: row["Quote"] as string,
      escape: row["Escape"] as string,
      newLine: row["NewLineDelimiter"] as string,
      comment: row["Comment"] as string,
      skipRows: Number(row["SkipRows"]),
      hasHeader: row["HasHeader"] === true,
      timestampFormat: row["TimestampFormat"] as string | null,
      types: new Map(listed.map(({ name, type }) => [name, type])),
    };
  }

  /** Loads the columns into table `log`, called as their options. */
  async load(columns: ReadonlyMap<string, string>, { timeFormat }: LogFileOptions): Promise<void> {
    // Columns that are listed and not there would be null.
    if (this.kind === "json") await this.#refuseColumns(columns);
    const selected = [...columns].map(([option, column]) => `${quotedName(column)} AS ${quotedName(option)}`);
    const from = this.#reader(this.#typesOf(columns), timeFormat);
    try {
      await this.#connection.run(`CREATE TABLE log AS SELECT ${selected.join()} FROM ${from}`);
    } catch (error) {
      await this.#refuseColumns(columns);
      throw fileError(this.#path, error);
    }
  }

  /** What DuckDB must not guess: texts of CSV, and all of JSON, whose times it would take out of their zones. */
  #typesOf(columns: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    if (this.kind === "json") {
      return new Map([...columns].map(([option, column]) => [column, option === "key" ? "VARCHAR" : "JSON"]));
    }
    return new Map([...columns].filter(([option]) => !isDated(option)).map(([, column]) => [column, "VARCHAR"]));
  }

  /** The types of `log`. */
  async types(): Promise<ReadonlyMap<string, string>> {
    return this.#describe("log");
  }

  /**
   * Reads expressions of `log`.
   *
   * @param textCount so many of the first are texts, the others are DOUBLE
   */
  async read(expressions: readonly string[], textCount: number): Promise<FileColumns> {
    const texts = expressions.slice(0, textCount);
    const [counted = []] = (
      await this.#connection.runAndReadAll(
        `SELECT count(*), ${texts.map((text) => `max(strlen(${text}))`).join()} FROM log`,
      )
    ).getRows();
    const [length = 0, ...longest] = counted.map(Number);
    const long = texts.filter((_, place) => (longest[place] as number) > SHORT);
    // Side by side: one is the work of DuckDB's threads, the other of this one.
    const [read, collide] = await Promise.all([
      this.#readColumns({ length, texts, long, numbers: expressions.slice(textCount) }),
      this.#collide(long),
    ]);
    if (!collide) return read;
    throw new ArgumentError(
      `${showValue(this.#path)} has two texts that cannot be told from each other by their hash.`,
      { hint: "Read the rows yourself, and give them instead of the path." },
    );
  }

  async #readColumns({ length, texts, long, numbers }: AskedColumns): Promise<FileColumns> {
    const dictionaries = texts.map(() => new TextCodes(length));
    const columns = numbers.map(() => new Float64Array(length));
    const hashes = long.map((text) => `CASE WHEN strlen(${text}) > ${SHORT} THEN hash(${text}) END`);
    const result = await this.#connection.run(`SELECT ${[...texts, ...numbers, ...hashes].join()} FROM log`);
    const hashPlace = texts.map((text) => texts.length + numbers.length + long.indexOf(text));
    let start = 0;
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      const { rowCount } = chunk;
      for (const [place, dictionary] of dictionaries.entries()) {
        const isLong = long.includes(texts[place] as string);
        const hashed = isLong ? hashesOf(chunk, hashPlace[place] as number) : noHashes;
        dictionary.add(textsOf(chunk, place, rowCount), hashed, start);
      }
      for (const [place, column] of columns.entries()) {
        column.set(itemsOf<Float64Array>(chunk, texts.length + place).subarray(0, rowCount), start);
      }
      start += rowCount;
    }
    if (start !== length) throw new ArgumentError(`${showValue(this.#path)} could be read up to row ${start} only.`);
    return { length, texts: dictionaries, numbers: columns };
  }

  /**
   * Whether two long texts have one hash: with the same prefix and length they would be taken for one. Nobody has seen such a
   * pair, but it can be made.
   */
  async #collide(long: readonly string[]): Promise<boolean> {
    const connection = await this.#instance.connect();
    try {
      for (const text of long) {
        const sql = `SELECT hash(${text}) FROM log WHERE strlen(${text}) > ${SHORT} GROUP BY 1 HAVING min(${text}) <> max(${text}) LIMIT 1`;
        if ((await connection.runAndReadAll(sql)).currentRowCount > 0) return true;
      }
      return false;
    } finally {
      connection.closeSync();
    }
  }

  /** All of it: texts of CSV, else values of JSON. */
  async rows(): Promise<EntityColumns> {
    try {
      const names = [...(await this.#names())];
      const types = new Map(names.map((name) => [name, this.kind === "json" ? "JSON" : "VARCHAR"]));
      const result = await this.#connection.runAndReadAll(`SELECT * FROM ${this.#reader(types, undefined)}`);
      const columns = result.getColumnsJson();
      const read = (values: readonly unknown[]) =>
        this.kind === "json" ? values.map((text) => (text === null ? null : parsed(text))) : values;
      return {
        length: result.currentRowCount,
        columns: new Map(result.columnNames().map((name, place) => [name, read(columns[place] as readonly unknown[])])),
        isText: this.kind === "csv",
      };
    } catch (error) {
      throw fileError(this.#path, error);
    }
  }

  /** @param types of columns; those that are left out are guessed */
  #reader(types: ReadonlyMap<string, string>, timeFormat: string | undefined): string {
    const path = sqlText(this.#path);
    if (this.kind === "parquet") return `read_parquet(${path})`;
    if (this.kind === "json") return `read_json(${path}${listedTypes(types, "columns")})`;
    const format = timeFormat === undefined ? "" : `, timestampformat = ${sqlText(timeFormat)}`;
    return `read_csv(${path}${listedTypes(types)}${format})`;
  }

  async #names(): Promise<Iterable<string>> {
    return (await this.#describe(`SELECT * FROM ${this.#reader(new Map(), undefined)}`)).keys();
  }

  async #describe(what: string): Promise<ReadonlyMap<string, string>> {
    const rows = (await this.#connection.runAndReadAll(`DESCRIBE ${what}`)).getRows();
    return new Map(rows.map(([name, type]) => [String(name), String(type)]));
  }

  async #refuseColumns(columns: ReadonlyMap<string, string>): Promise<void> {
    const known = await this.#names().catch(() => undefined);
    if (!known) return;
    const names = [...known];
    for (const [option, column] of columns) {
      if (!names.includes(column)) throw noField(option, column, names, showValue(this.#path));
    }
  }
}

/** Types as an option of what reads a file. */
function listedTypes(types: ReadonlyMap<string, string>, option = "types"): string {
  const listed = [...types].map(([column, type]) => `${sqlText(column)}: '${type}'`).join();
  return listed === "" ? "" : `, ${option} = {${listed}}`;
}

function fileError(path: string, error: unknown): unknown {
  if (error instanceof ArgumentError) return error;
  return queryError(`${showValue(path)} cannot be read`, path, error, () => undefined);
}
