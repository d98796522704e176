import { relative } from "node:path";
import type { Engine } from "../../src/history/questions/engine/engine.js";
import { trino } from "../../src/history/questions/engine/trino.js";
import { pinGeneration } from "../../src/index.js";
import { declareTables as declarations } from "../../src/snapshot/ddl/declare-tables.js";
import { readManifest } from "../../src/snapshot/folder/manifest-file.js";
import type { TrinoCluster } from "./trino-cluster.js";

let schemas = 0;

/** Declares the tables of a snapshot in a new schema, and opens it. */
export async function declareTables(cluster: TrinoCluster, snapshot: string): Promise<Engine & { schema: string }> {
  schemas += 1;
  const schema = `s${process.pid}_${schemas}`;
  const { server, catalog } = cluster;
  const engine = trino({ server, catalog, schema, source: "tests" });
  const location = `local:///${relative(cluster.files, (await pinGeneration(snapshot)).path)}`;
  for (const statement of declarations(await readManifest(snapshot), "trino", { location, schema, catalog })) {
    for await (const _ of engine.query(statement));
  }
  return Object.assign(engine, { schema });
}
