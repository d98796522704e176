import { describe, expect, it } from "vitest";
import { resolveFilters, selectsNothing } from "../../src/api/filters.js";
import type { ResourceName } from "../../src/api/resources.js";
import { refusal } from "../support/refusal.js";

describe("resolveFilters", () => {
  it("lists distinct values in the given order", () => {
    const site_id = Object.freeze([15, null, 12, 15]);
    const filters = resolveFilters("datasets", { site_id, id: 4, operation_id: null, type: undefined });
    expect(Object.fromEntries(filters)).toEqual({ site_id: [15, null, 12], id: [4], operation_id: [null] });
  });

  it.each<readonly [ResourceName, Record<string, unknown>, string]>([
    ["sites", { ids: 1 }, 'no parameter "ids"'],
    ["sites", { toString: 1 }, 'no parameter "toString"'],
    ["sites", { id: "12" }, 'id must be an integer, but got "12"'],
    ["sites", { id: 2 ** 53 }, "9007199254740992"],
    ["sites", { id: [1, [2]] }, "[2]"],
    ["sites", { id: null }, "must not be null"],
    ["sites", { id: [undefined] }, "undefined"],
    ["datasets", { site_id: "x" }, "must be an integer or null"],
    ["datasets", { type: "" }, 'must be a string, but got ""'],
    ["datasets", { type: "\ud800" }, "must be well-formed Unicode"],
    ["operations", { status: "DONE" }, "must be one of DRAFT, ORDERED"],
    ["blocks", {}, "blocks needs operation_id"],
    ["blocks", { operation_id: undefined }, "blocks needs operation_id"],
    ["propertyChanges", { property_key: "STATUS" }, "needs layer_feature_id"],
    ["layerFeatures", {}, "at least one of site_id, operation_id, dataset_id, semantic_type"],
  ])("refuses %s %j", (resource, params, message) => {
    expect(refusal(() => resolveFilters(resource, params))).toContain(message);
  });

  it.each(["_page", "_pageSize", "_sortBy"])("refuses %s with a hint", (name) => {
    const hint = expect.stringMatching(/source\.pages|pageSize|orderby/);
    expect(() => resolveFilters("sites", { [name]: 1 })).toThrow(expect.objectContaining({ hint }));
  });
});

describe("selectsNothing", () => {
  it("is true with an empty list for any filter", () => {
    expect(selectsNothing(resolveFilters("blocks", { operation_id: [] }))).toBe(true);
    expect(selectsNothing(resolveFilters("operations", { id: 1, site_id: [] }))).toBe(true);
    expect(selectsNothing(resolveFilters("operations", { id: 1 }))).toBe(false);
    expect(selectsNothing(resolveFilters("operations"))).toBe(false);
  });
});
