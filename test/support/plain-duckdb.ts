import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFiles } from "../../src/snapshot/database/table-views.js";
import { parseManifest } from "../../src/snapshot/format/manifest-text.js";
import { type DuckDBRows, toRows } from "./duckdb-rows.js";

/** A DuckDB with the tables of a snapshot as views. */
export interface PlainDuckDB {
  rows(sql: string): Promise<DuckDBRows>;
  close(): void;
}

/** @param path the snapshot's folder */
export async function openPlainDuckDB(path: string): Promise<PlainDuckDB> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const manifest = parseManifest(readFileSync(join(path, "manifest.json"), "utf8"), path);
  for (const { name, files, schema } of tableFiles(manifest)) {
    const { columns, bySite } = schema;
    const own = files.map((file) => `'${join(path, file.path)}'`);
    const site = bySite ? ", hive_partitioning = true, hive_types = {'site_id': BIGINT}" : "";
    const empty = [...columns.map((column) => `NULL::${column.type} AS "${column.name}"`), "NULL::VARCHAR AS record"];
    const rows = own.length > 0 ? `FROM read_parquet([${own}]${site})` : `SELECT ${empty} WHERE false`;
    await connection.run(`CREATE VIEW "${name}" AS ${rows}`);
  }
  return {
    rows: async (sql) => toRows(await connection.runAndReadAll(sql)),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
