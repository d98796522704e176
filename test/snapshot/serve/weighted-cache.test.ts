import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WeightedCache } from "../../../src/snapshot/serve/weighted-cache.js";

/** Asks for keys one after the other, and says which of them had to be computed. */
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
  it("computes a result once for all who ask at the same time", async () => {
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

  it("drops empty results, too, by the length of their keys", async () => {
    const cache = new WeightedCache<Uint8Array>(1 << 20);
    const keys = Array.from({ length: 5000 }, (_, n) => [`${n} `.padEnd(5000, "x"), 0] as const);
    expect(await computed(cache, keys)).toHaveLength(5000);
    const kept = 5000 - (await computed(cache, keys.toReversed())).length;
    expect(kept).toBeGreaterThan(50);
    expect(kept).toBeLessThanOrEqual((1 << 20) / 10_000);
  });

  it("drops what was asked for longest ago, as a plain list would", async () => {
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
