import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { firstRows } from "./first-rows.js";
import type { Manifest } from "./manifest.js";
import { openDuckDB } from "./open-duckdb.js";
import { sqlList } from "./sql-text.js";
import { type TableSchema, tableSchemas } from "./table-schema.js";

/** A value of a request, bound to a `?` of the statement. */
export type SqlParameter = string;

const MEMORY_MB = 400;

/** A snapshot as SQL tables: one view a resource, over the files that the manifest lists. */
export class Database {
  readonly #instance: DuckDBInstance;

  private constructor(instance: DuckDBInstance) {
    this.#instance = instance;
  }

  /**
   * Opens the tables of a snapshot. Tables kept by site also have `row`, the position among all rows of the table in
   * the order of the manifest's files.
   */
  static async open(root: string, manifest: Manifest): Promise<Database> {
    const spillPath = join(tmpdir(), `siteframe-${process.pid}`);
    const instance = await openDuckDB(":memory:", { memoryMb: MEMORY_MB, spillPath });
    const database = new Database(instance);
    for (const schema of tableSchemas) await database.run(viewSql(schema, root, manifest));
    return database;
  }

  /** Runs a statement and hands over its result as it comes. */
  async *chunks(
    sql: string,
    parameters: readonly SqlParameter[] = [],
  ): AsyncGenerator<DuckDBDataChunk, void, undefined> {
    const connection = await this.#instance.connect();
    try {
      const result = await connection.stream(sql, [...parameters]);
      for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
        yield chunk;
    } finally {
      connection.closeSync();
    }
  }

  /** All rows of a small result. */
  async rows(sql: string, parameters: readonly SqlParameter[] = []): Promise<DuckDBValue[][]> {
    return this.use(async (connection) => (await connection.run(sql, [...parameters])).getRows());
  }

  /** Runs statements. */
  async run(sql: string): Promise<void> {
    await this.use(async (connection) => void (await connection.run(sql)));
  }

  /** Lends a connection: each has its own statement under way. */
  async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = await this.#instance.connect();
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
    }
  }

  close(): void {
    this.#instance.closeSync();
  }
}

function viewSql(schema: TableSchema, root: string, manifest: Manifest): string {
  const files = manifest.files.filter(({ resource }) => resource === schema.resource);
  if (files.length === 0) {
    const columns = schema.columns.map(({ name, type }) => `"${name}" ${type}`);
    return `CREATE TABLE ${schema.name} (${columns.join()}, record_bytes INTEGER, record VARCHAR, row BIGINT)`;
  }
  const paths = sqlList(files.map(({ path }) => join(root, path)));
  if (!schema.bySite) return `CREATE VIEW ${schema.name} AS FROM read_parquet(${paths}, hive_partitioning = false)`;
  const starts = firstRows(files.map(({ rows }) => rows));
  return `CREATE VIEW ${schema.name} AS
    SELECT *, file_row_number + list_value(${starts.join()})[file_index::BIGINT + 1] AS row
    FROM read_parquet(${paths}, hive_partitioning = true, hive_types = {'site_id': BIGINT})`;
}
