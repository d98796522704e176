import { describe, expect, it } from "vitest";
import { resolveFilters, selectsNothing } from "../../src/api/filters.js";
import type { ResourceName } from "../../src/api/resources.js";
import { ArgumentError } from "../../src/core/errors.js";

describe("resolveFilters", () => {
  it("makes one value and several a list, each value once, in the order given", () => {
    const filters = resolveFilters("datasets", { site_id: [15, null, 12, 15], id: 4, type: undefined });
    expect([...filters]).toEqual([
      ["site_id", [15, null, 12]],
      ["id", [4]],
    ]);
  });

  it("null is a value of its own", () => {
    expect([...resolveFilters("datasets", { operation_id: null })]).toEqual([["operation_id", [null]]]);
  });

  it("no parameters select everything", () => {
    expect(resolveFilters("sites").size).toBe(0);
  });

  it("does not change what it was given", () => {
    const ids = Object.freeze([1, 1]);
    resolveFilters("sites", { id: ids });
    expect(ids).toEqual([1, 1]);
  });

  it.each<readonly [ResourceName, Record<string, unknown>, string]>([
    ["sites", { ids: 1 }, 'no parameter "ids"'],
    ["sites", { toString: 1 }, 'no parameter "toString"'],
    ["sites", { id: "12" }, 'id takes integers, but got "12"'],
    ["sites", { id: 1.5 }, "1.5"],
    ["sites", { id: 2 ** 53 }, "9007199254740992"],
    ["sites", { id: [1, [2]] }, "[2]"],
    ["sites", { id: null }, "does not accept null"],
    ["sites", { id: [undefined] }, "undefined"],
    ["datasets", { site_id: "x" }, "takes integers or null"],
    ["datasets", { type: "" }, 'takes texts, but got ""'],
    ["datasets", { type: "\ud800" }, "takes well-formed texts"],
    ["operations", { status: "DONE" }, "takes one of DRAFT, ORDERED"],
    ["blocks", {}, "blocks needs operation_id"],
    ["blocks", { operation_id: undefined }, "blocks needs operation_id"],
    ["propertyChanges", { property_key: "STATUS" }, "needs layer_feature_id"],
    ["layerFeatures", {}, "at least one of site_id, operation_id, dataset_id, semantic_type"],
  ])("%s %j is refused", (resource, params, message) => {
    expect(() => resolveFilters(resource, params)).toThrow(ArgumentError);
    expect(() => resolveFilters(resource, params)).toThrow(message);
  });

  it.each(["_page", "_pageSize", "_sortBy"])("%s is refused with what to do instead", (name) => {
    const hint = expect.stringMatching(/source\.pages|pageSize|orderby/);
    expect(() => resolveFilters("sites", { [name]: 1 })).toThrow(expect.objectContaining({ hint }));
  });
});

describe("selectsNothing", () => {
  it("an empty list of one filter is enough", () => {
    expect(selectsNothing(resolveFilters("blocks", { operation_id: [] }))).toBe(true);
    expect(selectsNothing(resolveFilters("operations", { id: 1, site_id: [] }))).toBe(true);
    expect(selectsNothing(resolveFilters("operations", { id: 1 }))).toBe(false);
    expect(selectsNothing(resolveFilters("operations"))).toBe(false);
  });
});
