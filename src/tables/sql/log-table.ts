import { stat } from "node:fs/promises";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { ArgumentError, FileError, SiteframeError } from "../../core/errors.js";
import { formatCount } from "../../core/format/format-number.js";
import { nestsDeeper } from "../../core/json.js";
import { showValue } from "../../core/show-value.js";
import { checkCompressed } from "../read/decompress.js";
import {
  type CodedValues,
  type EntityColumns,
  type LogColumns,
  type LogTimes,
  noField,
  tooDeep,
} from "../read/log-columns.js";
import { loadDuckDB } from "./load-duckdb.js";
import { queryError } from "./query-error.js";
import { literalPath, sqlText } from "./sql-text.js";
import { hashesOf, itemsOf, noHashes, SHORT, TextCodes, textsOf } from "./text-codes.js";

/**
 * Reads a log from a file of Parquet or JSON.
 *
 * @param columns names by option
 * @throws FileError for a file that cannot be read, and ArgumentError for a missing column
 */
export async function readLogTable(path: string, columns: ReadonlyMap<string, string>): Promise<LogColumns> {
  return withFile(path, async (file) => {
    const selected = await Promise.all(Array.from(columns, ([option, name]) => file.column(name, option)));
    const isDated = ({ option, type }: FileColumn) =>
      (option === "time" && TIME.test(type)) || (option === "sequence" && (TIME.test(type) || NUMBER.test(type)));
    const dated = selected.filter(isDated);
    const coded = selected.filter((column) => !isDated(column));
    const read = await file.read(
      coded.map(({ sql, type }) => (type === "VARCHAR" ? sql : `to_json(${sql})::VARCHAR`)),
      dated.map(({ sql, type }) => `coalesce(${microseconds(sql, type)}, 'NaN'::DOUBLE)`),
    );
    await refuseMissing(file, coded, read.texts, path);
    const values = new Map(
      coded.map(({ option, name, type }, index) => {
        const { codes, values: texts } = read.texts[index] as CodedValues;
        const isText = type === "VARCHAR";
        return [
          option,
          isText
            ? { codes, values: texts }
            : withoutNulls(
                codes,
                texts.map((text) => jsonValue(text as string, type, path, name)),
              ),
        ];
      }),
    );
    const times = new Map(
      dated.map(({ option, type }, index) => [option, timesOf(type, read.numbers[index] as Float64Array)]),
    );
    return {
      length: read.length,
      ids: values.get("id") as CodedValues,
      keys: values.get("key"),
      values: values.get("value") as CodedValues,
      previous: values.get("previous"),
      users: values.get("user"),
      times: (times.get("time") ?? values.get("time")) as LogTimes | CodedValues,
      sequence: times.get("sequence") ?? values.get("sequence"),
      isText: false,
      diagnostics: [],
    };
  });
}

/**
 * Reads all columns of a file of Parquet or JSON.
 *
 * @throws FileError for a file that cannot be read
 */
export async function readEntityTable(path: string): Promise<EntityColumns> {
  return withFile(path, async (file) => {
    const names = await file.names();
    const columns = await Promise.all(names.map((name) => file.column(name, "entities")));
    const read = await file.read(
      columns.map(({ sql }) => `to_json(${sql})::VARCHAR`),
      [],
    );
    const valuesOf = ({ name, type }: FileColumn, { codes, values }: CodedValues) => {
      const parsed = values.map((text) => jsonValue(text as string, type, path, name));
      return Array.from(codes, (code) => parsed[code] ?? null);
    };
    return {
      length: read.length,
      columns: new Map(
        columns.map((column, index) => [column.name, valuesOf(column, read.texts[index] as CodedValues)]),
      ),
      isText: false,
      diagnostics: [],
    };
  });
}

/** Rejects columns that no row of JSON has. */
async function refuseMissing(
  file: LogFile,
  columns: readonly FileColumn[],
  texts: readonly CodedValues[],
  path: string,
): Promise<void> {
  const empty = columns.filter((_, index) => (texts[index] as CodedValues).values.length === 0);
  if (empty.length === 0) return;
  const names = await file.names();
  const missing = names.length > 0 && empty.find(({ name }) => !names.includes(name));
  if (missing) throw noField(missing.option, missing.name, names, showValue(path));
}

/** Codes of values, some of which are null. */
function withoutNulls(codes: Int32Array, values: readonly unknown[]): CodedValues {
  return values.includes(null)
    ? { codes: codes.map((code) => (values[code] === null ? -1 : code)), values }
    : { codes, values };
}

const LONG_INTEGER = /^-?\d{16,}$/;
/** Decimal digits that a double always preserves. */
const KEPT_DIGITS = 15;

/**
 * The value of a JSON string, as in rows in memory: NaN is null. Numbers that a double does not preserve are strings of
 * their digits: integers beyond 2^53, and DECIMALs of more than 15 digits.
 */
function jsonValue(json: string, type: string, path: string, name: string): unknown {
  if (json === "NaN") return null;
  if (json === "Infinity" || json === "-Infinity") return Number(json);
  if (LONG_INTEGER.test(json)) return Number.isSafeInteger(Number(json)) ? Number(json) : json;
  if (type.startsWith("DECIMAL") && json.replace(/\D/g, "").length > KEPT_DIGITS) return json;
  if (nestsDeeper(json)) {
    throw tooDeep(`a value of the column ${showValue(name)} of ${showValue(path)}`, { column: name });
  }
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new ArgumentError(
      `The column ${showValue(name)} of ${showValue(path)} has NaN or an infinity in a list or struct.`,
      {
        hint: "Replace these values with null.",
        facts: { column: name },
      },
    );
  }
}

async function withFile<T>(path: string, use: (file: LogFile) => Promise<T>): Promise<T> {
  const { DuckDBInstance } = await loadDuckDB();
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    return await use(await openFile(instance, connection, path));
  } catch (error) {
    if (error instanceof SiteframeError) throw error;
    const { message, cause } = queryError(`${showValue(path)} cannot be read`, path, error, () => undefined);
    throw new FileError(message, { cause, facts: { path } });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Types of times without a zone. */
const LOCAL = /^(DATE|TIMESTAMP|TIMESTAMP_S|TIMESTAMP_MS|TIMESTAMP_NS)$/;
const TIME = /^(DATE|TIMESTAMP.*)$/;
/** Numbers that a double preserves. */
const NUMBER = /^(U?(TINY|SMALL)INT|U?INTEGER|FLOAT|DOUBLE)$/;

function microseconds(column: string, type: string): string {
  if (LOCAL.test(type)) return `epoch_us(${column}::TIMESTAMP)::DOUBLE`;
  return TIME.test(type) ? `epoch_us(${column})::DOUBLE` : `${column}::DOUBLE`;
}

function timesOf(type: string, us: Float64Array): LogTimes {
  const isLocal = LOCAL.test(type);
  return { us, isLocal: isLocal ? new Uint8Array(us.length).fill(1) : undefined, areTimes: TIME.test(type) };
}

/** The result of reading a file. */
interface FileRead {
  readonly length: number;
  readonly texts: readonly CodedValues[];
  readonly numbers: readonly Float64Array[];
}

/** Expressions to read. */
interface Request {
  readonly length: number;
  readonly texts: readonly string[];
  /** Expressions of `texts` with strings that do not fit into a vector. */
  readonly long: readonly string[];
  /** Expressions of type DOUBLE. */
  readonly numbers: readonly string[];
}

/** A column of a file as an expression of its type. */
interface FileColumn {
  readonly option: string;
  readonly name: string;
  readonly sql: string;
  readonly type: string;
}

/** Maximum number of rows: for files of any size, and for larger ones per byte of the file. */
const [ALWAYS_ALLOWED, ROWS_PER_BYTE] = [10_000_000, 10];

/** A file of Parquet or JSON as table `log`. */
class LogFile {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #path: string;
  /** Types of the columns of Parquet by name; undefined for JSON. */
  readonly #types: ReadonlyMap<string, ParquetColumn> | undefined;

  constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    path: string,
    types?: ReadonlyMap<string, ParquetColumn>,
  ) {
    this.#instance = instance;
    this.#connection = connection;
    this.#path = path;
    this.#types = types;
  }

  /** The names of all columns, in order of appearance. */
  async names(): Promise<readonly string[]> {
    if (this.#types) return [...this.#types.keys()];
    const rows = await this.#connection.runAndReadAll(
      `SELECT key FROM (
         SELECT rowid AS row, unnest(json_keys(json)) AS key, generate_subscripts(json_keys(json), 1) AS index FROM log
       ) GROUP BY key ORDER BY min(row), min(index)`,
    );
    return rows.getRows().map(([name]) => String(name));
  }

  /** @throws ArgumentError for a missing column in Parquet; missing columns in JSON are null */
  async column(name: string, option: string): Promise<FileColumn> {
    if (!this.#types) {
      const pointer = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      return { option, name, sql: `json_extract(json, ${sqlText(pointer)})`, type: "JSON" };
    }
    const column = this.#types.get(name);
    if (!column) throw noField(option, name, await this.names(), showValue(this.#path));
    return { option, name, ...column };
  }

  /**
   * Reads expressions of `log`.
   *
   * @param texts VARCHAR
   * @param numbers DOUBLE
   */
  async read(texts: readonly string[], numbers: readonly string[]): Promise<FileRead> {
    const length = await this.#checkedLength();
    const [counted = []] = (
      await this.#connection.runAndReadAll(
        `SELECT ${["0", ...texts.map((text) => `max(strlen(${text}))`)].join()} FROM log`,
      )
    ).getRows();
    const [, ...longest] = counted.map(Number);
    const long = texts.filter((_, index) => (longest[index] as number) > SHORT);
    // In parallel: the first runs on this thread, the second on those of DuckDB.
    const [read, collide] = await Promise.all([
      this.#readColumns({ length, texts, long, numbers }),
      this.#collide(long),
    ]);
    if (!collide) return read;
    throw new FileError(`${showValue(this.#path)} has two strings with the same hash.`, {
      hint: "Read the rows yourself and pass them instead of the path.",
      facts: { path: this.#path },
    });
  }

  /** Number of rows. Identical rows take almost no bytes of a file, but memory. */
  async #checkedLength(): Promise<number> {
    const counted = await this.#connection.runAndReadAll("SELECT count(*) FROM log");
    const length = Number(counted.getRows()[0]?.[0]);
    if (length <= ALWAYS_ALLOWED) return length;
    const { size } = await stat(this.#path);
    if (length <= ROWS_PER_BYTE * size) return length;
    const [rows, bytes] = [length, size].map((count) => formatCount(count));
    throw new FileError(`${showValue(this.#path)} has ${rows} rows in ${bytes} bytes.`, {
      hint: `Check the file: a log has at most ${ROWS_PER_BYTE} rows for each byte.`,
      facts: { path: this.#path, rows: length, bytes: size },
    });
  }

  async #readColumns({ length, texts, long, numbers }: Request): Promise<FileRead> {
    const dictionaries = texts.map(() => new TextCodes(length));
    const columns = numbers.map(() => new Float64Array(length));
    const hashes = long.map((text) => `CASE WHEN strlen(${text}) > ${SHORT} THEN hash(${text}) END`);
    const result = await this.#connection.run(`SELECT ${[...texts, ...numbers, ...hashes].join()} FROM log`);
    const hashPlace = texts.map((text) => texts.length + numbers.length + long.indexOf(text));
    let start = 0;
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      const { rowCount } = chunk;
      for (const [index, dictionary] of dictionaries.entries()) {
        const isLong = long.includes(texts[index] as string);
        const hashed = isLong ? hashesOf(chunk, hashPlace[index] as number) : noHashes;
        dictionary.add(textsOf(chunk, index, rowCount), hashed, start);
      }
      for (const [index, column] of columns.entries()) {
        column.set(itemsOf<Float64Array>(chunk, texts.length + index).subarray(0, rowCount), start);
      }
      start += rowCount;
    }
    if (start !== length) {
      throw new FileError(`${showValue(this.#path)} could only be read up to row ${start}.`, {
        facts: { path: this.#path, row: start },
      });
    }
    return { length, texts: dictionaries, numbers: columns };
  }

  /**
   * Whether two long strings have one hash: with the same prefix and length they would get the same code. Such a pair is
   * improbable, but it can be constructed.
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
}

/** A column of Parquet as an expression. */
interface ParquetColumn {
  readonly sql: string;
  readonly type: string;
}

async function openFile(instance: DuckDBInstance, connection: DuckDBConnection, path: string): Promise<LogFile> {
  const source = sqlText(literalPath(path));
  if (!/\.parquet$/i.test(path)) {
    await checkCompressed(path);
    await connection.run(`CREATE TABLE log AS SELECT json FROM read_json_objects(${source})`);
    return new LogFile(instance, connection, path);
  }
  // DuckDB's names of columns ignore case, so columns are addressed by their position.
  const schema = await connection.runAndReadAll(`SELECT name, num_children FROM parquet_schema(${source})`);
  const names = topLevelNames(schema.getRows().map(([name, children]) => [String(name), Number(children ?? 0)]));
  const aliases = names.map((_, index) => `c${index}`);
  await connection.run(
    `CREATE VIEW log AS FROM read_parquet(${source}, hive_partitioning = false) AS file(${aliases.join()})`,
  );
  const described = await connection.runAndReadAll("DESCRIBE log");
  const types = described.getRows().map(([, type]) => String(type));
  return new LogFile(
    instance,
    connection,
    path,
    new Map(names.map((name, index) => [name, { sql: `c${index}`, type: types[index] as string }])),
  );
}

/** Names of the columns in a schema, whose first entry is its root and in which an entry precedes its children. */
function topLevelNames([root, ...entries]: readonly (readonly [string, number])[]): readonly string[] {
  if (root === undefined) throw new TypeError("a Parquet schema has a root");
  const names: string[] = [];
  let [, rest] = root;
  /** Number of entries below the current column. */
  let below = 0;
  for (const [name, children] of entries) {
    if (below === 0) {
      if (rest === 0) break;
      names.push(name);
      rest -= 1;
      below = children;
    } else below += children - 1;
  }
  return names;
}
