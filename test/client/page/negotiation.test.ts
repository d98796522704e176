import { describe, expect, it } from "vitest";
import { BadRequestError, ProtocolError } from "../../../src/core/errors.js";
import { anyParams, mockRecords } from "../mock-records.js";
import { type MockOptions, mockServices, refuse } from "../mock-service.js";

const mock = mockServices();

const sent = (name: string) => mock.service.requests.map(({ params }) => params.get(name));
const refuseAbove = (most: number, message: string): MockOptions => ({
  fault: ({ pageSize }, response) => pageSize > most && refuse(response, 400, message),
});

describe("page size", () => {
  it("is the largest documented size", async () => {
    const { reader } = await mock.start();
    for (const resource of ["sites", "datasets", "layerFeatures"] as const) {
      await reader().all(resource, anyParams[resource]);
    }
    expect(new Set(sent("_pageSize"))).toEqual(new Set(["10000"]));
  });

  it("is the size in the response", async () => {
    const { reader, rows, requests } = await mock.start({ largestPage: 100 });
    rows.set("layerFeatures", mockRecords("layerFeatures", 250));
    expect((await reader().all("layerFeatures", { site_id: 1 })).rows).toEqual(rows.get("layerFeatures"));
    expect(requests).toHaveLength(3);
  });

  it.each(["_pageSize is at most 1000", "Bad Request"])(
    "steps down if the maximum is not documented: %s",
    async (message) => {
      const { reader, rows } = await mock.start(refuseAbove(1000, message));
      rows.set("layerFeatures", mockRecords("layerFeatures", 1500));
      const live = reader();
      expect((await live.all("layerFeatures", { site_id: 1 })).rows).toEqual(rows.get("layerFeatures"));
      const before = mock.service.requests.length;
      await live.all("layerFeatures", { site_id: 1 });
      expect(mock.service.requests.length - before).toBe(2);
      expect(new Set(sent("_sortBy"))).toEqual(new Set(["+id"]));
    },
  );

  it("does not step down if the maximum is documented", async () => {
    const { reader, requests } = await mock.start(refuseAbove(1000, "_pageSize is at most 1000"));
    await expect(reader().all("datasets", {})).rejects.toBeInstanceOf(BadRequestError);
    expect(requests).toHaveLength(1);
  });

  it.each(["layerFeatures", "sites"] as const)("may be fixed by the service: %s", async (resource) => {
    const { reader, rows } = await mock.start({
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

  it("is not remembered from an earlier option", async () => {
    const { reader, rows } = await mock.start({
      fault: ({ params }, response) => params.has("_sortBy") && refuse(response, 400, "cannot sort by id"),
    });
    rows.set("sites", mockRecords("sites", 50));
    const live = reader();
    await live.all("sites", {}, { pageSize: 20 });
    mock.service.requests.length = 0;
    await live.all("sites", {});
    expect(sent("_pageSize")).toEqual(["10000"]);
  });

  const refuseOption = (most: number): MockOptions => ({
    fault: ({ params, pageSize }, response) =>
      params.has("_pageSize") && pageSize > most && refuse(response, 400, "_pageSize is too large"),
    largestPage: most,
  });

  it.each([
    ["cuts pages to 1", { largestPage: 1 }],
    ["cuts pages to 3", { largestPage: 3 }],
    ["cuts pages to 9", { largestPage: 9 }],
    ["refuses more than 10", refuseAbove(10, "_pageSize is at most 10")],
    ["refuses the option above 1", refuseOption(1)],
    ["refuses the option above 4", refuseOption(4)],
    ["refuses the option above 9", refuseOption(9)],
  ])("may be tiny: a service that %s", async (_, options) => {
    const { reader, rows } = await mock.start(options);
    rows.set("layerFeatures", mockRecords("layerFeatures", 70));
    expect((await reader().all("layerFeatures", { site_id: 1 })).rows).toEqual(rows.get("layerFeatures"));
  });

  it("does not step down after a 400 that names a filter", async () => {
    const { reader, requests } = await mock.start(refuseAbove(0, "semantic_type is not known"));
    await expect(reader().all("layerFeatures", { semantic_type: "X" })).rejects.toBeInstanceOf(BadRequestError);
    expect(requests).toHaveLength(1);
  });
});

describe("order", () => {
  it("is ascending by id", async () => {
    const { reader, requests } = await mock.start();
    await reader().all("propertyChanges", { layer_feature_id: 1 });
    expect(requests[0]?.url).toContain("_sortBy=%2Bid");
  });

  it.each(["sites", "operations", "blocks"] as const)(
    "falls back to the order of the service for %s",
    async (resource) => {
      const { reader, rows } = await mock.start({
        fault: ({ params }, response) => params.has("_sortBy") && refuse(response, 400, "cannot sort by id"),
        order: (all) => [...all].reverse(),
      });
      rows.set(resource, mockRecords(resource, 25));
      const live = reader({ pageSize: 10 });
      expect((await live.all(resource, anyParams[resource])).rows).toEqual(rows.get(resource));
      expect(sent("_sortBy")).toEqual(["+id", null, null, null, null]);
      await live.all(resource, anyParams[resource]);
      expect(mock.service.requests).toHaveLength(9);
    },
  );

  it("may be ignored by the service", async () => {
    const { reader, rows } = await mock.start({ order: (all) => [...all].reverse() });
    rows.set("datasets", mockRecords("datasets", 25));
    expect((await reader({ pageSize: 10 }).all("datasets", {})).rows).toEqual(rows.get("datasets"));
  });
});

describe("pagination", () => {
  it("reads on after short and empty pages", async () => {
    const { reader, rows } = await mock.start({
      // The service cuts pages and then hides rows.
      envelope: (page) => {
        const data = page.data.filter(({ id }) => Number(id) <= 24 || Number(id) > 60);
        return { data, pagination: { ...page.pagination, rowCount: 23 } };
      },
    });
    rows.set("datasets", mockRecords("datasets", 35));
    const result = await reader({ pageSize: 10 }).all("datasets", {});
    expect(result.rows).toEqual(rows.get("datasets")?.filter(({ id }) => Number(id) <= 24 || Number(id) > 60));
  });

  it("accepts a page that is short once", async () => {
    const { reader, rows } = await mock.start({
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
  ])("is refused if invalid at %s", async (path, wrong) => {
    const { reader, rows } = await mock.start({ envelope: (page) => ({ ...page, ...wrong }) });
    rows.set("sites", mockRecords("sites", 1));
    const error = await reader()
      .all("sites", {})
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({ path, message: expect.stringContaining("/sites?") });
    // Records without an id are never kept.
    const hint = path === "$.data[0].name" ? expect.stringMatching(/strict: false/) : undefined;
    expect((error as ProtocolError).hint).toEqual(hint);
  });
});
