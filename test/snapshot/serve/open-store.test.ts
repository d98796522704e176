import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endpointOf } from "../../../src/api/endpoints.js";
import { MAX_SORT_KEYS } from "../../../src/api/parse-query.js";
import type { LayerFeature } from "../../../src/api/resources.js";
import { openStore, WeightedCache } from "../../../src/snapshot/serve/open-store.js";
import type { SnapshotStore } from "../../../src/snapshot/serve/snapshot-store.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { randomRuns } from "../../support/random-runs.js";
import { feature } from "../feature.js";
import { naivePage } from "../naive-store.js";
import { randomCompany } from "../random-company.js";
import { type RandomQuery, randomQuery } from "../random-query.js";
import { temporaryPaths } from "../temporary-folder.js";

const emptyCompany = {
  sites: [],
  operations: [],
  blocks: [],
  datasets: [],
  layerFeatures: [],
  propertyDefinitions: [],
  propertyChanges: [],
};
const newPath = temporaryPaths();

async function readPage(store: SnapshotStore, { endpoint, query, access }: RandomQuery) {
  const { data, rowCount } = await store.page(endpoint, query, access);
  return { rows: JSON.parse(Buffer.from(data).toString()) as unknown[], rowCount };
}

describe("openStore", () => {
  it("returns the same as a plain filter and sort of the records", async () => {
    const company = fc.tuple(randomCompany, fc.array(randomQuery, { minLength: 60, maxLength: 60 }));
    await fc.assert(
      fc.asyncProperty(company, async ([records, queries]) => {
        const path = newPath();
        await writeSnapshot(path, records);
        const store = await openStore(path);
        try {
          for (const query of queries) expect(await readPage(store, query)).toEqual(naivePage(records, query));
        } finally {
          await store.close();
        }
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it("serves many readers at once", async () => {
    const [records] = fc.sample(randomCompany, { numRuns: 1, seed: 5 });
    const queries = fc.sample(randomQuery, { numRuns: randomRuns(200), seed: 6 });
    if (!records) throw new Error("no company");
    const path = newPath();
    await writeSnapshot(path, records);
    const stores = await Promise.all([openStore(path), openStore(path), openStore(path)]);
    await Promise.all(
      queries.flatMap((query) =>
        stores.map(async (store) => expect(await readPage(store, query)).toEqual(naivePage(records, query))),
      ),
    );
    expect(new Set(stores.map(({ version }) => version)).size).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  it("serves a snapshot without records", async () => {
    const path = newPath();
    await writeSnapshot(path, {});
    const store = await openStore(path);
    for (const query of fc.sample(randomQuery, { numRuns: 30, seed: 7 })) {
      expect(await readPage(store, query)).toEqual({ rows: [], rowCount: 0 });
    }
    await store.close();
  });

  it("has another version for other content", async () => {
    const [first, second] = [newPath(), newPath()];
    await writeSnapshot(first, { layerFeatures: [feature(1, {})] });
    await writeSnapshot(second, { layerFeatures: [feature(1, { STATUS: "DONE" })] });
    const stores = await Promise.all([openStore(first), openStore(second)]);
    expect(stores[0]?.version).not.toBe(stores[1]?.version);
    await Promise.all(stores.map((store) => store.close()));
  });

  it("sorts by the largest number of properties", async () => {
    const keys = Array.from({ length: MAX_SORT_KEYS }, (_, n) => `K${n}`);
    const value = (id: number, n: number) => [(id * (n + 3)) % 2, `${(id * 31) % (n + 2)}`, null, true][(id + n) % 4];
    const features = Array.from({ length: 9000 }, (_, index) => ({
      ...feature(index + 1, Object.fromEntries(keys.map((key, n) => [key, value((index * 7919) % 101, n)]))),
      description: "x".repeat(2000),
    }));
    const path = newPath();
    await writeSnapshot(path, { layerFeatures: features });
    const store = await openStore(path);
    const sort = keys.map((key, n) => ({ field: `properties.${key}`, descending: n % 2 === 1 }));
    const asked = {
      endpoint: endpointOf("layerFeatures"),
      query: { filters: new Map([["site_id", [1]]]), page: 2, pageSize: 3000, sort },
      access: { siteIds: undefined },
    };
    expect(await readPage(store, asked)).toEqual(naivePage({ ...emptyCompany, layerFeatures: features }, asked));
    await store.close();
  });

  it("sorts for many concurrent readers in its memory", async () => {
    const features = Array.from({ length: 9000 }, (_, index) =>
      feature(index + 1, { NAME: `${(index * 7919) % 9001}` }),
    );
    const path = newPath();
    await writeSnapshot(path, { layerFeatures: features });
    const store = await openStore(path);
    const pages = Array.from({ length: 800 }, (_, n) => {
      const sort = ["NAME", `K${n}`].map((key) => ({ field: `properties.${key}`, descending: n % 2 === 1 }));
      return { filters: new Map([["site_id", [1]]]), page: 1, pageSize: 1, sort };
    });
    const endpoint = endpointOf("layerFeatures");
    const firsts = pages.map(async (query) => {
      const { rows } = await readPage(store, { endpoint, query, access: { siteIds: undefined } });
      return (rows as LayerFeature[]).map(({ properties }) => properties["NAME"]);
    });
    const [ascending, descending] = [["0"], ["999"]];
    expect(await Promise.all(firsts)).toEqual(pages.map((_, n) => (n % 2 === 1 ? descending : ascending)));
    await store.close();
  });

  it("aborts a page without affecting others", async () => {
    const [records] = fc.sample(randomCompany, { numRuns: 1, seed: 5 });
    if (!records) throw new Error("no company");
    const path = newPath();
    await writeSnapshot(path, records);
    const store = await openStore(path);
    const queries = fc.sample(randomQuery, { numRuns: randomRuns(300), seed: 8 });
    let [kept, left] = [0, 0];
    await Promise.all(
      queries.map(async (query, index) => {
        const leaving = new AbortController();
        const wanted = readPage(store, query);
        const unwanted = store.page(query.endpoint, query.query, query.access, leaving.signal);
        setTimeout(() => leaving.abort(new Error("left")), index % 20);
        await unwanted.then(
          () => kept++,
          (error: Error) => {
            left++;
            expect(error.message).toBe("left");
          },
        );
        expect(await wanted).toEqual(naivePage(records, query));
      }),
    );
    expect(left).toBeGreaterThan(0);
    expect(kept + left).toBe(queries.length);
    await store.close();
  });

  it("reads records of any size, in any order, from several files", async () => {
    const features = Array.from({ length: 12_000 }, (_, index) =>
      feature(index + 1, { note: "x".repeat((index * 7919) % 300) }, 1 + (index % 3)),
    );
    features[77] = feature(78, { note: "ö".repeat(2_000_000) });
    const path = newPath();
    await writeSnapshot(path, { layerFeatures: features });
    const store = await openStore(path);
    const endpoint = endpointOf("layerFeatures");
    for (const field of ["id", "properties.note"]) {
      const ids: number[] = [];
      for (let page = 1; ids.length < features.length; page++) {
        const filters = new Map([["site_id", [1, 2, 3]]]);
        const query = { filters, page, pageSize: 5000, sort: [{ field, descending: true }] };
        const { rows } = await readPage(store, { endpoint, query, access: { siteIds: undefined } });
        for (const row of rows as LayerFeature[]) {
          ids.push(row.id);
          if (row.properties["note"] !== features[row.id - 1]?.properties["note"]) throw new Error(`feature ${row.id}`);
        }
      }
      expect(new Set(ids).size).toBe(features.length);
    }
    await store.close();
  });
});

/** Requests keys in sequence, and returns the keys that were computed. */
async function computed(cache: WeightedCache<Uint8Array>, asked: readonly (readonly [string, number])[]) {
  const missed: string[] = [];
  for (const [key, bytes] of asked) {
    const found = await cache.get(key, async () => {
      missed.push(key);
      return new Uint8Array(bytes);
    });
    expect(found).toHaveLength(bytes);
  }
  return missed;
}

describe("WeightedCache", () => {
  it("computes a result once for concurrent requests", async () => {
    const cache = new WeightedCache<Uint8Array>(10_000);
    let calls = 0;
    const compute = async () => new Uint8Array(++calls);
    const found = await Promise.all(Array.from({ length: 20 }, () => cache.get("a", compute)));
    expect(new Set(found).size).toBe(1);
    expect(calls).toBe(1);
  });

  it("does not keep a failure", async () => {
    const cache = new WeightedCache<Uint8Array>(10_000);
    await expect(cache.get("a", () => Promise.reject(new Error("disk")))).rejects.toThrow("disk");
    expect(await computed(cache, [["a", 1]])).toEqual(["a"]);
  });

  it("drops also empty results, by the length of their keys", async () => {
    const cache = new WeightedCache<Uint8Array>(1 << 20);
    const keys = Array.from({ length: 5000 }, (_, n) => [`${n} `.padEnd(5000, "x"), 0] as const);
    expect(await computed(cache, keys)).toHaveLength(5000);
    const kept = 5000 - (await computed(cache, keys.toReversed())).length;
    expect(kept).toBeGreaterThan(50);
    expect(kept).toBeLessThanOrEqual((1 << 20) / 10_000);
  });

  it("drops the least recently used results, as a plain list does", async () => {
    const key = fc.integer({ min: 0, max: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { maxLength: 80 }),
        fc.integer({ min: 1, max: 20_000 }),
        async (keys, capacity) => {
          // The key decides the length of its result, so that the same key always weighs the same.
          const asked = keys.map((n) => [`key ${n}`, (n * 977) % 4000] as const);
          const list: { key: string; weight: number }[] = [];
          const expected: string[] = [];
          for (const [name, bytes] of asked) {
            const at = list.findIndex((entry) => entry.key === name);
            if (at < 0) expected.push(name);
            else list.splice(at, 1);
            list.push({ key: name, weight: WeightedCache.weigh(name, new Uint8Array(bytes)) });
            while (at < 0 && list.length > 1 && list.reduce((sum, { weight }) => sum + weight, 0) > capacity)
              list.shift();
          }
          expect(await computed(new WeightedCache<Uint8Array>(capacity), asked)).toEqual(expected);
        },
      ),
    );
  });
});

/** A computation that ends on request, or when it is aborted. */
function slowWork() {
  const calls: { readonly signal: AbortSignal; readonly end: () => void }[] = [];
  const compute = (signal: AbortSignal) =>
    new Promise<Uint8Array>((resolve, reject) => {
      calls.push({ signal, end: () => resolve(new Uint8Array(calls.length)) });
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  return { calls, compute };
}

describe("a computation for several requests", () => {
  it.each([
    ["with a signal", new AbortController()],
    ["without a signal", undefined],
  ])("continues while a request %s remains", async (_, second) => {
    const cache = new WeightedCache<Uint8Array>(10_000);
    const { calls, compute } = slowWork();
    const first = new AbortController();
    const requests = [cache.get("a", compute, second?.signal), cache.get("a", compute, first.signal)];
    first.abort();
    expect(calls[0]?.signal.aborted).toBe(false);
    calls[0]?.end();
    await Promise.all(requests);
    second?.abort();
    expect(await cache.get("a", compute)).toHaveLength(1);
    expect(calls).toHaveLength(1);
  });

  it("is aborted after all requests, and started again for the next", async () => {
    const cache = new WeightedCache<Uint8Array>(10_000);
    const { calls, compute } = slowWork();
    const controllers = [1, 2, 3].map(() => new AbortController());
    const asked = controllers.map(({ signal }) => cache.get("a", compute, signal));
    for (const controller of controllers) controller.abort(new Error("left"));
    const again = cache.get("a", compute);
    const left = { status: "rejected", reason: new Error("left") };
    expect(await Promise.allSettled(asked)).toEqual([left, left, left]);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    calls[1]?.end();
    expect(await again).toHaveLength(2);
    expect(await cache.get("a", compute)).toHaveLength(2);
    expect(calls).toHaveLength(2);
  });

  it("does not start for an aborted request", async () => {
    const cache = new WeightedCache<Uint8Array>(10_000);
    const { calls, compute } = slowWork();
    await expect(cache.get("a", compute, AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
    expect(calls).toHaveLength(0);
  });
});
