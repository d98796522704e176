import type { DuckDBConnection } from "@duckdb/node-api";
import { distance } from "@turf/distance";
import type { ColumnTable } from "arquero";
import { dateOf } from "../../core/instant.js";
import { areaOf, centroidOf, lengthOf } from "../../layer/place/geometry-place.js";
import { canonicalKey, type KeyResolver } from "../../layer/property-key.js";
import { toTable } from "../../tables/column/table.js";
import { soundGeometry } from "../../tables/export/sound-geometry.js";
import { differingMembers, type JsonRecord, pairedRecords, type RecordPair } from "./paired-records.js";

type FeatureChange = "new" | "gone" | "returned" | "changed";

/** The features that differ. */
export interface FeatureDiff {
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

/** Compares the features of two states. */
export async function diffFeatures(connection: DuckDBConnection, resolve: KeyResolver): Promise<FeatureDiff> {
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

/** Fields first, then properties by the names that their definitions have. */
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
