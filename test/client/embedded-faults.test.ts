import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpointOf, endpoints } from "../../src/api/endpoints.js";
import { type Params, resolveFilters } from "../../src/api/filters.js";
import type { ResourceName } from "../../src/api/resources.js";
import { type LiveReader, liveReader } from "../../src/client/live-reader.js";
import { DriftError } from "../../src/core/errors.js";
import type { Fault, Faults } from "../../src/service/faults/faults.js";
import { startService } from "../../src/service/start-service.js";
import type { SnapshotStore } from "../../src/snapshot/serve/snapshot-store.js";
import { openSnapshotOf } from "../service/test-service.js";
import { mockRecord, mockRecords } from "./mock-records.js";
import { KEY, type Row } from "./mock-service.js";

const ROWS = 25;
const names = Object.keys(endpoints) as ResourceName[];

/** Records that belong together: all in site 3, operation 3 and dataset 3, the changes of five features. */
const records = {
  sites: mockRecords("sites", ROWS),
  operations: mockRecords("operations", ROWS).map((row) => ({ ...row, site_id: 3 })),
  blocks: mockRecords("blocks", ROWS).map((row) => ({ ...row, operation_id: 3 })),
  datasets: mockRecords("datasets", ROWS).map((row) => ({ ...row, site_id: 3 })),
  layerFeatures: mockRecords("layerFeatures", ROWS).map((row) => ({ ...row, site_id: 3, dataset_id: 3 })),
  propertyDefinitions: mockRecords("propertyDefinitions", ROWS).map((row, index) => ({
    ...row,
    dataset_id: 3,
    // The service derives it from the order of the definitions.
    display_order: index,
  })),
  propertyChanges: mockRecords("propertyChanges", ROWS).map((row) => ({ ...row, layer_feature_id: 3 })),
} satisfies { readonly [R in ResourceName]: readonly Row[] };

const params: { readonly [R in ResourceName]: Params<R> } = {
  sites: {},
  operations: { site_id: 3 },
  blocks: { operation_id: [3] },
  datasets: {},
  layerFeatures: { site_id: 3 },
  propertyDefinitions: {},
  propertyChanges: { layer_feature_id: [3, 6] },
};

let store: SnapshotStore;
beforeAll(async () => {
  const datasets = records.datasets.map((row) => ({
    ...row,
    type: "geojson-layer",
    created_at: "2025-01-01T00:00:00Z",
    updated_at: "2025-01-01T00:00:00Z",
  }));
  store = await openSnapshotOf({ ...records, datasets });
});
afterAll(() => store.close());

async function readAll(resource: ResourceName, faults: Faults, timeoutMs?: number): Promise<readonly Row[]> {
  const service = await startService({ store, apiKeys: [{ key: KEY }], faults });
  // The service writes dates of Retry-After by its own clock.
  let now = Date.now();
  const reader: LiveReader = liveReader(
    { baseUrl: service.url, apiKey: KEY, pageSize: 10, timeoutMs, concurrency: 2 },
    {
      now: () => now,
      elapsed: () => now,
      random: () => 0.5,
      screen: () => undefined,
      async sleep(ms) {
        now += ms;
      },
    },
  );
  try {
    return (await reader.all(resource, resolveFilters(resource, params[resource]))).rows;
  } finally {
    await reader.close();
    await service.close();
  }
}

const faults: Readonly<Record<string, Fault>> = {
  "a delay beyond the time-out": { fault: "delay", latencyMs: 1000 },
  "429 and seconds to wait": { fault: "status", status: 429, retryAfterS: 2 },
  "429 and a date to wait for": { fault: "status", status: 429, retryAfterS: 2, retryAfterAs: "date" },
  "500": { fault: "status", status: 500 },
  "503": { fault: "status", status: 503 },
  "a reset before the headers": { fault: "reset", at: "before-headers" },
  "a reset after the headers": { fault: "reset", at: "after-headers" },
  "half a body and a reset": { fault: "truncate", end: "abrupt" },
  "half a body that claims to be whole": { fault: "truncate", end: "clean" },
  "a garbled body": { fault: "garble" },
  "a count that is too high": { fault: "counts", by: 1 },
  "a count that is too low": { fault: "counts", by: -9 },
};

describe.each(Object.entries(faults))("the embedded service with %s every other time", (_, fault) => {
  it.each(names)("gives every row of %s", async (resource) => {
    const rule = { ...fault, path: endpointOf(resource).path, every: 2 };
    // A short time would count what a busy machine takes for an answer as a delay.
    const timeoutMs = fault.fault === "delay" ? 500 : undefined;
    expect(await readAll(resource, { rules: [rule] }, timeoutMs)).toEqual(records[resource]);
  });
});

describe("the embedded service with a wrong count all the time", () => {
  it.each(names)("gives every row of %s or refuses", async (resource) => {
    const path = endpointOf(resource).path;
    expect(await readAll(resource, { rules: [{ fault: "counts", by: -9, path }] })).toEqual(records[resource]);
    const tooHigh = readAll(resource, { rules: [{ fault: "counts", by: 1, path }] });
    await expect(tooHigh).rejects.toBeInstanceOf(DriftError);
  });
});

describe("the embedded service whose rows move between pages", () => {
  it.each(names)("gives every row of %s that stays", async (resource) => {
    const gone = records[resource].slice(0, 3).map(({ id }) => id);
    const put = [900, 901, 902].map((number) => ({
      ...records[resource][0],
      id: mockRecord(resource, number).id,
    }));
    const rows = await readAll(resource, { edits: [{ resource, afterPages: 1, remove: gone, put }] });
    const ids = rows.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(records[resource].slice(3).map(({ id }) => id)));
    const known = new Set([...records[resource].map(({ id }) => id), ...put.map(({ id }) => id)]);
    expect(ids.filter((id) => !known.has(id))).toEqual([]);
  });
});
