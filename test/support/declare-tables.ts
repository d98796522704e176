import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Engine } from "../../src/questions/engine/engine.js";
import { trino } from "../../src/questions/engine/trino.js";
import { type SqlType, tableSchemas } from "../../src/snapshot/format/table-schema.js";
import type { TrinoCluster } from "./trino-cluster.js";

const types: Readonly<Record<SqlType, string>> = {
  BIGINT: "bigint",
  DOUBLE: "double",
  VARCHAR: "varchar",
  BOOLEAN: "boolean",
  TIMESTAMPTZ: "bigint",
  "MAP(VARCHAR, VARCHAR)": "map(varchar, varchar)",
};

let schemas = 0;

/** Declares the tables of a snapshot in a schema of their own, and opens that. */
export async function declareTables(cluster: TrinoCluster, snapshot: string): Promise<Engine & { schema: string }> {
  schemas += 1;
  const schema = `s${process.pid}_${schemas}`;
  const engine = trino({ server: cluster.server, catalog: cluster.catalog, schema, source: "tests" });
  const run = async (sql: string) => {
    for await (const _ of engine.query(sql));
  };
  await run(`CREATE SCHEMA ${cluster.catalog}.${schema}`);
  for (const { name, columns, bySite } of tableSchemas) {
    const list = columns.filter((column) => !bySite || column.name !== "site_id");
    const typed = list.map((column) => `"${column.name}" ${types[column.type]}`);
    const location = `local:///${relative(cluster.files, join(snapshot, name))}`;
    // A table without rows has no folder, and Trino wants one.
    mkdirSync(join(snapshot, name), { recursive: true });
    const partition = bySite ? ", partitioned_by = ARRAY['site_id']" : "";
    await run(
      `CREATE TABLE "${name}" (${[...typed, "record varchar", ...(bySite ? ["site_id bigint"] : [])].join(", ")}) WITH (format = 'PARQUET', external_location = '${location}'${partition})`,
    );
    if (bySite) await run(`CALL ${cluster.catalog}.system.sync_partition_metadata('${schema}', '${name}', 'FULL')`);
  }
  return Object.assign(engine, { schema });
}
