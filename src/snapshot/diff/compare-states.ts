import type { DuckDBConnection } from "@duckdb/node-api";
import type { PropertyDefinition, ResourceName } from "../../api/resources.js";
import { type Pseudonym, pseudonymizer } from "../../client/page/pseudonym.js";
import type { Finding } from "../../core/finding.js";
import { provenance } from "../../core/provenance.js";
import { type KeyResolver, keyResolver } from "../../layer/property-key.js";
import { toTable, withProvenance } from "../../tables/column/table.js";
import { Database } from "../database/database.js";
import type { Manifest } from "../format/manifest.js";
import { diffFeatures } from "./diff-features.js";
import { diffLog } from "./diff-log.js";
import { countRecords, diffRecords, type FieldDiff } from "./diff-records.js";
import type { ComparedState, SnapshotDiff } from "./snapshot-diff.js";
import { type ComparedManifests, createStateTables } from "./state-tables.js";

const named: readonly ResourceName[] = ["sites", "operations", "blocks", "datasets"];

/** Compares two states of a snapshot folder. Only files that they do not share are read. */
export async function compareStates(
  compared: ComparedManifests,
  path: string,
  isRedacted: boolean,
): Promise<SnapshotDiff> {
  const { root, from, to } = compared;
  const { kind, name } = to.origin;
  const pseudonym = isRedacted ? pseudonymizer(`${kind} ${name}`) : undefined;
  const database = await Database.open(root, to);
  try {
    const found = await database.use(async (connection) => {
      await createStateTables(connection, compared);
      return diffTables(connection, pseudonym);
    });
    const age = provenance({ kind: "snapshot", name: path, generation: to.generation }, Date.parse(to.read_at));
    for (const table of [found.features, found.geometries, found.definitions, found.records, found.changes]) {
      withProvenance(table, age);
    }
    const { lost, ...tables } = found;
    const findings = [...lostFinding(lost), ...originFinding(from, to)];
    const isDifferent = Object.values(found.counts).some((count) => count > 0) || lost > 0;
    return { from: stateOf(from), to: stateOf(to), ...tables, isDifferent, findings };
  } finally {
    database.close();
  }
}

async function diffTables(connection: DuckDBConnection, pseudonym: Pseudonym | undefined) {
  const resolve = await readResolver(connection);
  const { features, geometries, counts } = await diffFeatures(connection, resolve);
  const definitions = await diffRecords(connection, "propertyDefinitions", pseudonym);
  const records: FieldDiff[] = [];
  for (const resource of named) records.push(...(await diffRecords(connection, resource, pseudonym)));
  const { changes, count, lost } = await diffLog(connection, resolve, pseudonym);
  return {
    counts: {
      ...counts,
      geometries: geometries.numRows(),
      definitions: countRecords(definitions),
      records: countRecords(records),
      changes: count,
    },
    features,
    geometries,
    definitions: definitionsTable(definitions),
    records: recordsTable(records),
    changes,
    lost,
  };
}

/** Names as the later state has them, and for keys that it does not define as the earlier one had them. */
async function readResolver(connection: DuckDBConnection): Promise<KeyResolver> {
  const read = async (table: string) => {
    const rows = await (await connection.run(`SELECT record FROM ${table}`)).getRows();
    return keyResolver(rows.map(([text]) => JSON.parse(String(text)) as PropertyDefinition));
  };
  const [later, earlier] = [await read("property_definitions"), await read("from_property_definitions")];
  return (key) => {
    const found = later(key);
    return found.definition ? found : earlier(key);
  };
}

function definitionsTable(found: readonly FieldDiff[]) {
  return toTable([
    ["property_key", found.map(({ record }) => record["id"])],
    ["name", found.map(({ record }) => record["name"])],
    ["dataset_id", found.map(({ record }) => record["dataset_id"])],
    ...differences(found),
  ]);
}

function recordsTable(found: readonly FieldDiff[]) {
  return toTable([
    ["resource", found.map(({ resource }) => resource)],
    ["id", found.map(({ record }) => record["id"])],
    ["name", found.map(({ record }) => record["name"] ?? record["data_product_name"] ?? null)],
    ...differences(found),
  ]);
}

function differences(found: readonly FieldDiff[]) {
  const column = (name: "change" | "field" | "before" | "after") => [name, found.map((entry) => entry[name])] as const;
  return [column("change"), column("field"), column("before"), column("after")];
}

function stateOf({ generation, read_at }: Manifest): ComparedState {
  return { generation, readAt: new Date(read_at) };
}

function lostFinding(count: number): readonly Finding[] {
  if (count === 0) return [];
  const message = `${count} changes of the log are not in the later state: a log only grows, so look at the service.`;
  return [{ code: "changes-lost", message, count }];
}

function originFinding({ origin: before }: Manifest, { origin: after }: Manifest): readonly Finding[] {
  if (before.kind === after.kind && before.name === after.name) return [];
  const message = `The states were read from different places: ${before.kind} ${before.name} and ${after.kind} ${after.name}.`;
  return [{ code: "other-origin", message, facts: { before: before.name, after: after.name } }];
}
