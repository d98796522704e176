import type { DuckDBMaterializedResult, DuckDBType, DuckDBValue, DuckDBValueConverter, JS } from "@duckdb/node-api";
import type { ColumnTable } from "arquero";
import { formatInstant } from "../../core/format/format-date.js";
import { dateOf, type ExactUs } from "../../core/instant.js";
import { type Column, computedColumn, DateColumn } from "../column/column.js";
import { toTable } from "../column/table.js";
import { readWkb } from "../export/wkb.js";
import { declareType } from "../types/declared-type.js";
import { loadDuckDB } from "./load-duckdb.js";

/** Decimals of up to so many digits can be restored from a double. */
const EXACT_DIGITS = 15;
/** The largest microseconds that a `Date` can hold. */
const MOST_US = 8_640_000_000_000_000_000n;

/** Options of `resultTable()`. */
export interface ResultOptions {
  /** Whether to return JSON parsed instead of as text. */
  readonly parsesJson?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The result of a query as a table, without loss:
 *
 * - an integer is a number if a double is exact, else a `bigint`; a DECIMAL is a number if it is such an integer or has
 *   at most 15 digits, else the string of all its digits
 * - a TIMESTAMP is a `Date`, and its column has the microseconds. Timestamps that do not fit (infinity, nanoseconds,
 *   years outside the range of `Date`) are DuckDB's text
 * - DATE, TIME, INTERVAL, UUID, BIT and ENUM are DuckDB's text; BLOB is bytes
 * - GEOMETRY is GeoJSON, parsed or as text like JSON. Measures (M), which GeoJSON lacks, are left out
 * - LIST and ARRAY are arrays, STRUCT an object, MAP an array of `{ key, value }`, UNION `{ tag, value }`
 *
 * The result is read chunk by chunk, so that timers and other work can run in between.
 *
 * @throws the signal's reason once it is aborted
 */
export async function resultTable(
  result: DuckDBMaterializedResult,
  { parsesJson = false, signal }: ResultOptions = {},
): Promise<ColumnTable> {
  const read = await valueReader(parsesJson);
  const columns = result.columnTypes().map((type) => new ResultColumn(type));
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    signal?.throwIfAborted();
    for (const [index, column] of columns.entries()) {
      for (const value of chunk.getColumnValues(index)) {
        const made = read.converter(value, column.type, read.converter);
        column.push(made, made instanceof Date ? read.timestamp(value)?.us : undefined);
      }
    }
  }
  signal?.throwIfAborted();
  return toTable(result.deduplicatedColumnNames().map((name, index) => [name, columns[index]?.made() ?? []] as const));
}

/** The values of a column of a result. */
class ResultColumn {
  readonly type: DuckDBType;
  readonly #values: unknown[] = [];
  /** Microseconds since 1970; NaN for values that are not instants. */
  readonly #us: ExactUs[] = [];
  readonly #isOfTimestamps: boolean;

  constructor(type: DuckDBType) {
    this.type = type;
    this.#isOfTimestamps = String(type).startsWith("TIMESTAMP");
  }

  push(value: unknown, us: bigint | undefined): void {
    this.#values.push(value);
    if (this.#isOfTimestamps) this.#us.push(us ?? Number.NaN);
  }

  made(): Column {
    if (String(this.type) === "DATE") return declareType(this.#values, { of: "table", type: "date" });
    const isOfInstants = this.#isOfTimestamps && !this.#values.some((value) => typeof value === "string");
    if (!isOfInstants) return this.#values;
    const usAt = (row: number) => this.#us[row] as ExactUs;
    const texts = computedColumn(this.#us.length, (row) => (Number.isNaN(usAt(row)) ? null : formatInstant(usAt(row))));
    const instants = Object.assign(texts, { us: (row: number) => Number(usAt(row)) });
    return declareType(new DateColumn(instants), { of: "table", type: "timestamp" });
  }
}

/** A timestamp of any precision. */
interface Timestamp {
  /** Truncated to the microsecond. */
  readonly us: bigint;
  readonly isFiniteTime: boolean;
  /** DuckDB's text. */
  readonly text: () => string;
  /** Whether it has a finer precision than microseconds. */
  readonly isFiner?: boolean;
}

interface ValueReader {
  readonly converter: DuckDBValueConverter<unknown>;
  timestamp(value: DuckDBValue): Timestamp | undefined;
}

async function valueReader(parsesJson: boolean): Promise<ValueReader> {
  const duckdb = await loadDuckDB();
  const writtenValues = [
    ...[duckdb.DuckDBBitValue, duckdb.DuckDBIntervalValue, duckdb.DuckDBUUIDValue],
    ...[duckdb.DuckDBTimeValue, duckdb.DuckDBTimeNSValue, duckdb.DuckDBTimeTZValue],
  ];
  const timestamp = (value: DuckDBValue): Timestamp | undefined => {
    const text = () => String(value);
    if (value instanceof duckdb.DuckDBTimestampValue) return { us: value.micros, isFiniteTime: value.isFinite, text };
    if (value instanceof duckdb.DuckDBTimestampTZValue) {
      // DuckDB's own text is in the time zone of the machine.
      const inUtc = () => `${new duckdb.DuckDBTimestampValue(value.micros)}+00`;
      return { us: value.micros, isFiniteTime: value.isFinite, text: inUtc };
    }
    if (value instanceof duckdb.DuckDBTimestampSecondsValue) {
      return { us: value.seconds * 1_000_000n, isFiniteTime: value.isFinite, text };
    }
    if (value instanceof duckdb.DuckDBTimestampMillisecondsValue) {
      return { us: value.millis * 1000n, isFiniteTime: value.isFinite, text };
    }
    if (!(value instanceof duckdb.DuckDBTimestampNanosecondsValue)) return undefined;
    return { us: value.nanos / 1000n, isFiniteTime: value.isFinite, text, isFiner: value.nanos % 1000n !== 0n };
  };
  const converter: DuckDBValueConverter<unknown> = (value, type, convert) => {
    if (typeof value === "string") return parsesJson && type.alias === "JSON" ? JSON.parse(value) : value;
    if (typeof value === "bigint") return exactInteger(value);
    if (typeof value !== "object" || value === null) return value;
    const instant = timestamp(value);
    if (instant) return dateOrText(instant);
    if (value instanceof duckdb.DuckDBDateValue) return value.isFinite ? String(value) : infinity(value.days > 0);
    if (value instanceof duckdb.DuckDBDecimalValue) return exactDecimal(value.value, value.scale, String(value));
    if (value instanceof duckdb.DuckDBGeometryValue) {
      const geometry = readWkb(value.bytes);
      return parsesJson ? geometry : JSON.stringify(geometry);
    }
    if (writtenValues.some((written) => value instanceof written)) return String(value);
    const made: unknown = duckdb.JSDuckDBValueConverter(value, type, convert as DuckDBValueConverter<JS>);
    return typeof made === "bigint" ? exactInteger(made) : made;
  };
  return { converter, timestamp };
}

function dateOrText({ us, isFiniteTime, text, isFiner = false }: Timestamp): Date | string {
  if (!isFiniteTime) return infinity(us > 0n);
  return isFiner || us > MOST_US || us < -MOST_US ? text() : dateOf(us);
}

function infinity(isPositive: boolean): string {
  return isPositive ? "infinity" : "-infinity";
}

function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function exactDecimal(scaled: bigint, scale: number, text: string): number | string {
  const digits = String(scaled).replace(/^-|0+$/g, "");
  const isInteger = scaled % 10n ** BigInt(scale) === 0n && Number.isSafeInteger(Number(text));
  return isInteger || digits.length <= EXACT_DIGITS ? Number(text) : text;
}
