import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { distance } from "@turf/distance";
import type { ColumnTable } from "arquero";
import type { PropertyDefinition, ResourceName } from "../../api/resources.js";
import { type Pseudonym, redactRecord } from "../../client/page/pseudonym.js";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { dateOf, exactUs } from "../../core/instant.js";
import { sameJson } from "../../core/json.js";
import { memberOf } from "../../core/member.js";
import { provenance } from "../../core/provenance.js";
import { changeOrder } from "../../history/questions/sql/cte/change-ctes.js";
import { areaOf, centroidOf, lengthOf } from "../../layer/place/geometry-measures.js";
import { canonicalKey, type KeyResolver, keyResolver } from "../../layer/property-key.js";
import { toTable, withProvenance } from "../../tables/column/table.js";
import { soundGeometry } from "../../tables/export/sound-geometry.js";
import { Database } from "../database/database.js";
import { parquetFiles, siteFiles } from "../database/parquet-files.js";
import { wholeChunks } from "../database/whole-chunks.js";
import { GONE_FEATURES, type Manifest, type SnapshotFile, snapshotPseudonym } from "../format/manifest.js";
import { schemaOf, tableSchemas } from "../format/table-schema.js";

/** Options of `diffSnapshots()`. */
export interface DiffSnapshotsOptions {
  /** The earlier generation. Default: the one before `to`. */
  readonly from?: number | undefined;
  /** The later generation. Default: the current one. */
  readonly to?: number | undefined;
  /** Whether person data is replaced by pseudonyms. Default: false, as stored. */
  readonly redact?: boolean | undefined;
}

/** A compared generation. */
export interface ComparedGeneration {
  /** Number of the generation, from 1. */
  readonly generation: number;
  /** When the records were read from the service. */
  readonly readAt: Date;
}

/** Counts of differences between two generations. */
export interface DiffCounts {
  /** Features that the earlier generation never had. */
  readonly new: number;
  /** Features that were no longer returned. */
  readonly gone: number;
  /** Features that were gone in the earlier generation. */
  readonly returned: number;
  /** Features of both generations with a different field, property or geometry. */
  readonly changed: number;
  /** Features of both generations with a different geometry. */
  readonly geometries: number;
  /** Property definitions that are new, gone or changed. */
  readonly definitions: number;
  /** Sites, operations, blocks and datasets that are new, gone or changed. */
  readonly records: number;
  /** New changes of the log. */
  readonly changes: number;
}

/** Differences between two generations of a snapshot. Rows are in ascending order of ids, changes in valid order. */
export interface SnapshotDiff {
  /** The earlier generation. */
  readonly from: ComparedGeneration;
  /** The later generation. */
  readonly to: ComparedGeneration;
  /** Counts of differences. */
  readonly counts: DiffCounts;
  /** Whether there are differences. The times of reading do not count. */
  readonly isDifferent: boolean;
  /**
   * A row per feature that differs: `id`, `visible_id`, `site_id`, `semantic_type`, `change` (`new`, `gone`, `returned`
   * or `changed`), `what` (an array of the names of changed fields and properties; empty unless `changed`) and
   * `gone_at` (when the feature was found to be gone, or null).
   */
  readonly features: ColumnTable;
  /**
   * A row per feature of both generations whose geometry differs: `id`, `visible_id`, `semantic_type`, `moved_m`
   * (distance between the centroids in meters; null if one of the geometries is invalid), `area_before_m2`,
   * `area_after_m2`, `length_before_m`, `length_after_m` (including outlines of polygons; null without a geometry).
   */
  readonly geometries: ColumnTable;
  /**
   * A row per field of a property definition that differs: `property_key`, `name`, `dataset_id`, `change` (`new`,
   * `gone` or `changed`), `field`, `before`, `after`. New and gone definitions have one row without a field.
   */
  readonly definitions: ColumnTable;
  /**
   * The same for sites, operations, blocks and datasets: `resource`, `id`, `name`, `change`, `field`, `before`,
   * `after`.
   */
  readonly records: ColumnTable;
  /**
   * New changes of the log: `change_id`, `id` (of the feature), `visible_id`, `column` (name of the property),
   * `property_key`, `value`, `system`, `user_id`, `caused_by_change_id`, `created_at`.
   */
  readonly changes: ColumnTable;
  /** Problems: changes of the log that are missing in the later generation, a generation from another origin. */
  readonly diagnostics: readonly Diagnostic[];
}

type FeatureChange = "new" | "gone" | "returned" | "changed";

/** Differences of features. */
interface FeatureDiff {
  readonly features: ColumnTable;
  readonly geometries: ColumnTable;
  readonly counts: Readonly<Record<FeatureChange, number>>;
}

const featureColumns = ["id", "visible_id", "site_id", "semantic_type", "change", "what", "gone_at"] as const;
const geometryColumns = [
  "id",
  "visible_id",
  "semantic_type",
  "moved_m",
  "area_before_m2",
  "area_after_m2",
  "length_before_m",
  "length_after_m",
] as const;

/** New changes of the log. */
interface LogDiff {
  readonly changes: ColumnTable;
  readonly count: number;
  /** Count of changes that only the earlier generation has. */
  readonly lost: number;
}

/** Files of the log are merged from time to time, so new changes are found by id. */
const byId = (of: string, other: string) =>
  `FROM ${of}_property_changes c ANTI JOIN ${other}_property_changes d ON lower(c.id::VARCHAR) = lower(d.id::VARCHAR)`;

const named: readonly ResourceName[] = ["sites", "operations", "blocks", "datasets"];

/** Compares two generations of a snapshot folder. Only files that are not in both are read. */
export async function compareStates(
  compared: ComparedManifests,
  path: string,
  isRedacted: boolean,
): Promise<SnapshotDiff> {
  const { root, from, to } = compared;
  const withPersons = [from, to].find(({ pseudonyms }) => pseudonyms === undefined) ?? to;
  const pseudonym = isRedacted ? snapshotPseudonym(withPersons) : undefined;
  const database = await Database.open(root, to);
  try {
    const rows = await database.use(async (connection) => {
      await createStateTables(connection, compared);
      return diffTables(connection, pseudonym);
    });
    const age = provenance({ kind: "snapshot", name: path, generation: to.generation }, Date.parse(to.read_at));
    for (const table of [rows.features, rows.geometries, rows.definitions, rows.records, rows.changes]) {
      withProvenance(table, age);
    }
    const { lost, ...tables } = rows;
    const diagnostics = [...lostDiagnostic(lost), ...originDiagnostic(from, to)];
    const isDifferent = Object.values(rows.counts).some((count) => count > 0) || lost > 0;
    return { from: stateOf(from), to: stateOf(to), ...tables, isDifferent, diagnostics };
  } finally {
    database.close();
  }
}

/** Compares the features of two generations. */
async function diffFeatures(connection: DuckDBConnection, resolve: KeyResolver): Promise<FeatureDiff> {
  const features: Record<(typeof featureColumns)[number], unknown[]> = emptyColumns(featureColumns);
  const geometries: Record<(typeof geometryColumns)[number], unknown[]> = emptyColumns(geometryColumns);
  const counts = { new: 0, gone: 0, returned: 0, changed: 0 };
  for await (const pair of pairedRecords(connection, "layer_features")) {
    const { before, after, goneAtUs } = pair;
    const change = changeOf(pair);
    counts[change] += 1;
    const record = after ?? before ?? {};
    const both = before && after;
    const what = both ? whatDiffers(before, after, resolve) : [];
    push(features, {
      ...shownFields(record),
      site_id: record["site_id"] ?? null,
      change,
      what,
      gone_at: change === "gone" && goneAtUs !== undefined ? dateOf(goneAtUs) : null,
    });
    if (both && what.includes("geometry"))
      push(geometries, { ...shownFields(record), ...geometryFacts(before, after) });
  }
  return { features: toTable(Object.entries(features)), geometries: toTable(Object.entries(geometries)), counts };
}

function changeOf({ before, after, wasGone }: RecordPair): FeatureChange {
  if (!after) return "gone";
  if (before) return "changed";
  return wasGone ? "returned" : "new";
}

function shownFields(record: JsonRecord) {
  return { id: record["id"], visible_id: record["visible_id"] ?? null, semantic_type: record["semantic_type"] ?? null };
}

/** The fields that differ, then the properties by their names in the definitions. */
function whatDiffers(before: JsonRecord, after: JsonRecord, resolve: KeyResolver): readonly string[] {
  const fields = differingMembers(before, after).filter((name) => name !== "properties");
  const keys = differingMembers(byKey(before["properties"]), byKey(after["properties"]));
  const names = keys.map((key) => resolve(key).definition?.name ?? key);
  return [...new Set([...fields, ...names])];
}

function byKey(properties: unknown): JsonRecord {
  return Object.fromEntries(Object.entries(properties ?? {}).map(([key, value]) => [canonicalKey(key), value]));
}

function geometryFacts(before: JsonRecord, after: JsonRecord) {
  const [old, now] = [soundGeometry(before["geometry"]), soundGeometry(after["geometry"])];
  const [start, end] = [old && centroidOf(old), now && centroidOf(now)];
  return {
    moved_m: start && end ? distance([...start], [...end], { units: "meters" }) : null,
    area_before_m2: old ? areaOf(old) : null,
    area_after_m2: now ? areaOf(now) : null,
    length_before_m: old ? lengthOf(old) : null,
    length_after_m: now ? lengthOf(now) : null,
  };
}

function emptyColumns<Name extends string>(names: readonly Name[]): Record<Name, unknown[]> {
  return Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, unknown[]>;
}

function push<Name extends string>(columns: Record<Name, unknown[]>, row: Readonly<Record<Name, unknown>>): void {
  for (const name of Object.keys(columns) as Name[]) columns[name].push(row[name]);
}

/** The changes that only the later generation has, by `created_at`, then by id. */
async function diffLog(
  connection: DuckDBConnection,
  resolve: KeyResolver,
  pseudonym: Pseudonym | undefined,
): Promise<LogDiff> {
  const records: JsonRecord[] = [];
  const visibleIds: unknown[] = [];
  const sql = `SELECT c.record AS record, f.visible_id AS visible_id
    FROM (SELECT record, id, created_at, layer_feature_id ${byId("to", "from")}) c
    LEFT JOIN (SELECT id, visible_id FROM layer_features UNION ALL SELECT id, visible_id FROM gone_features) f
      ON f.id = c.layer_feature_id
    ORDER BY ${changeOrder(["c.created_at", "lower(c.id::VARCHAR)"])}`;
  for await (const chunk of wholeChunks(connection, sql)) {
    const [texts, visible] = [chunk.getColumnValues(0), chunk.getColumnValues(1)];
    for (const [row, text] of texts.entries()) {
      const record = JSON.parse(String(text)) as JsonRecord;
      records.push(pseudonym ? redactRecord("propertyChanges", record, pseudonym) : record);
      visibleIds.push(visible[row] ?? null);
    }
  }
  const [[lost] = []] = await (await connection.run(`SELECT count(*)::DOUBLE ${byId("from", "to")}`)).getRows();
  return { changes: changesTable(records, visibleIds, resolve), count: records.length, lost: Number(lost) };
}

function changesTable(records: readonly JsonRecord[], visibleIds: readonly unknown[], resolve: KeyResolver) {
  const field = (name: string) => records.map((record) => record[name] ?? null);
  const keys = records.map((record) => String(record["property_key"]));
  return toTable([
    ["change_id", field("id")],
    ["id", field("layer_feature_id")],
    ["visible_id", visibleIds],
    ["column", keys.map((key) => resolve(key).definition?.name ?? key)],
    ["property_key", keys],
    ["value", field("new_value")],
    ["system", field("system")],
    ["user_id", field("user_id")],
    ["caused_by_change_id", field("caused_by_change_id")],
    ["created_at", field("created_at").map(instant)],
  ]);
}

/** A nonexistent time stays the original string. */
function instant(text: unknown): unknown {
  const us = typeof text === "string" ? exactUs(text) : undefined;
  return us === undefined ? text : dateOf(us);
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

/** Names from the later generation, or from the earlier one for keys that the later one does not define. */
async function readResolver(connection: DuckDBConnection): Promise<KeyResolver> {
  const read = async (table: string) => {
    const rows = await (await connection.run(`SELECT record FROM ${table}`)).getRows();
    return keyResolver(rows.map(([text]) => JSON.parse(String(text)) as PropertyDefinition));
  };
  const [later, earlier] = [await read("property_definitions"), await read("from_property_definitions")];
  return (key) => {
    const matching = later(key);
    return matching.definition ? matching : earlier(key);
  };
}

function definitionsTable(diffs: readonly FieldDiff[]) {
  return toTable([
    ["property_key", diffs.map(({ record }) => record["id"])],
    ["name", diffs.map(({ record }) => record["name"])],
    ["dataset_id", diffs.map(({ record }) => record["dataset_id"])],
    ...differences(diffs),
  ]);
}

function recordsTable(diffs: readonly FieldDiff[]) {
  return toTable([
    ["resource", diffs.map(({ resource }) => resource)],
    ["id", diffs.map(({ record }) => record["id"])],
    ["name", diffs.map(({ record }) => record["name"] ?? record["data_product_name"] ?? null)],
    ...differences(diffs),
  ]);
}

function differences(diffs: readonly FieldDiff[]) {
  const column = (name: "change" | "field" | "before" | "after") => [name, diffs.map((entry) => entry[name])] as const;
  return [column("change"), column("field"), column("before"), column("after")];
}

function stateOf({ generation, read_at }: Manifest): ComparedGeneration {
  return { generation, readAt: new Date(read_at) };
}

function lostDiagnostic(count: number): readonly Diagnostic[] {
  if (count === 0) return [];
  const message = `${count} changes of the log are missing in the later generation, although a log only grows. Check the service.`;
  return [withSeverity({ code: "change-lost", message, count })];
}

function originDiagnostic({ origin: before }: Manifest, { origin: after }: Manifest): readonly Diagnostic[] {
  if (before.kind === after.kind && before.name === after.name) return [];
  const message = `The generations have different origins: ${before.kind} ${before.name} and ${after.kind} ${after.name}.`;
  return [withSeverity({ code: "origin-differs", message, facts: { before: before.name, after: after.name } })];
}

/** A field of a record that differs; undefined for a record that is new or gone. */
interface FieldDiff {
  readonly resource: ResourceName;
  /** The later version, or the only one. */
  readonly record: JsonRecord;
  readonly change: "new" | "gone" | "changed";
  readonly field: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields in which records of two generations differ. */
async function diffRecords(
  connection: DuckDBConnection,
  resource: ResourceName,
  pseudonym: Pseudonym | undefined,
): Promise<readonly FieldDiff[]> {
  const diffs: FieldDiff[] = [];
  const shownRecord = (record: JsonRecord) => (pseudonym ? redactRecord(resource, record, pseudonym) : record);
  for await (const pair of pairedRecords(connection, schemaOf(resource).name)) {
    const [before, after] = [pair.before && shownRecord(pair.before), pair.after && shownRecord(pair.after)];
    if (before && after) {
      for (const field of differingMembers(before, after)) {
        const values = { before: memberOf(before, field) ?? null, after: memberOf(after, field) ?? null };
        diffs.push({ resource, record: after, change: "changed", field, ...values });
      }
    } else {
      const record = after ?? before ?? {};
      diffs.push({ resource, record, change: after ? "new" : "gone", field: null, before: null, after: null });
    }
  }
  return diffs;
}

/** Count of records with these fields. */
function countRecords(diffs: readonly FieldDiff[]): number {
  return new Set(diffs.map(({ resource, record }) => `${resource} ${String(record["id"])}`)).size;
}

/** The two compared generations of a folder. */
interface ComparedManifests {
  readonly root: string;
  readonly from: Manifest;
  readonly to: Manifest;
}

/**
 * Creates views of the files that are not in both generations: `from_…` and `to_…` for each table. Files never change,
 * so shared files have no differences. `from_gone` and `to_gone` are all features that were gone then.
 */
async function createStateTables(connection: DuckDBConnection, { root, from, to }: ComparedManifests): Promise<void> {
  for (const [side, state, other] of [
    ["from", from, to],
    ["to", to, from],
  ] as const) {
    const shared = new Set(other.files.map(keyOf));
    for (const { resource, name, bySite } of tableSchemas) {
      const ownFiles = state.files.filter((file) => file.resource === resource && !shared.has(keyOf(file)));
      await connection.run(viewSql(`${side}_${name}`, root, ownFiles, bySite));
    }
    await connection.run(viewSql(`${side}_${GONE_FEATURES}`, root, state.gone_files ?? [], true));
  }
}

/** The site is part of the path and of every row. */
function keyOf({ resource, site_id, sha256 }: SnapshotFile): string {
  return `${resource} ${site_id} ${sha256}`;
}

function viewSql(name: string, root: string, files: readonly SnapshotFile[], bySite: boolean): string {
  const create = `CREATE OR REPLACE TEMP VIEW ${name} AS`;
  if (files.length === 0) {
    return `${create} SELECT NULL AS id, NULL::VARCHAR AS visible_id, NULL::VARCHAR AS record,
      NULL::TIMESTAMPTZ AS created_at, NULL::TIMESTAMPTZ AS gone_at, NULL::BIGINT AS site_id, NULL::BIGINT AS layer_feature_id WHERE false`;
  }
  const paths = files.map(({ path }) => join(root, path));
  const options = ["union_by_name = true"];
  return `${create} ${bySite ? siteFiles(paths, { options }) : `FROM ${parquetFiles(paths, options)}`}`;
}

/** A record as JSON. */
type JsonRecord = Readonly<Record<string, unknown>>;

/** A record with different versions in the two generations, or with one version only. */
interface RecordPair {
  readonly before: JsonRecord | undefined;
  readonly after: JsonRecord | undefined;
  /** For features: whether the feature was gone in the earlier generation. */
  readonly wasGone: boolean;
  /** For features: when it was found to be gone, microseconds since 1970. */
  readonly goneAtUs: number | undefined;
}

/** The records of a table that differ, in ascending order of ids. The order of members does not count. */
async function* pairedRecords(connection: DuckDBConnection, table: string): AsyncGenerator<RecordPair> {
  const isFeatures = table === "layer_features";
  // Older formats have UUIDs in their original case.
  const id = (side: string) => `lower(${side}.id::VARCHAR)`;
  const gone = isFeatures
    ? `, n.id IN (SELECT id FROM from_gone_features) AS was_gone,
       (SELECT epoch_us(max(gone_at))::DOUBLE FROM to_gone_features g WHERE g.id = o.id) AS gone_us`
    : ", false AS was_gone, NULL::DOUBLE AS gone_us";
  const sql = `SELECT o.record AS before, n.record AS after ${gone}
    FROM from_${table} o FULL JOIN to_${table} n ON ${id("o")} = ${id("n")}
    WHERE o.record IS DISTINCT FROM n.record ORDER BY coalesce(n.id, o.id)`;
  for await (const chunk of wholeChunks(connection, sql)) {
    const [befores = [], afters = [], wereGone = [], goneUs = []] = [0, 1, 2, 3].map((column) =>
      chunk.getColumnValues(column),
    );
    for (const [row, text] of befores.entries()) {
      const [before, after] = [parsed(text), parsed(afters[row])];
      if (before && after && sameJson(before, after)) continue;
      const us = goneUs[row];
      yield { before, after, wasGone: wereGone[row] === true, goneAtUs: typeof us === "number" ? us : undefined };
    }
  }
}

function parsed(text: unknown): JsonRecord | undefined {
  return typeof text === "string" ? (JSON.parse(text) as JsonRecord) : undefined;
}

/** The members of two records that differ, by name, in the order of the first record, then of the second. */
function differingMembers(before: JsonRecord, after: JsonRecord): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !sameJson(memberOf(before, name) ?? null, memberOf(after, name) ?? null));
}
