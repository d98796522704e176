import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { SnapshotError } from "../../core/errors.js";
import { loadDuckDB } from "../../tables/sql/load-duckdb.js";

/** Settings of a database. */
export interface DuckDBSettings {
  /** The most memory that DuckDB may use, in megabytes. Sorts that need more go to the disk. */
  readonly memoryMb: number;
  /** Threads to work with; as many as there are cores if absent. Each has buffers of its own. */
  readonly threads?: number;
  /** Folder for what does not fit. */
  readonly spillPath: string;
}

/**
 * Opens a DuckDB database.
 *
 * @param path of the database file, or `:memory:`
 * @throws ArgumentError if DuckDB is not installed
 * @throws SnapshotError if the path contains a question mark
 */
export async function openDuckDB(path: string, settings: DuckDBSettings): Promise<DuckDBInstance> {
  refuseQuestionMark(path);
  const { DuckDBInstance } = await loadDuckDB();
  const instance = await DuckDBInstance.create(path, {
    memory_limit: `${settings.memoryMb}MB`,
    temp_directory: settings.spillPath,
    ...(settings.threads === undefined ? {} : { threads: String(settings.threads) }),
    // A snapshot's files are in the page cache of the system already.
    enable_external_file_cache: "false",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  await connection.run("SET GLOBAL TimeZone = 'UTC'; SET GLOBAL parquet_metadata_cache = true");
  connection.closeSync();
  return instance;
}

/**
 * Refuses a path at which DuckDB cannot write a database: it inserts `.wal` before the first `?` to name the log.
 *
 * @throws SnapshotError
 */
export function refuseQuestionMark(path: string): void {
  if (!path.includes("?")) return;
  throw new SnapshotError(`${path} cannot be written: DuckDB does not support "?" in the path of a database.`, {
    hint: "Rename the folder.",
    facts: { path },
  });
}

/**
 * Runs `use` with a connection to a DuckDB database and closes both afterwards. A database stays open until its last
 * connection is closed, and Windows does not remove or replace open files.
 *
 * @param path of the database file, or `:memory:`
 * @throws ArgumentError if DuckDB is not installed
 */
export async function withDuckDB<T>(
  path: string,
  settings: DuckDBSettings,
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const instance = await openDuckDB(path, settings);
  try {
    const connection = await instance.connect();
    try {
      return await use(connection);
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}
