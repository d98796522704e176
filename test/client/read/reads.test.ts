import { describe, expect, it } from "vitest";
import type { ReadProgress } from "../../../src/client/read-options.js";
import type { Diagnostic } from "../../../src/core/diagnostic.js";
import { ArgumentError } from "../../../src/core/errors.js";
import { mockRecord, mockRecords, uuid } from "../mock-records.js";
import { type MockOptions, mockServices, type Row, refuse } from "../mock-service.js";

const mock = mockServices();

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** A service that filters the changes by feature and property, like the real mock.service. */
const filtering: MockOptions = {
  before({ params }) {
    const ids = new Set(params.getAll("layer_feature_id").map(Number));
    const keys = params.getAll("property_key");
    const all = range(1000).map((number) => ({
      ...mockRecord("propertyChanges", number),
      layer_feature_id: 1 + ((number * 7) % 450),
      property_key: `KEY_${number % 300}`,
    }));
    mock.service.rows.set(
      "propertyChanges",
      all.filter((row) => ids.has(row.layer_feature_id) && (keys.length === 0 || keys.includes(row.property_key))),
    );
  },
};

describe("filters with many values", () => {
  it("are split at 200 ids, and the parts are merged in order of id", async () => {
    const { reader, requests } = await mock.start(filtering);
    const { rows } = await reader().all("propertyChanges", { layer_feature_id: range(450) });
    expect(rows.map(({ id }) => id)).toEqual(range(1000).map(uuid));
    expect(requests.map(({ params }) => params.getAll("layer_feature_id").length)).toEqual([150, 150, 150]);
  });

  it("are split in both dimensions", async () => {
    const { reader, requests } = await mock.start(filtering);
    const params = { layer_feature_id: range(450), property_key: range(300).map((number) => `KEY_${number - 1}`) };
    const { rows } = await reader().all("propertyChanges", params);
    expect(rows.map(({ id }) => id)).toEqual(range(1000).map(uuid));
    expect(requests.every(({ params: sent }) => sent.getAll("property_key").length <= 200)).toBe(true);
  });

  it("are split so that no URL is longer than 8,000 bytes", async () => {
    const { reader, rows, requests } = await mock.start();
    rows.set("layerFeatures", mockRecords("layerFeatures", 1));
    await reader().all("layerFeatures", { dataset_id: range(5000), semantic_type: ["A", null] });
    expect(Math.max(...requests.map(({ url }) => url.length))).toBeLessThan(8000);
    expect(requests.length).toBeLessThan(14);
    expect(requests.every(({ params }) => params.getAll("semantic_type[]").length === 2)).toBe(true);
    const sent = requests.flatMap(({ params }) => params.getAll("dataset_id").map(Number));
    expect(new Set(sent)).toEqual(new Set(range(5000)));
  });

  it("return a row of two parts once", async () => {
    const { reader, rows } = await mock.start();
    rows.set("layerFeatures", mockRecords("layerFeatures", 20));
    const params = { dataset_id: range(2000) };
    expect((await reader().all("layerFeatures", params)).rows).toEqual(rows.get("layerFeatures"));
    const streamed: Row[] = [];
    for await (const record of reader().records("layerFeatures", params)) streamed.push(record);
    expect(streamed).toEqual(rows.get("layerFeatures"));
  });
});

describe("parameters", () => {
  it("send nothing if they select nothing", async () => {
    const { reader, requests } = await mock.start();
    expect((await reader().all("propertyChanges", { layer_feature_id: [] })).rows).toEqual([]);
    for await (const _ of reader().records("sites", { id: [] })) expect.unreachable();
    for await (const _ of reader().pages("sites", { id: [] })) expect.unreachable();
    expect(requests).toEqual([]);
  });

  it.each([{ nonsense: 1 }, { id: "one" }, { _page: 2 }, { id: null }])(
    "are refused before a request: %j",
    async (params) => {
      const { reader, requests } = await mock.start();
      await expect(reader().all("sites", params as object)).rejects.toBeInstanceOf(ArgumentError);
      await expect(
        reader()
          .records("sites", params as object)
          [Symbol.asyncIterator]()
          .next(),
      ).rejects.toBeInstanceOf(ArgumentError);
      expect(requests).toEqual([]);
    },
  );

  it("of pages may name an order of the contract", async () => {
    const { reader, requests } = await mock.start();
    for await (const _ of reader().pages("operations", { _sortBy: ["-date_captured", "+id"] }));
    expect(requests[0]?.params.getAll("_sortBy")).toEqual(["-date_captured", "+id"]);
    const pages = reader().pages("datasets", { _sortBy: "name" });
    await expect(pages[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(ArgumentError);
  });
});

describe("pages", () => {
  it("are unchanged", async () => {
    const { reader, rows, requests } = await mock.start({ order: (all) => [...all].reverse() });
    rows.set("datasets", mockRecords("datasets", 25));
    const pages = [];
    for await (const page of reader({ pageSize: 10 }).pages("datasets", {})) pages.push(page);
    expect(pages.map(({ data }) => data.length)).toEqual([10, 10, 5]);
    expect(pages.flatMap(({ data }) => data)).toEqual([...(rows.get("datasets") ?? [])].reverse());
    expect(pages[2]?.pagination).toEqual({ page: 3, pageSize: 10, rowCount: 25, pageCount: 3 });
    expect(requests.some(({ params }) => params.has("_sortBy"))).toBe(false);
  });

  it("do not repeat the first page if a later page is refused", async () => {
    const { reader, rows } = await mock.start({
      fault: ({ page }, response) => page > 1 && refuse(response, 404, "no such page"),
      // The count from before rows were deleted.
      envelope: (page) => ({ ...page, pagination: { ...page.pagination, pageCount: 3 } }),
    });
    rows.set("datasets", mockRecords("datasets", 10));
    const pages = [];
    for await (const page of reader({ pageSize: 10 }).pages("datasets", {})) pages.push(page);
    expect(pages.flatMap(({ data }) => data)).toEqual(rows.get("datasets"));
  });
});

describe("records", () => {
  it("are in order and are fetched on demand", async () => {
    const { reader, rows, requests } = await mock.start();
    rows.set("layerFeatures", mockRecords("layerFeatures", 1000));
    const read: Row[] = [];
    for await (const record of reader({ pageSize: 10 }).records("layerFeatures", { site_id: 1 })) {
      read.push(record);
      if (read.length === 15) expect(requests.length).toBeLessThanOrEqual(5);
    }
    expect(read).toEqual(rows.get("layerFeatures"));
    expect(requests.length).toBeLessThan(170);
  });

  it("wait for a slow consumer", async () => {
    const { reader, rows, requests } = await mock.start();
    rows.set("layerFeatures", mockRecords("layerFeatures", 500));
    let count = 0;
    let furthest = 0;
    for await (const _ of reader({ pageSize: 20, concurrency: 6 }).records("layerFeatures", { site_id: 1 })) {
      count += 1;
      if (count % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      furthest = Math.max(furthest, requests.length - Math.ceil(count / 20));
    }
    expect(count).toBe(500);
    expect(furthest).toBeLessThanOrEqual(14);
  });

  it("stop requests when the loop ends", async () => {
    const { reader, rows, requests } = await mock.start();
    rows.set("layerFeatures", mockRecords("layerFeatures", 1000));
    for await (const _ of reader({ pageSize: 10 }).records("layerFeatures", { site_id: 1 })) break;
    expect(requests.length).toBeLessThanOrEqual(3);
  });
});

describe("strict: false", () => {
  it("keeps invalid records and reports them", async () => {
    const { reader, rows } = await mock.start();
    const odd = mockRecords("sites", 3).map((site) => ({ ...site, stage: "DREAM", extra: true }));
    rows.set("sites", odd);
    const noted: Diagnostic[] = [];
    const options = { strict: false, onDiagnostic: (diagnostic: Diagnostic) => noted.push(diagnostic) };
    const { rows: read, diagnostics } = await reader().all("sites", {}, options);
    expect(read).toEqual(odd);
    expect(diagnostics).toMatchObject([{ code: "record-invalid", count: 3, facts: { path: "$.data[*].stage" } }]);
    expect(noted).toEqual(diagnostics);
  });
});

describe("redact: true", () => {
  it("replaces personal data by stable pseudonyms", async () => {
    const { reader, rows } = await mock.start();
    rows.set("operations", mockRecords("operations", 2));
    rows.set("propertyChanges", mockRecords("propertyChanges", 2));
    const read = async () => ({
      operations: (await reader().all("operations", {}, { redact: true })).rows,
      changes: (await reader({ redact: true }).all("propertyChanges", { layer_feature_id: [1, 4] })).rows,
    });
    const { operations, changes } = await read();
    expect(JSON.stringify([operations, changes])).not.toMatch(/Ada|1234|ada@|"user_id":7\b/);
    expect(operations[0]?.contact_name).toMatch(/^person-[0-9a-f]{10}$/);
    expect(Number.isSafeInteger(changes[0]?.user_id)).toBe(true);
    expect(changes[0]?.user_id).toBe(changes[1]?.user_id);
    expect(await read()).toEqual({ operations, changes });
    expect(rows.get("operations")).toEqual(mockRecords("operations", 2));
  });
});

describe("diagnostics", () => {
  it("list features without changes", async () => {
    const { reader } = await mock.start(filtering);
    const { diagnostics } = await reader().all("propertyChanges", { layer_feature_id: [1, 2, 9000, 9001] });
    expect(diagnostics).toMatchObject([
      { code: "feature-without-changes", count: 2, facts: { layer_feature_id: [9000, 9001] } },
    ]);
  });
});

describe("callbacks", () => {
  it("report progress and requests", async () => {
    const { reader, rows } = await mock.start();
    rows.set("datasets", mockRecords("datasets", 25));
    const progress: ReadProgress[] = [];
    const urls: string[] = [];
    await reader({
      pageSize: 10,
      onProgress: (step) => progress.push(step),
      onRequest: ({ url, status, attempt }) => urls.push(`${attempt} ${status} ${url}`),
    }).all("datasets", {});
    expect(progress.at(-1)).toMatchObject({ resource: "datasets", rows: 25, total: 25 });
    expect(progress.map(({ rows: count }) => count)).toEqual([10, 18, 24, 25]);
    expect(urls).toHaveLength(4);
    expect(urls[0]).toBe(`1 200 ${mock.service.baseUrl}/datasets?_page=1&_pageSize=10&_sortBy=%2Bid`);
  });

  it("end the read and release its memory if they throw", async () => {
    const { reader, rows } = await mock.start();
    const [feature] = mockRecords("layerFeatures", 1);
    if (!feature) throw new Error("no feature");
    rows.set("layerFeatures", [{ ...feature, properties: { STATUS: "x".repeat(13 << 20) } } as Row]);
    let calls = 0;
    const live = reader({
      onRequest() {
        calls += 1;
        if (calls <= 4) throw new Error("the log is full");
      },
    });
    for (let n = 0; n < 4; n += 1) {
      await expect(live.all("layerFeatures", { site_id: 1 })).rejects.toThrow("the log is full");
    }
    expect((await live.all("layerFeatures", { site_id: 1 })).rows).toHaveLength(1);
  });
});
