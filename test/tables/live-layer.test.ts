import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LayerFeature, ResourceName } from "../../src/api/resources.js";
import type { Layer } from "../../src/layer/layer.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import { type Envelope, mockServices } from "../client/mock-service.js";
import { dataset, definition, feature, uuid } from "../support/records.js";

const DEPTH = uuid(1, "aaaaaaaa");
/** Size and delay of the server's pages. */
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

const mock = mockServices();

const company = { layerFeatures, propertyDefinitions, datasets };

async function read(): Promise<Layer> {
  const service = await mock.start({
    fault: ({ page }) => setTimeout(delayMs(page), false),
    // Every second page has another notation.
    encode: (body) => ((JSON.parse(body) as Envelope).pagination.page % 2 === 0 ? spaced(body) : body),
  });
  for (const [resource, records] of Object.entries(company)) service.rows.set(resource as ResourceName, records);
  const live = connect({ baseUrl: service.baseUrl, apiKey: "k", pageSize });
  try {
    return await live.layer({ site_id: 12 });
  } finally {
    await live.close();
    await service.close();
  }
}

const spaced = (json: string) => JSON.stringify(JSON.parse(json), null, 2);

describe("a layer from page bytes", () => {
  it("equals the layer from records, for every page size and order of arrival", async () => {
    const fromMemory = await fromRecords(company).layer({ site_id: 12 });
    const contentOf = async (layer: Layer) => ({
      schema: layer.schema,
      diagnostics: layer.diagnostics,
      rows: layer.table.objects(),
      summary: layer.describe().objects(),
      csv: await layer.toCSV(),
    });
    const expected = await contentOf(fromMemory);
    const delays = fc.array(fc.constantFrom(0, 3, 9, 20), { minLength: 15, maxLength: 15 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 31 }), delays, async (size, waits) => {
        pageSize = size;
        delayMs = (page) => waits[page % waits.length] ?? 0;
        expect(await contentOf(await read())).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});
