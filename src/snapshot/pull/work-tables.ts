import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { openDuckDB } from "../database/open-duckdb.js";
import { parquetFiles, siteFiles } from "../database/parquet-files.js";
import { wholeChunks } from "../database/whole-chunks.js";
import type { SnapshotFile } from "../format/manifest.js";
import type { TableSchema } from "../format/table-schema.js";
import type { EncodedRecord } from "../write/encode-record.js";
import { RowAppender, stagingColumns, toStaged } from "../write/row-appender.js";
import { writePart } from "../write/write-part.js";

export const WORK_MEMORY_MB = 96;

/** Small tables in memory for building the parts of a snapshot, one part at a time. */
export class WorkTables {
  readonly connection: DuckDBConnection;
  /** Folder for the parts. */
  readonly folder: string;
  readonly #instance: DuckDBInstance;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, folder: string) {
    this.#instance = instance;
    this.connection = connection;
    this.folder = folder;
  }

  static async open(folder: string): Promise<WorkTables> {
    const instance = await openDuckDB(":memory:", {
      memoryMb: WORK_MEMORY_MB,
      threads: 1,
      spillPath: join(folder, "spill"),
    });
    const connection = await instance.connect();
    // Rewritten files must have the same bytes.
    await connection.run("SET GLOBAL enable_geoparquet_conversion = false");
    return new WorkTables(instance, connection, folder);
  }

  /** Runs work exclusively, since one connection cannot be shared. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Creates the empty table of a resource. */
  async create(schema: TableSchema): Promise<void> {
    await this.connection.run(`CREATE OR REPLACE TABLE ${schema.name} (${stagingColumns(schema).sql})`);
  }

  /** Creates a table of ids. */
  async createIds(name: string, ids: Iterable<number>): Promise<void> {
    await this.connection.run(`CREATE OR REPLACE TABLE ${name} (id BIGINT)`);
    const appender = await this.connection.createAppender(name);
    for (const id of ids) {
      appender.appendBigInt(BigInt(id));
      appender.endRow();
    }
    appender.closeSync();
  }

  /** Adds rows to the table of a resource. */
  async append(schema: TableSchema, rows: Iterable<EncodedRecord>): Promise<void> {
    const appender = await this.appender(schema);
    for (const { values, text } of rows) appender.append([...values, text]);
    appender.close();
  }

  /** An appender to the table of a resource. All rows are there after it is closed. */
  appender(schema: TableSchema): Promise<RowAppender> {
    return RowAppender.open(this.connection, schema.name, stagingColumns(schema).types);
  }

  /** Adds the rows of files to the table of a resource. */
  async load(schema: TableSchema, paths: readonly string[], condition: string): Promise<void> {
    const columns = [...schema.columns.map(toStaged), "record"].join();
    await this.connection.run(
      `INSERT INTO ${schema.name} SELECT ${columns} FROM ${parquet(schema, paths)} WHERE ${condition}`,
    );
  }

  /** Writes the rows of a table as one sorted part. */
  write(schema: TableSchema, site: number | null | undefined): Promise<SnapshotFile> {
    return writePart(this.connection, schema, this.folder, site, "true");
  }

  async rows(sql: string): Promise<DuckDBValue[][]> {
    return (await this.connection.run(sql)).getRows();
  }

  /** Rows of a statement on a separate connection, without access to temporary tables. */
  async lookUp(sql: string): Promise<DuckDBValue[][]> {
    const connection = await this.#instance.connect();
    try {
      return await (await connection.run(sql)).getRows();
    } finally {
      connection.closeSync();
    }
  }

  /** The numbers in the first column of a result. */
  async numbers(sql: string): Promise<number[]> {
    const numbers: number[] = [];
    for await (const chunk of wholeChunks(this.connection, sql)) {
      for (const value of chunk.getColumnValues(0)) numbers.push(Number(value));
    }
    return numbers;
  }

  close(): void {
    this.connection.closeSync();
    this.#instance.closeSync();
  }
}

/** Files of a resource as an SQL table; empty without files. */
export function parquet(schema: TableSchema, paths: readonly string[]): string {
  if (paths.length === 0) {
    const columns = [...schema.columns, { name: "record", type: "VARCHAR" }, { name: "gone_at", type: "TIMESTAMPTZ" }];
    return `(SELECT ${columns.map(({ name, type }) => `NULL::${type} AS "${name}"`).join()} WHERE false)`;
  }
  return schema.resource === "layerFeatures" ? `(${siteFiles(paths)})` : parquetFiles(paths);
}
