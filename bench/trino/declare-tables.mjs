import { relative } from "node:path";
import { declareTables as declarations } from "../../modules/snapshot/ddl/declare-tables.js";
import { readManifest } from "../../modules/snapshot/folder/read-generation.js";
import { pinTables } from "../../modules/snapshot/pin-tables.js";
import { askTrino } from "../../scripts/trino/ask-trino.mjs";

/** Declares the tables that questions are asked of, and says where. */
export async function declareTables({ server, catalog, files }, snapshot) {
  const schema = "bench";
  const location = `local:///${relative(files, (await pinTables(snapshot)).path)}`;
  for (const statement of declarations(await readManifest(snapshot), "trino", { location, schema, catalog })) {
    await askTrino(server, statement);
  }
  return { server, catalog, schema };
}
