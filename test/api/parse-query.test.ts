import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FilterParameter, SortKey } from "../../src/api/contract.js";
import { type Endpoint, endpointOf, endpoints } from "../../src/api/endpoints.js";
import type { FilterValue } from "../../src/api/filters.js";
import { ParameterError, parseQuery, type QueryDefaults } from "../../src/api/parse-query.js";
import type { ResourceName } from "../../src/api/resources.js";
import { buildQuery } from "../../src/client/page/paged-query.js";
import { randomRuns } from "../support/random-runs.js";
import { uuid } from "../support/records.js";

const defaults: QueryDefaults = {
  pageSize: 20,
  maxPageSize: 10_000,
  sort: [{ field: "id", descending: false }],
  sortable: ["id", "name"],
};
const parse = (resource: ResourceName, query: string, over: Partial<QueryDefaults> = {}) =>
  parseQuery(endpointOf(resource), query, { ...defaults, ...over });

describe("parseQuery()", () => {
  it("has defaults for an empty query", () => {
    expect(parse("sites", "")).toEqual({ filters: new Map(), page: 1, pageSize: 20, sort: defaults.sort });
    expect(parse("datasets", "")).toMatchObject({ pageSize: 10, sort: [{ field: "id", descending: true }] });
    expect(parse("propertyChanges", "layer_feature_id=1").sort).toEqual(endpoints.propertyChanges.sort.default);
  });

  it.each<readonly [string, string, readonly FilterValue[]]>([
    ["mixed", "operation_id=1&operation_id%5B%5D=2", [1, 2]],
    ["null", "operation_id[]", [null]],
    ["null with an equals sign", "operation_id[]=", [null]],
    ["null beside values", "operation_id[]=7&operation_id[]", [7, null]],
    ["the same value twice", "operation_id[]=7&operation_id=07&operation_id[]&operation_id[]=", [7, null]],
    ["zero", "operation_id=-0&operation_id=0", [0]],
    ["negative", "operation_id=-5", [-5]],
    ["the largest integer", "operation_id=9007199254740991", [Number.MAX_SAFE_INTEGER]],
    ["empty parts", "&&operation_id=1&", [1]],
  ])("%s", (_, query, values) => {
    const [value] = parse("datasets", query).filters.get("operation_id") ?? [];
    expect(parse("datasets", query).filters).toEqual(new Map([["operation_id", values]]));
    expect(Object.is(value, values[0])).toBe(true);
  });

  it.each<readonly [string, readonly string[]]>([
    ["type=a%20b&type=a+b", ["a b"]],
    ["type=a=b", ["a=b"]],
    ["type[]=a,b", ["a,b"]],
  ])("decodes strings: %s", (query, values) => {
    expect(parse("datasets", query).filters.get("type")).toEqual(values);
  });

  it.each<readonly [ResourceName, string, readonly (readonly [string, boolean])[]]>([
    ["sites", "_sortBy=name", [["name", false]]],
    ["sites", "_sortBy=%2Bname", [["name", false]]],
    ["sites", "_sortBy=-name&_sortBy=name", [["name", true]]],
    ["operations", "_sortBy[]=-date_captured", [["date_captured", true]]],
    ["layerFeatures", `site_id=1&_page=1&_sortBy=properties.${uuid(1)}`, [[`properties.${uuid(1)}`, false]]],
    ["layerFeatures", "site_id=1&_page=1&_sortBy=-properties.A.b%20c", [["properties.A.b c", true]]],
  ])("%s?%s", (resource, query, keys) => {
    expect(parse(resource, query).sort).toEqual(keys.map(([field, descending]) => ({ field, descending })));
  });

  it("limits page sizes by the specification and the service", () => {
    expect(parse("sites", "_pageSize=50", { maxPageSize: 50 }).pageSize).toBe(50);
    expect(parse("sites", "_pageSize=20000", { maxPageSize: 20_000 }).pageSize).toBe(20_000);
    expect(() => parse("datasets", "_pageSize=20000", { maxPageSize: 20_000 })).toThrow("at most 10000");
    expect(() => parse("datasets", "_pageSize=51", { maxPageSize: 50 })).toThrow("at most 50");
    expect(parse("datasets", "", { maxPageSize: 5 }).pageSize).toBe(5);
  });

  it("accepts at most 16 sort keys, including duplicates", () => {
    const sortBy = (names: readonly string[]) => names.map((name) => `_sortBy=${name}`).join("&");
    const keys = Array.from({ length: 17 }, (_, n) => `properties.K${n}`);
    const features = (names: readonly string[]) => parse("layerFeatures", `site_id=1&_page=1&${sortBy(names)}`);
    expect(features(keys.slice(0, 16)).sort).toHaveLength(16);
    expect(() => features(keys)).toThrow("_sortBy must have at most 16 values, but got 17.");
    expect(() => parse("sites", sortBy(Array.from({ length: 1600 }, () => "id")))).toThrow("at most 16");
  });

  it("throws with a parameter and a message (each case: test/service/refusals.test.ts)", () => {
    const refusal = () => parse("sites", "_page=x");
    expect(refusal).toThrow(ParameterError);
    expect(refusal).toThrow(expect.objectContaining({ parameter: "_page", message: expect.stringContaining('"x"') }));
  });
});

const wellFormed = fc.string({ unit: "binary", minLength: 1, maxLength: 8 }).filter((text) => !text.includes("\0"));

function filterValue(filter: FilterParameter): fc.Arbitrary<FilterValue> {
  const value: fc.Arbitrary<FilterValue> = filter.values
    ? fc.constantFrom(...filter.values)
    : filter.kind === "integer"
      ? fc.maxSafeInteger().map((number) => number + 0)
      : wellFormed;
  return filter.nullable ? fc.option(value, { nil: null, freq: 4 }) : value;
}

function filtersOf(endpoint: Endpoint): fc.Arbitrary<ReadonlyMap<string, readonly FilterValue[]>> {
  const entries = Object.entries(endpoint.filters).map(([name, filter]) => {
    const isNeeded = filter.required || endpoint.oneOf?.[0] === name;
    const values = fc.uniqueArray(filterValue(filter), { minLength: 1, maxLength: 5 });
    return (isNeeded ? values : fc.option(values, { nil: undefined })).map((chosen) => [name, chosen] as const);
  });
  return fc
    .tuple(...entries)
    .map((chosen) => new Map(chosen.flatMap(([name, values]) => (values ? [[name, values] as const] : []))));
}

function sortOf(endpoint: Endpoint): fc.Arbitrary<readonly SortKey[]> {
  const named = fc.constantFrom(...endpoint.sort.fields, ...(endpoint.sort.complete ? [] : defaults.sortable));
  const field = endpoint.sort.properties
    ? fc.oneof(
        named,
        wellFormed.map((key) => `properties.${key}`),
      )
    : named;
  const key = fc.record({ field, descending: fc.boolean() });
  return fc.uniqueArray(key, { minLength: 1, maxLength: 3, selector: (one) => one.field });
}

describe("buildQuery()", () => {
  it.each(Object.keys(endpoints) as ResourceName[])("is inverted by parseQuery() for %s", (resource) => {
    const endpoint = endpointOf(resource);
    const paging = fc.record({
      page: fc.integer({ min: 1 }),
      pageSize: fc.integer({ min: 1, max: 10_000 }),
      sort: sortOf(endpoint),
    });
    fc.assert(
      fc.property(filtersOf(endpoint), paging, (filters, request) => {
        const read = parse(resource, buildQuery(filters, request));
        expect(read).toEqual({ filters, ...request });
      }),
    );
  });

  it("brackets lists with null, and escapes +", () => {
    const filters = new Map([["operation_id", [7, null]]]);
    const query = buildQuery(filters, { page: 1, sort: [{ field: "id", descending: false }] });
    expect(query).toBe("operation_id%5B%5D=7&operation_id%5B%5D=&_page=1&_sortBy=%2Bid");
  });
});

describe("parseQuery() of random strings", () => {
  it("agrees with URLSearchParams for repeated, bracketed and mixed strings", () => {
    const pair = fc.tuple(fc.constantFrom("type", "status", "semantic_type"), fc.boolean(), wellFormed);
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 8 }), (pairs) => {
        const query = new URLSearchParams();
        for (const [name, bracketed, value] of pairs) query.append(bracketed ? `${name}[]` : name, value);
        const expected = new Map<string, Set<string>>();
        for (const [name, , value] of pairs) expected.set(name, (expected.get(name) ?? new Set()).add(value));
        const { filters } = parse("datasets", query.toString());
        expect(filters).toEqual(new Map([...expected].map(([name, values]) => [name, [...values]])));
      }),
    );
  });

  it("throws only QueryErrors", () => {
    fc.assert(
      fc.property(fc.constantFrom(...(Object.keys(endpoints) as ResourceName[])), fc.string(), (resource, query) => {
        try {
          parse(resource, query);
        } catch (error) {
          expect(error).toBeInstanceOf(ParameterError);
        }
      }),
      { numRuns: randomRuns(1000) },
    );
  });
});
