import { describe, expect, it } from "vitest";
import { checkRecord } from "../../src/api/check-record.js";
import type { ResourceName } from "../../src/api/resources.js";
import { company } from "../service/company.js";
import { change, dataset, feature } from "../support/records.js";

const valid: Readonly<Partial<Record<ResourceName, object>>> = {
  sites: company.sites?.[0] ?? {},
  operations: company.operations?.[0] ?? {},
  layerFeatures: feature(1),
  datasets: dataset(1),
  propertyChanges: change(1),
};

describe("checkRecord", () => {
  it("accepts every record of the small company", () => {
    for (const [resource, records] of Object.entries(company)) {
      for (const record of records) expect(checkRecord(resource as ResourceName, record)).toBeUndefined();
    }
  });

  it.each<readonly [string, ResourceName, unknown]>([
    ["extra fields", "layerFeatures", { ...feature(1), colour: "red" }],
    ["a missing nullable field", "operations", { id: 1, site_id: 2, status: "DRAFT", data_product_id: 3 }],
    ["null if the specification is silent", "layerFeatures", { ...feature(1), visible_id: null, geometry: null }],
    ["a collection", "layerFeatures", { ...feature(1), geometry: { type: "GeometryCollection", geometries: [] } }],
    ["microseconds and offsets", "layerFeatures", { ...feature(1), created_at: "2024-01-01 10:00:00.123456+02" }],
    ["any new value", "propertyChanges", change(1, { new_value: [{ a: 1 }] })],
    ["a time as a date", "operations", { ...company.operations?.[0], date_captured: "2024-01-01T10:00:00Z" }],
  ])("accepts %s", (_, resource, record) => {
    expect(checkRecord(resource, record)).toBeUndefined();
  });

  it.each<readonly [ResourceName, string, unknown, string, string]>([
    [
      "sites",
      "type",
      "MOON",
      "one of SOLAR, GENERIC, AGRICULTURE, WIND, HYDRO, STORAGE, CHARGING, ROAD",
      "a string of 4 characters",
    ],
    ["sites", "stage", null, "a string", "null"],
    ["sites", "coordinates", [11, 48], "a GeoJSON Point", "an array of 2 values"],
    ["sites", "geo_area", Number.POSITIVE_INFINITY, "a number", "Infinity"],
    ["sites", "ac_power", Number.NaN, "a number", "NaN"],
    ["layerFeatures", "id", "1", "an integer", '"1"'],
    ["layerFeatures", "id", 1.5, "an integer", "1.5"],
    ["layerFeatures", "properties", null, "an object", "null"],
    ["layerFeatures", "created_at", "yesterday", "an ISO 8601 timestamp", "a string of 9 characters"],
    ["layerFeatures", "geometry", { type: "Circle" }, "a GeoJSON geometry", "an object"],
    ["datasets", "layout_definition", {}, "an object with an items array", "an object"],
    ["propertyChanges", "id", "1", "a UUID", "a string of 1 character"],
    ["propertyChanges", "system", 0, "true or false", "a number"],
    ["operations", "contact_name", ["Ada"], "a string", "an array of 1 value"],
  ])("refuses %s with %s: %j", (resource, field, value, type, kind) => {
    const violation = checkRecord(resource, { ...valid[resource], [field]: value });
    expect(violation).toEqual({ path: `.${field}`, message: `expected ${type}, got ${kind}` });
  });

  it.each<readonly [unknown, string, string]>([
    [null, "", "expected an object, got null"],
    ["Ada Lovelace", "", "expected an object, got a string of 12 characters"],
    [["Ada Lovelace"], "", "expected an object, got an array of 1 value"],
    [{ ...valid.sites, name: undefined }, ".name", "is missing"],
    [{ ...valid.sites, peak_power: undefined }, ".peak_power", "is missing"],
    [{}, ".id", "is missing"],
  ])("refuses the site %j", (record, path, message) => {
    expect(checkRecord("sites", record)).toEqual({ path, message });
  });
});
