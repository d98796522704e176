import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon";
import type { Point, Polygon } from "geojson";
import { expect, test } from "vitest";
import type { LayerFeature } from "../../src/api/resources.js";
import { company, featureById, features, keyOf } from "./records.js";

const anomalies = features.filter((feature) => feature.semantic_type === "SOLAR_ANOMALIES");
const previousKey = keyOf("Solar anomaly template", "Previous finding");
const classKey = keyOf("Solar anomaly template", "Class");
const captured = new Map(company.operations.map((operation) => [operation.id, operation.date_captured ?? ""]));

function corner({ geometry }: LayerFeature): readonly number[] {
  if (geometry?.type === "Point") return geometry.coordinates;
  return geometry?.type === "Polygon" ? (geometry.coordinates[0]?.[0] ?? []) : [];
}

function metresApart(a: LayerFeature, b: LayerFeature): number {
  const [ax = 0, ay = 0] = corner(a);
  const [bx = 0, by = 0] = corner(b);
  return Math.hypot((ax - bx) * 86_940, (ay - by) * 111_011);
}

function middle(geometry: Point | Polygon): readonly number[] {
  if (geometry.type === "Point") return geometry.coordinates;
  const [a = [], , b = []] = geometry.coordinates[0] ?? [];
  return [0, 1].map((axis) => ((a[axis] as number) + (b[axis] as number)) / 2);
}

const successions = anomalies.flatMap((anomaly) => {
  const previous = featureById.get(Number(anomaly.properties[previousKey]));
  return previous === undefined ? [] : [{ anomaly, previous }];
});

test("many anomalies have a predecessor", () => {
  expect(successions.length / anomalies.length).toBeGreaterThan(0.4);
  expect(successions.length / anomalies.length).toBeLessThan(0.9);
});

test("the same defect is at nearly the same place in the next capture, with the same class", () => {
  const quarters = [...new Set(anomalies.map((anomaly) => captured.get(anomaly.operation_id ?? 0) ?? ""))].sort();
  expect(quarters).toHaveLength(10);
  const rank = (feature: LayerFeature): number => quarters.indexOf(captured.get(feature.operation_id ?? 0) ?? "");
  for (const { anomaly, previous } of successions) {
    expect(metresApart(anomaly, previous)).toBeLessThan(0.6);
    expect(anomaly.properties[classKey]).toBe(previous.properties[classKey]);
    const [from, to] = [rank(previous), rank(anomaly)];
    // The flight between them missed the blocks in fog.
    const isAcross = quarters[from + 1] === "2026-02-19";
    expect([from + 1, isAcross ? from + 2 : from + 1]).toContain(to);
  }
});

test("captures show anomalies only in their survey area", () => {
  const flown = new Map(
    company.operations.map(({ id }) => [id, company.blocks.filter((block) => block.operation_id === id)]),
  );
  const isFlown = ({ geometry, operation_id }: LayerFeature) =>
    flown.get(operation_id as number)?.some(({ geo_boundaries }) => {
      return booleanPointInPolygon([...middle(geometry as Point | Polygon)], geo_boundaries as Polygon);
    });
  expect(anomalies.filter((anomaly) => !isFlown(anomaly))).toEqual([]);
});

test("a flight in fog misses blocks with anomalies before and after it", () => {
  const fog = company.operations.find(({ date_captured }) => date_captured === "2026-02-19");
  const flown = new Set(company.blocks.filter((block) => block.operation_id === fog?.id).map(({ name }) => name));
  expect(flown.size).toBe(11);
  expect(flown.has("Block 11")).toBe(true);
  const across = successions.filter(({ anomaly, previous }) => {
    return (
      captured.get(previous.operation_id ?? 0) === "2025-11-19" &&
      captured.get(anomaly.operation_id ?? 0) === "2026-05-21"
    );
  });
  expect(across.length).toBeGreaterThan(5);
});

test("a repaired defect is not found again", () => {
  const again = new Set(successions.map(({ previous }) => previous.id));
  const repaired = anomalies.filter((anomaly) => anomaly.properties["STATUS"] === "FIXED");
  expect(repaired.length).toBeGreaterThan(50);
  expect(repaired.filter((anomaly) => again.has(anomaly.id))).toEqual([]);
});

test("every class occurs, and every capture has findings", () => {
  expect(new Set(anomalies.map((anomaly) => anomaly.properties[classKey])).size).toBe(7);
  const datasets = new Set(anomalies.map((anomaly) => anomaly.dataset_id));
  expect(datasets.size).toBe(10);
});
