import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LayerFeature } from "../../src/api/resources.js";
import type { Layer } from "../../src/layer/layer.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import { dataset, definition, feature, uuid } from "../support/records.js";

const DEPTH = uuid(1, "aaaaaaaa");
/** How the server cuts and delays its pages. */
let pageSize = 7;
let delayMs = (_page: number) => 0;

const layerFeatures = Array.from({ length: 30 }, (_, n): LayerFeature => {
  const geometry = {
    type: "LineString" as const,
    coordinates: [
      [n, 1],
      [2, 3],
    ],
  };
  const created_at = n % 3 === 0 ? "2024-01-01T00:00:00+02:00" : `2024-01-01T00:00:00.${String(n).padStart(6, "0")}Z`;
  return feature(n + 1, {
    properties: { STATUS: n % 2 ? "OPEN" : null, ...(n > 20 ? { [DEPTH]: n / 4 } : {}) },
    geometry,
    created_at,
  });
});
const propertyDefinitions = [definition(DEPTH, "Depth", { type: "FLOAT" })];
const datasets = [dataset(1)];

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  const all: readonly unknown[] =
    { "/layerFeatures": layerFeatures, "/datasets": datasets }[url.pathname] ?? propertyDefinitions;
  const page = Number(url.searchParams.get("_page") ?? 1);
  const data = all.slice((page - 1) * pageSize, page * pageSize);
  const pagination = { page, pageSize, rowCount: all.length, pageCount: Math.ceil(all.length / pageSize) };
  // Every second page is written in another way.
  const body = JSON.stringify({ data, pagination }, null, page % 2 === 0 ? 2 : 0);
  setTimeout(() => response.end(body), delayMs(page));
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.close();
});

const company = { layerFeatures, propertyDefinitions, datasets };

async function read(): Promise<Layer> {
  const { port } = server.address() as AddressInfo;
  const live = connect({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "k", pageSize });
  try {
    return await live.layer({ site_id: 12 });
  } finally {
    await live.close();
  }
}

describe("a layer from page bytes", () => {
  it("equals the same layer from records", async () => {
    const [ours, theirs] = [await read(), await fromRecords(company).layer({ site_id: 12 })];
    expect(ours.schema).toEqual(theirs.schema);
    expect(ours.findings).toEqual(theirs.findings);
    expect(ours.table.objects()).toEqual(theirs.table.objects());
    expect(ours.describe().objects()).toEqual(theirs.describe().objects());
    expect(await ours.toCSV()).toBe(await theirs.toCSV());
  });

  it("is the same however the rows are cut into pages, and in whatever order these arrive", async () => {
    const theirs = await fromRecords(company).layer({ site_id: 12 });
    const rows = JSON.stringify(theirs.table.objects());
    const delays = fc.array(fc.constantFrom(0, 3, 9, 20), { minLength: 15, maxLength: 15 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 31 }), delays, async (size, waits) => {
        pageSize = size;
        delayMs = (page) => waits[page % waits.length] ?? 0;
        const ours = await read();
        expect(ours.schema).toEqual(theirs.schema);
        expect(JSON.stringify(ours.table.objects())).toBe(rows);
      }),
      { numRuns: 25 },
    );
  });
});
