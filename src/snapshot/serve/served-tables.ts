import type { Resource } from "../../api/form/resource.js";
import { type Dataset, type PropertyDefinition, type ResourceName, resources } from "../../api/resources.js";
import type { Database } from "../database/database.js";
import { schemaOf, tableSchemas } from "../format/table-schema.js";
import { editMembers } from "../json/edit-members.js";
import { displayOrders } from "./display-order.js";

/** What the service sends instead of a stored record. */
interface ServedRecord {
  readonly id: string;
  readonly text: string;
  readonly displayOrder: number;
}

/** The table from which a resource is served, with its schema. */
export function servedTable(resource: ResourceName): string {
  const { bySite, name } = schemaOf(resource);
  return `${bySite ? "main" : "served"}.${name}`;
}

/**
 * Loads the small resources into memory, as schema `served`, with the records as the service sends them: without the
 * attributes that it does not return, definitions with the `display_order` that their layout gives.
 */
export async function createServedTables(database: Database): Promise<void> {
  await database.run("CREATE SCHEMA served");
  for (const { resource, name, bySite } of tableSchemas) {
    if (bySite) continue;
    await database.run(`CREATE TABLE ${servedTable(resource)} AS SELECT *, 0 AS display_order FROM main.${name}`);
    const { hidden }: Resource = resources[resource];
    if (hidden) await replaceRecords(database, resource, withoutMembers(hidden, await storedTexts(database, resource)));
  }
  const datasets = await storedTexts(database, "datasets");
  const definitions = await storedTexts(database, "propertyDefinitions");
  await replaceRecords(database, "propertyDefinitions", servedDefinitions(datasets, definitions));
}

function withoutMembers(members: object, texts: readonly string[]): ServedRecord[] {
  const edits = new Map(Object.keys(members).map((name) => [name, undefined]));
  return texts.map((text) => ({ id: idOf(text), text: editMembers(text, edits), displayOrder: 0 }));
}

function servedDefinitions(datasets: readonly string[], definitions: readonly string[]): ServedRecord[] {
  const orders = displayOrders(
    datasets.map((text) => JSON.parse(text) as Dataset),
    definitions.map((text) => JSON.parse(text) as PropertyDefinition),
  );
  return definitions.map((text) => {
    const id = idOf(text);
    const displayOrder = orders.get(id) ?? 0;
    return { id, text: editMembers(text, new Map([["display_order", String(displayOrder)]])), displayOrder };
  });
}

/** As the column has it. */
function idOf(text: string): string {
  return String((JSON.parse(text) as { readonly id: unknown }).id).toLowerCase();
}

async function storedTexts(database: Database, resource: ResourceName): Promise<string[]> {
  const rows = await database.rows(`SELECT record FROM main.${schemaOf(resource).name}`);
  return rows.map(([record]) => String(record));
}

async function replaceRecords(
  database: Database,
  resource: ResourceName,
  records: readonly ServedRecord[],
): Promise<void> {
  await database.use(async (connection) => {
    await connection.run("CREATE TEMP TABLE edits (id VARCHAR, record VARCHAR, display_order INTEGER)");
    const appender = await connection.createAppender("edits");
    for (const { id, text, displayOrder } of records) {
      appender.appendVarchar(id);
      appender.appendVarchar(text);
      appender.appendInteger(displayOrder);
      appender.endRow();
    }
    appender.closeSync();
    await connection.run(
      `UPDATE ${servedTable(resource)} t SET record = e.record, display_order = e.display_order
       FROM edits e WHERE e.id = t.id::VARCHAR`,
    );
  });
}
