import { describe, expect, test } from "vitest";
import type { PropertyChange } from "../../src/api/resources.js";
import {
  changeById,
  changes,
  company,
  featureById,
  features,
  insertedAt,
  keyOf,
  logKey,
  logs,
  sortable,
} from "./records.js";

const share = (part: readonly unknown[], whole: readonly unknown[]): number => part.length / whole.length;

describe("the log has", () => {
  test("bulk edits with one timestamp", () => {
    const made = new Map<string, Set<number>>();
    for (const change of changes.filter((candidate) => !candidate.system)) {
      made.set(change.created_at, (made.get(change.created_at) ?? new Set()).add(change.layer_feature_id));
    }
    expect([...made.values()].filter((ids) => ids.size >= 40).length).toBeGreaterThan(10);
  });

  test("edits that arrive days late, some after newer ones", () => {
    const late = changes.filter((change) => insertedAt(change) - Date.parse(change.created_at) > 86_400_000);
    expect(share(late, changes)).toBeGreaterThan(0.005);
    expect(share(late, changes)).toBeLessThan(0.05);
    const overtaken = late.filter((change) =>
      (logs.get(logKey(change.layer_feature_id, change.property_key)) ?? []).some(
        (other) => other.id < change.id && sortable(other.created_at) > sortable(change.created_at),
      ),
    );
    expect(overtaken.length).toBeGreaterThan(2);
  });

  test("knock-on chains up to four deep, also across features", () => {
    const depth = (change: PropertyChange): number => {
      const cause = changeById.get(change.caused_by_change_id ?? "");
      return cause === undefined ? 0 : 1 + depth(cause);
    };
    const effects = changes.filter((change) => change.caused_by_change_id !== null);
    expect(Math.max(...effects.map(depth))).toBe(4);
    const across = effects.filter(
      (change) => changeById.get(change.caused_by_change_id ?? "")?.layer_feature_id !== change.layer_feature_id,
    );
    expect(across.length).toBeGreaterThan(5);
  });

  test("milliseconds and microseconds", () => {
    const micro = changes.filter((change) => change.created_at.length === 27);
    expect(share(micro, changes)).toBeGreaterThan(0.1);
    expect(share(micro, changes)).toBeLessThan(0.9);
  });

  test("changes that change nothing", () => {
    const same = [...logs.values()].flatMap((log) =>
      log.filter((change, i) => i > 0 && JSON.stringify(log[i - 1]?.new_value) === JSON.stringify(change.new_value)),
    );
    expect(same.length).toBeGreaterThan(10);
  });

  test("changes from before their feature was created", () => {
    const before = changes.filter((change) => {
      const created = featureById.get(change.layer_feature_id)?.created_at ?? "";
      return sortable(change.created_at) < sortable(created);
    });
    expect(before.length).toBeGreaterThan(5);
  });

  test("re-opened tickets", () => {
    const tickets = features.filter((feature) => feature.semantic_type === "PUNCH_LIST_ITEMS");
    const reopened = tickets.filter((feature) => {
      const statuses = (logs.get(logKey(feature.id, "STATUS")) ?? []).map((change) => change.new_value);
      return statuses.lastIndexOf("OPEN") > statuses.indexOf("RESOLVED") && statuses.includes("RESOLVED");
    });
    expect(share(reopened, tickets)).toBeGreaterThan(0.08);
    const now = new Set(tickets.map((feature) => feature.properties["STATUS"]));
    expect(now).toEqual(new Set(["OPEN", "IN_PROGRESS", "BLOCKED", "RESOLVED", "CLOSED"]));
  });

  test("values of every JSON type", () => {
    const kind = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
    expect(new Set(changes.map((change) => kind(change.new_value)))).toEqual(
      new Set(["string", "number", "boolean", "array", "object", "null"]),
    );
  });
});

describe("the properties have", () => {
  const names = (name: string) => company.propertyDefinitions.filter((definition) => definition.name === name);

  test("every type of definition", () => {
    expect(new Set(company.propertyDefinitions.map((definition) => definition.type))).toEqual(
      new Set(["STRING", "FLOAT", "INTEGER", "BOOLEAN", "DATE", "OPTION", "RELATIONSHIP", "ARRAY", "OBJECT"]),
    );
  });

  test("one name in several datasets, with equal types and with different ones", () => {
    expect(names("Remarks").length).toBeGreaterThan(3);
    expect(new Set(names("Remarks").map((definition) => definition.type)).size).toBe(1);
    expect(new Set(names("Severity").map((definition) => definition.type))).toEqual(new Set(["OPTION", "INTEGER"]));
  });

  test("the name of a base field", () => {
    expect(names("description")).toHaveLength(1);
  });

  test("definitions inherited from at least two other datasets", () => {
    const home = new Map(company.propertyDefinitions.map((definition) => [definition.id, definition.dataset_id]));
    const parents = new Set<number>();
    for (const { dataset_id, properties } of features) {
      for (const key of Object.keys(properties)) {
        const parent = home.get(key);
        if (parent !== undefined && parent !== dataset_id) parents.add(parent);
      }
    }
    expect(parents.size).toBeGreaterThanOrEqual(2);
  });

  test("values set at creation and never logged", () => {
    const table = features.find((feature) => feature.semantic_type === "SOLAR_PANELS");
    const key = keyOf("Component template", "Contractor");
    expect(table?.properties).toHaveProperty(key);
    expect(logs.has(logKey(table?.id ?? 0, key))).toBe(false);
  });

  test("a few values of the wrong type", () => {
    const numbers = new Set(company.propertyDefinitions.filter(({ type }) => type === "FLOAT").map(({ id }) => id));
    const texts = features.flatMap(({ properties }) =>
      Object.entries(properties).filter(([key, value]) => numbers.has(key) && typeof value === "string"),
    );
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.length).toBeLessThan(50);
  });

  test("layouts with sections, without sections, and none", () => {
    const layers = company.datasets.filter((dataset) => dataset.type === "geojson-layer");
    const entries = layers.map((dataset) => new Set(dataset.layout_definition?.items.map((item) => item.type)));
    expect(entries.some((types) => types.size === 0)).toBe(true);
    expect(entries.some((types) => types.size === 1 && types.has("PROPERTY"))).toBe(true);
    expect(entries.some((types) => types.size === 2)).toBe(true);
  });
});

test("datasets of every storage type and operations in nearly every state", () => {
  expect(new Set(company.datasets.map((dataset) => dataset.type)).size).toBe(8);
  expect(new Set(company.operations.map((operation) => operation.status)).size).toBe(10);
});
