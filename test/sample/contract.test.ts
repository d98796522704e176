import { describe, expect, test } from "vitest";
import type { Field } from "../../src/api/contract.js";
import { type ResourceName, resources } from "../../src/api/resources.js";
import { isUuid } from "../../src/core/uuid.js";
import { records } from "./records.js";

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const hasType = (types: readonly string[]) => (value: unknown) =>
  isObject(value) && types.includes(String((value as { type?: unknown }).type));

const checks: Readonly<Record<Field["type"], (value: unknown) => boolean>> = {
  integer: Number.isInteger,
  number: Number.isFinite,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  uuid: (value) => typeof value === "string" && isUuid(value) && value === value.toLowerCase(),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(String(value)) && !Number.isNaN(Date.parse(String(value))),
  timestamp: (value) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(\d{3})?Z$/.test(String(value)) && !Number.isNaN(Date.parse(String(value))),
  point: hasType(["Point"]),
  polygon: hasType(["Polygon"]),
  geometry: hasType(["Point", "LineString", "Polygon"]),
  layout: isObject,
  object: isObject,
  json: (value) => value !== undefined,
};

describe.each(Object.entries(resources))("%s", (name, resource) => {
  const fields: Readonly<Record<string, Field>> = {
    ...resource.fields,
    ...("hidden" in resource ? resource.hidden : {}),
  };
  const rows = records[name as ResourceName] as readonly Readonly<Record<string, unknown>>[];

  test("has exactly the fields of the contract, in its order", () => {
    const orders = new Set(rows.map((row) => Object.keys(row).join()));
    expect([...orders]).toEqual([Object.keys(fields).join()]);
  });

  test.each(Object.entries(fields))("%s is as the contract says", (key, field) => {
    const wrong = rows.map((row) => row[key]).filter((value) => !fits(value, field));
    expect(wrong.slice(0, 3)).toEqual([]);
  });

  test("survives JSON", () => {
    const sample = rows.slice(0, 500);
    expect(JSON.parse(JSON.stringify(sample))).toEqual(sample);
  });

  test("has ascending ids", () => {
    const ids = rows.map((row) => row["id"] as number | string);
    expect(ids.filter((id, i) => i > 0 && !((ids[i - 1] ?? id) < id))).toEqual([]);
  });
});

function fits(value: unknown, field: Field): boolean {
  if (value === null) return field.nullable === true;
  return checks[field.type](value) && (field.values === undefined || field.values.includes(String(value)));
}
