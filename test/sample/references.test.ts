import { expect, test } from "vitest";
import type { PropertyChange } from "../../src/api/resources.js";
import { isUuid } from "../../src/core/uuid.js";
import { changeById, changes, company, featureById, features } from "./records.js";

const ids = <T>(records: readonly { readonly id: T }[]): ReadonlySet<T> => new Set(records.map((record) => record.id));
const sites = ids(company.sites);
const operations = ids(company.operations);
const definitions = new Map(company.propertyDefinitions.map((definition) => [definition.id, definition]));
const datasets = new Map(company.datasets.map((dataset) => [dataset.id, dataset]));

test("operations, blocks, datasets and definitions have existing parents", () => {
  expect(company.operations.filter((operation) => !sites.has(operation.site_id))).toEqual([]);
  expect(company.blocks.filter((block) => !operations.has(block.operation_id))).toEqual([]);
  expect(company.propertyDefinitions.filter((definition) => !datasets.has(definition.dataset_id))).toEqual([]);
  const site = (id: number | null) => company.operations.find((operation) => operation.id === id)?.site_id ?? null;
  for (const dataset of company.datasets) {
    if (dataset.operation_id !== null) expect(dataset.site_id).toBe(site(dataset.operation_id));
    else if (dataset.site_id !== null) expect(sites).toContain(dataset.site_id);
  }
});

test("a feature repeats the site, operation and semantic type of its dataset, which is a GeoJSON layer", () => {
  const repeated = ["site_id", "operation_id", "semantic_type"] as const;
  const wrong = features.filter((feature) => {
    const dataset = datasets.get(feature.dataset_id);
    return dataset?.type !== "geojson-layer" || repeated.some((field) => feature[field] !== dataset[field]);
  });
  expect(wrong).toEqual([]);
});

test("only completed operations have delivered layers with features", () => {
  const status = new Map(company.operations.map((operation) => [operation.id, operation.status]));
  const delivering = new Set(features.map((feature) => feature.operation_id).filter((id) => id !== null));
  expect(new Set([...delivering].map((id) => status.get(id)))).toEqual(new Set(["COMPLETED"]));
});

test("every UUID on a feature, in the log or in a layout is defined, except the lost one", () => {
  const onFeatures = features.flatMap((feature) => Object.keys(feature.properties));
  const inLog = changes.map((change) => change.property_key);
  const inLayouts = [...JSON.stringify(company.datasets).matchAll(/"property_definition_id":"(.+?)"/g)].map(
    ([, id]) => id,
  );
  const unresolved = [...onFeatures, ...inLog, ...inLayouts].filter(
    (key) => isUuid(key ?? "") && !definitions.has(key ?? ""),
  );
  expect(new Set(unresolved).size).toBe(1);
});

test("relationships lead to features of the other kind", () => {
  for (const { properties } of features) {
    for (const [key, value] of Object.entries(properties)) {
      const definition = definitions.get(key);
      if (definition?.type !== "RELATIONSHIP") continue;
      const target = featureById.get(Number(value));
      expect(target).toBeDefined();
      const wanted = definition.config?.["semantic_type"];
      if (wanted !== undefined) expect(target?.semantic_type).toBe(wanted);
    }
  }
});

test("changes belong to features, and causes come before their effects", () => {
  expect(changes.filter((change) => !featureById.has(change.layer_feature_id))).toEqual([]);
  const effects = changes.filter((change) => change.caused_by_change_id !== null);
  expect(effects.length).toBeGreaterThan(1000);
  const causeOf = (change: PropertyChange) => changeById.get(change.caused_by_change_id ?? "");
  expect(effects.filter((change) => !((causeOf(change)?.id ?? change.id) < change.id))).toEqual([]);
});
