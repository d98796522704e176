import { describe, expect, it } from "vitest";
import { checkRecord } from "../../src/api/check-record.js";
import type { ResourceName } from "../../src/api/resources.js";
import { company } from "../service/company.js";
import { change, dataset, feature } from "../support/records.js";

const site = company.sites?.[0];

describe("checkRecord", () => {
  it("accepts every record of the small company", () => {
    for (const [resource, records] of Object.entries(company)) {
      for (const record of records) expect(checkRecord(resource as ResourceName, record)).toBeUndefined();
    }
  });

  it.each<readonly [string, ResourceName, unknown]>([
    ["extra fields", "layerFeatures", { ...feature(1), colour: "red" }],
    ["a nullable field that is left out", "operations", { id: 1, site_id: 2, status: "DRAFT", data_product_id: 3 }],
    ["null where the specification is silent", "layerFeatures", { ...feature(1), visible_id: null, geometry: null }],
    [
      "a geometry collection",
      "layerFeatures",
      { ...feature(1), geometry: { type: "GeometryCollection", geometries: [] } },
    ],
    ["microseconds and offsets", "layerFeatures", { ...feature(1), created_at: "2024-01-01 10:00:00.123456+02" }],
    ["any new value", "propertyChanges", change(1, { new_value: [{ a: 1 }] })],
    [
      "a time as a date of capture",
      "operations",
      { ...company.operations?.[0], date_captured: "2024-01-01T10:00:00Z" },
    ],
  ])("%s is fine", (_, resource, record) => {
    expect(checkRecord(resource, record)).toBeUndefined();
  });

  it.each<readonly [ResourceName, unknown, string, string]>([
    ["sites", null, "", "expected an object, got null"],
    ["sites", [], "", "expected an object, got an array of 0 values"],
    ["sites", "Ada Lovelace", "", "expected an object, got a string of 12 characters"],
    ["sites", ["Ada Lovelace"], "", "expected an object, got an array of 1 value"],
    ["sites", { ...site, name: undefined }, ".name", "is missing"],
    ["sites", { ...site, peak_power: undefined }, ".peak_power", "is missing"],
    [
      "sites",
      { ...site, type: "MOON" },
      ".type",
      "expected one of SOLAR, GENERIC, AGRICULTURE, WIND, HYDRO, STORAGE, CHARGING, ROAD, got a string of 4 characters",
    ],
    ["sites", { ...site, stage: null }, ".stage", "expected a string, got null"],
    ["sites", { ...site, coordinates: [11, 48] }, ".coordinates", "expected a GeoJSON Point, got an array of 2 values"],
    ["sites", { ...site, geo_area: Number.POSITIVE_INFINITY }, ".geo_area", "expected a number, got Infinity"],
    ["sites", { ...site, ac_power: Number.NaN }, ".ac_power", "expected a number, got NaN"],
    ["layerFeatures", { ...feature(1), id: "1" }, ".id", 'expected an integer, got "1"'],
    ["layerFeatures", { ...feature(1), id: 1.5 }, ".id", "expected an integer, got 1.5"],
    ["layerFeatures", { ...feature(1), properties: null }, ".properties", "expected an object, got null"],
    [
      "layerFeatures",
      { ...feature(1), created_at: "yesterday" },
      ".created_at",
      "expected an ISO 8601 timestamp, got a string of 9 characters",
    ],
    [
      "layerFeatures",
      { ...feature(1), geometry: { type: "Circle" } },
      ".geometry",
      "expected a GeoJSON geometry, got an object",
    ],
    [
      "datasets",
      { ...dataset(1), layout_definition: {} },
      ".layout_definition",
      "expected an object with an items array, got an object",
    ],
    ["propertyChanges", { ...change(1), id: "1" }, ".id", "expected a UUID, got a string of 1 character"],
    ["propertyChanges", { ...change(1), system: 0 }, ".system", "expected true or false, got a number"],
    ["propertyDefinitions", {}, ".id", "is missing"],
  ])("%s %j", (resource, record, path, message) => {
    expect(checkRecord(resource, record)).toEqual({ path, message });
  });

  it("never shows personal data", () => {
    const violation = checkRecord("operations", { ...company.operations?.[0], contact_name: ["Ada"] });
    expect(violation).toEqual({ path: ".contact_name", message: "expected a string, got an array of 1 value" });
  });
});
