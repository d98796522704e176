import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LayerFeature } from "../../src/api/resources.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import { dataset, definition, feature, uuid } from "../support/records.js";

const DEPTH = uuid(1, "aaaaaaaa");
const PAGE = 7;

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
  const data = all.slice((page - 1) * PAGE, page * PAGE);
  const pagination = { page, pageSize: PAGE, rowCount: all.length, pageCount: Math.ceil(all.length / PAGE) };
  // Every second page is written in another way.
  response.end(JSON.stringify({ data, pagination }, null, page % 2 === 0 ? 2 : 0));
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.close();
});

describe("a layer from page bytes", () => {
  it("equals the same layer from records", async () => {
    const live = connect({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: "k",
      pageSize: PAGE,
    });
    const ours = await live.layer({ site_id: 12 });
    const theirs = await fromRecords({ layerFeatures, propertyDefinitions, datasets }).layer({ site_id: 12 });
    await live.close();
    expect(ours.schema).toEqual(theirs.schema);
    expect(ours.findings).toEqual(theirs.findings);
    expect(ours.table.objects()).toEqual(theirs.table.objects());
    expect(ours.describe().objects()).toEqual(theirs.describe().objects());
    expect(await ours.toCSV()).toBe(await theirs.toCSV());
  });
});
