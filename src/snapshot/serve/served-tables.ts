import type { Resource } from "../../api/contract.js";
import { type Dataset, type PropertyDefinition, type ResourceName, resources } from "../../api/resources.js";
import { compareText } from "../../core/json.js";
import { layoutKeys } from "../../layer/column-order.js";
import type { Database } from "../database/database.js";
import { schemaOf, tableSchemas } from "../format/table-schema.js";
import { editMembers } from "../json/json-text.js";

/** The form of a record that the service sends. */
interface ServedRecord {
  readonly id: string;
  readonly text: string;
  readonly displayOrder: number;
}

/** The table that serves a resource, with its schema. */
export function servedTable(resource: ResourceName): string {
  const { bySite, name } = schemaOf(resource);
  return `${bySite ? "main" : "served"}.${name}`;
}

/**
 * Loads the small resources into memory, as schema `served`, with records in the form of the service: without
 * attributes that it does not return, definitions with the `display_order` of their layout.
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

/** The id in the form of the column. */
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

/**
 * Returns the `display_order` of property definitions: the index in the layout of the definition's dataset, from 0; the
 * dataset's other definitions follow by id. Specification: Property definition, Versioning.
 *
 * @returns positions by definition id, in lower case
 */
function displayOrders(
  datasets: readonly Dataset[],
  definitions: readonly Pick<PropertyDefinition, "id" | "dataset_id">[],
): ReadonlyMap<string, number> {
  const layouts = new Map(
    datasets.map((dataset) => [dataset.id, layoutKeys([dataset]).map((key) => key.toLowerCase())]),
  );
  const orders = new Map<string, number>();
  const unplaced = new Map<number, number>();
  const byId = definitions.map(({ id, dataset_id }) => ({ id: id.toLowerCase(), dataset_id }));
  for (const { id, dataset_id } of byId.sort((a, b) => compareText(a.id, b.id))) {
    const layout = layouts.get(dataset_id) ?? [];
    const index = layout.indexOf(id);
    const others = unplaced.get(dataset_id) ?? 0;
    orders.set(id, index >= 0 ? index : layout.length + others);
    if (index < 0) unplaced.set(dataset_id, others + 1);
  }
  return orders;
}
