import { checkOptions, integerFrom, type OptionRule, type OptionRules, text } from "../../../core/options.js";

/** How much of this machine DuckDB may use. */
export interface DuckDBOptions {
  /** The most memory that it takes for itself: `"512MB"` (default), `"4GB"`. The process is larger. */
  readonly memory?: string | undefined;
  /** Folder for what does not fit; one below the system's temporary files if absent. It is left empty. */
  readonly spill?: string | undefined;
  /** Threads to work with; as many as there are cores if absent. */
  readonly threads?: number | undefined;
}

const MEMORY = /^(\d+(?:\.\d+)?) ?(MB|GB|TB)$/i;
const MB_PER: Readonly<Record<string, number>> = { mb: 1, gb: 1000, tb: 1_000_000 };
const LEAST_MB = 64;

const memoryText: OptionRule = {
  takes: `a size from ${LEAST_MB}MB, such as "512MB" or "4GB"`,
  accepts: (value) => typeof value === "string" && megabytes(value) >= LEAST_MB,
};

const rules: OptionRules<DuckDBOptions> = { memory: memoryText, spill: text, threads: integerFrom(1, 1024) };

/** DuckDB in this process as the engine that answers questions. It is opened with them, over a snapshot's files. */
export class DuckDB {
  /** The most memory that it takes, in megabytes. */
  readonly memoryMb: number;
  /** Folder for what does not fit; undefined for one of the system's. */
  readonly spill: string | undefined;
  /** Threads to work with; undefined for as many as there are cores. */
  readonly threads: number | undefined;

  /** @internal */
  constructor({ memory = "512MB", spill, threads }: DuckDBOptions) {
    this.memoryMb = megabytes(memory);
    this.spill = spill;
    this.threads = threads;
  }
}

/**
 * DuckDB in this process, as the engine that answers questions: `snapshot.questions(params, { engine: duckdb() })`. It
 * stores results as Parquet files.
 *
 * @throws ArgumentError for an option that it does not have or take
 */
export function duckdb(options: DuckDBOptions = {}): DuckDB {
  checkOptions("duckdb()", options, rules);
  return new DuckDB(options);
}

function megabytes(size: string): number {
  const [, number, unit = ""] = MEMORY.exec(size) ?? [];
  return Math.floor(Number(number) * (MB_PER[unit.toLowerCase()] ?? Number.NaN));
}
