import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { SnapshotError } from "../../core/errors.js";
import { loadDuckDB } from "../../tables/sql/load-duckdb.js";

/** Settings of a database. */
export interface DuckDBSettings {
  /** Maximum memory of DuckDB, in megabytes. Larger sorts use the disk. */
  readonly memoryMb: number;
  /** Count of threads, each with its own buffers. Default: the count of cores. */
  readonly threads?: number;
  /** Folder for data that exceeds the memory. */
  readonly spillPath: string;
}

/**
 * Opens a DuckDB database.
 *
 * @param path of the database file, or `:memory:`
 * @throws DependencyError if DuckDB is not installed
 * @throws SnapshotError if the path contains a question mark
 */
export async function openDuckDB(path: string, settings: DuckDBSettings): Promise<DuckDBInstance> {
  refuseQuestionMark(path);
  const { DuckDBInstance } = await loadDuckDB();
  const instance = await DuckDBInstance.create(path, {
    memory_limit: `${settings.memoryMb}MB`,
    temp_directory: settings.spillPath,
    ...(settings.threads === undefined ? {} : { threads: String(settings.threads) }),
    // The files are already in the system's page cache.
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
 * Rejects a path at which DuckDB cannot write a database: it inserts `.wal` before the first `?` to name the log.
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
 * @throws DependencyError if DuckDB is not installed
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
