import { checkOptions, integerFrom, type OptionRule, type OptionRules, text } from "../../../core/options.js";

/** Limits on the resources of DuckDB. */
export interface DuckDBOptions {
  /** Memory limit of DuckDB itself; the process uses more. Default: `"512MB"`. */
  readonly memory?: string | undefined;
  /**
   * Folder for data that does not fit into memory; left empty afterwards. Default: a folder below the system's
   * temporary files.
   */
  readonly tempDirectory?: string | undefined;
  /** Number of threads. Default: the number of cores. */
  readonly threads?: number | undefined;
}

const MEMORY = /^(\d+(?:\.\d+)?) ?(MB|GB|TB)$/i;
const MB_PER: Readonly<Record<string, number>> = { mb: 1, gb: 1000, tb: 1_000_000 };
const LEAST_MB = 64;

const memoryText: OptionRule = {
  takes: `a size from ${LEAST_MB}MB, such as "512MB" or "4GB"`,
  accepts: (value) => typeof value === "string" && megabytes(value) >= LEAST_MB,
};

const rules: OptionRules<DuckDBOptions> = { memory: memoryText, tempDirectory: text, threads: integerFrom(1, 1024) };

/** DuckDB in this process, as the engine of questions. Opened with them, over the files of a snapshot. */
export class DuckDB {
  /** Memory limit in megabytes. */
  readonly memoryMb: number;
  /** Folder for data that does not fit into memory; undefined for a temporary folder of the system. */
  readonly tempDirectory: string | undefined;
  /** Number of threads; undefined for the number of cores. */
  readonly threads: number | undefined;

  /** @internal */
  constructor({ memory = "512MB", tempDirectory: spill, threads }: DuckDBOptions) {
    this.memoryMb = megabytes(memory);
    this.tempDirectory = spill;
    this.threads = threads;
  }
}

/**
 * Returns DuckDB in this process, as the engine of questions: `snapshot.lazyHistory(params, { engine: duckdb() })`. It
 * stores results as Parquet files.
 *
 * @example
 * ```ts
 * const engine = duckdb({ memory: "1GB" });
 * const lazy = await snapshot.lazyHistory({ semantic_type: "TRENCHES" }, { engine });
 * (await lazy.counts("STATUS", ["2024-06-30"])).select("value", "count")
 * ```
 * @throws ArgumentError for an unknown option or invalid value
 */
export function duckdb(options: DuckDBOptions = {}): DuckDB {
  checkOptions("duckdb()", options, rules);
  return new DuckDB(options);
}

function megabytes(size: string): number {
  const [, number, unit = ""] = MEMORY.exec(size) ?? [];
  return Math.floor(Number(number) * (MB_PER[unit.toLowerCase()] ?? Number.NaN));
}
