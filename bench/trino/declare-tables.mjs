import { join, relative } from "node:path";
import { tableSchemas } from "../../dist/snapshot/format/table-schema.js";
import { askTrino } from "../../scripts/trino/ask-trino.mjs";

const types = { TIMESTAMPTZ: "bigint" };

/** Declares the tables that questions are asked of, and says where. */
export async function declareTables({ server, catalog, files }, snapshot) {
  const schema = "bench";
  await askTrino(server, `CREATE SCHEMA ${catalog}.${schema}`);
  for (const { name, columns, bySite } of tableSchemas.filter(({ bySite }) => bySite)) {
    const list = columns.filter((column) => column.name !== "site_id");
    const typed = list.map(({ name, type }) => `"${name}" ${types[type] ?? type}`).join(", ");
    const location = `local:///${relative(files, join(snapshot, name))}`;
    await askTrino(
      server,
      `CREATE TABLE ${catalog}.${schema}.${name} (${typed}, record varchar, site_id bigint) WITH (format = 'PARQUET', external_location = '${location}', partitioned_by = ARRAY['site_id'])`,
    );
    if (bySite)
      await askTrino(server, `CALL ${catalog}.system.sync_partition_metadata('${schema}', '${name}', 'FULL')`);
  }
  return { server, catalog, schema };
}
