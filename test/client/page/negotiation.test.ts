import { afterEach, describe, expect, it } from "vitest";
import { BadRequestError, ProtocolError } from "../../../src/core/errors.js";
import { anyParams, mockRecords } from "../mock-records.js";
import { type MockOptions, type MockService, mockService, refuse } from "../mock-service.js";

let service: MockService;
const start = async (options?: MockOptions) => {
  service = await mockService(options);
  return service;
};
afterEach(() => service.close());

const asked = (name: string) => service.requests.map(({ params }) => params.get(name));
const refuseAbove = (most: number, message: string): MockOptions => ({
  fault: ({ pageSize }, response) => pageSize > most && refuse(response, 400, message),
});

describe("page size", () => {
  it("is the largest that is documented or imaginable", async () => {
    const { reader } = await start();
    for (const resource of ["sites", "datasets", "layerFeatures"] as const) {
      await reader().all(resource, anyParams[resource]);
    }
    expect(new Set(asked("_pageSize"))).toEqual(new Set(["10000"]));
  });

  it("is the one that the service says it used", async () => {
    const { reader, rows, requests } = await start({ largestPage: 100 });
    rows.set("layerFeatures", mockRecords("layerFeatures", 250));
    expect((await reader().all("layerFeatures", { site_id: 1 })).rows).toEqual(rows.get("layerFeatures"));
    expect(requests).toHaveLength(3);
  });

  it.each(["_pageSize is at most 1000", "Bad Request"])(
    "steps down where its maximum is not shown: %s",
    async (message) => {
      const { reader, rows } = await start(refuseAbove(1000, message));
      rows.set("layerFeatures", mockRecords("layerFeatures", 1500));
      const live = reader();
      expect((await live.all("layerFeatures", { site_id: 1 })).rows).toEqual(rows.get("layerFeatures"));
      const before = service.requests.length;
      await live.all("layerFeatures", { site_id: 1 });
      expect(service.requests.length - before).toBe(2);
      expect(new Set(asked("_sortBy"))).toEqual(new Set(["+id"]));
    },
  );

  it("is not stepped down where its maximum is shown", async () => {
    const { reader, requests } = await start(refuseAbove(1000, "_pageSize is at most 1000"));
    await expect(reader().all("datasets", {})).rejects.toBeInstanceOf(BadRequestError);
    expect(requests).toHaveLength(1);
  });

  it.each(["layerFeatures", "sites"] as const)("may be fixed, whatever is asked for: %s", async (resource) => {
    const { reader, rows } = await start({
      envelope: ({ pagination }, { page }) => ({
        data: (rows.get(resource) ?? []).slice((page - 1) * 20, page * 20),
        pagination: { ...pagination, pageSize: 20, pageCount: 5 },
      }),
      order: (all) => (resource === "sites" ? [...all].reverse() : all),
    });
    const all = mockRecords(resource, 95);
    rows.set(resource, resource === "sites" ? all.toReversed() : all);
    expect((await reader().all(resource, anyParams[resource])).rows).toEqual(all);
  });

  it("is remembered as refused, not as once wanted", async () => {
    const { reader, rows } = await start({
      fault: ({ params }, response) => params.has("_sortBy") && refuse(response, 400, "cannot sort by id"),
    });
    rows.set("sites", mockRecords("sites", 50));
    const live = reader();
    await live.all("sites", {}, { pageSize: 20 });
    service.requests.length = 0;
    await live.all("sites", {});
    expect(asked("_pageSize")).toEqual(["10000"]);
  });

  it.each([
    ["cuts pages to", { largestPage: 1 }],
    ["cuts pages to", { largestPage: 3 }],
    ["cuts pages to", { largestPage: 9 }],
    ["refuses more than", refuseAbove(10, "_pageSize is at most 10")],
  ])("may be tiny: a service that %s %j", async (_, options) => {
    const { reader, rows } = await start(options);
    rows.set("layerFeatures", mockRecords("layerFeatures", 70));
    expect((await reader().all("layerFeatures", { site_id: 1 })).rows).toEqual(rows.get("layerFeatures"));
  });

  it.each([1, 4, 9])("may be tiny: a service that refuses more than %i", async (most) => {
    const { reader, rows } = await start({
      fault({ params, pageSize }, response) {
        return params.has("_pageSize") && pageSize > most && refuse(response, 400, "_pageSize is too large");
      },
      largestPage: most,
    });
    rows.set("layerFeatures", mockRecords("layerFeatures", 70));
    expect((await reader().all("layerFeatures", { site_id: 1 })).rows).toEqual(rows.get("layerFeatures"));
  });

  it("is not to blame for a 400 that names a filter", async () => {
    const { reader, requests } = await start(refuseAbove(0, "semantic_type is not known"));
    await expect(reader().all("layerFeatures", { semantic_type: "X" })).rejects.toBeInstanceOf(BadRequestError);
    expect(requests).toHaveLength(1);
  });
});

describe("order", () => {
  it("is ascending by id", async () => {
    const { reader, requests } = await start();
    await reader().all("propertyChanges", { layer_feature_id: 1 });
    expect(requests[0]?.url).toContain("_sortBy=%2Bid");
  });

  it.each(["sites", "operations", "blocks"] as const)("falls back to the service's own for %s", async (resource) => {
    const { reader, rows } = await start({
      fault: ({ params }, response) => params.has("_sortBy") && refuse(response, 400, "cannot sort by id"),
      order: (all) => [...all].reverse(),
    });
    rows.set(resource, mockRecords(resource, 25));
    const live = reader({ pageSize: 10 });
    expect((await live.all(resource, anyParams[resource])).rows).toEqual(rows.get(resource));
    expect(asked("_sortBy")).toEqual(["+id", null, null, null, null]);
    await live.all(resource, anyParams[resource]);
    expect(service.requests).toHaveLength(9);
  });

  it("may be ignored by the service", async () => {
    const { reader, rows } = await start({ order: (all) => [...all].reverse() });
    rows.set("datasets", mockRecords("datasets", 25));
    expect((await reader({ pageSize: 10 }).all("datasets", {})).rows).toEqual(rows.get("datasets"));
  });
});

describe("pagination", () => {
  it("reads on after a short and an empty page that are not the last", async () => {
    const { reader, rows } = await start({
      // A service that cuts pages first and hides rows afterwards.
      envelope: (page) => {
        const data = page.data.filter(({ id }) => Number(id) <= 24 || Number(id) > 60);
        return { data, pagination: { ...page.pagination, rowCount: 23 } };
      },
    });
    rows.set("datasets", mockRecords("datasets", 35));
    const result = await reader({ pageSize: 10 }).all("datasets", {});
    expect(result.rows).toEqual(rows.get("datasets")?.filter(({ id }) => Number(id) <= 24 || Number(id) > 60));
  });

  it("accepts that a single page is short once", async () => {
    const { reader, rows } = await start({
      envelope: (page, { number }) => (number === 2 ? { ...page, data: page.data.slice(0, 5) } : page),
    });
    rows.set("datasets", mockRecords("datasets", 30));
    expect((await reader({ pageSize: 10 }).all("datasets", {})).rows).toEqual(rows.get("datasets"));
  });

  it.each([
    ["$.pagination", { pagination: null }],
    ["$.pagination.rowCount", { pagination: { page: 1, pageSize: 10, rowCount: -1, pageCount: 0 } }],
    ["$.pagination.pageCount", { pagination: { page: 1, pageSize: 10, rowCount: 1 } }],
    ["$.pagination.page", { pagination: { page: 2, pageSize: 10, rowCount: 1, pageCount: 1 } }],
    ["$.data", { data: { 0: "x" } }],
    ["$.data[0]", { data: ["x"] }],
    ["$.data[0].id", { data: [{ id: "one" }] }],
    ["$.data[0].name", { data: [{ ...mockRecords("sites", 1)[0], name: 5 }] }],
  ])("is refused where it is wrong at %s", async (path, wrong) => {
    const { reader, rows } = await start({ envelope: (page) => ({ ...page, ...wrong }) });
    rows.set("sites", mockRecords("sites", 1));
    const error = await reader()
      .all("sites", {})
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({ path, message: expect.stringContaining("/sites?") });
    // A record without an id is never kept.
    const hint = path === "$.data[0].name" ? expect.stringMatching(/^With strict: false, such records/) : undefined;
    expect((error as ProtocolError).hint).toEqual(hint);
  });
});
