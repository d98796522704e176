import { describe, expect, it } from "vitest";
import { LayerCache } from "../../../src/cli/mcp/layer-cache.js";
import type { Source } from "../../../src/source/source.js";

/** A source whose reads of layers end when the test calls `end()`. */
function slowSource(provenance?: object) {
  const reads: { readonly name: string; readonly end: (failure?: Error) => void }[] = [];
  const layer = (name: string) =>
    new Promise((resolve, reject) => {
      reads.push({ name, end: (failure) => (failure ? reject(failure) : resolve({ name })) });
    });
  const source = { provenance, site: async () => ({ layer }) } as unknown as Source;
  return { source, reads, begun: () => expect.poll(() => reads.length) };
}

describe("LayerCache", () => {
  it("reads a layer once while it is fresh, and a service's again after a minute", async () => {
    for (const [provenance, expected] of [
      [undefined, 2],
      [{ readAt: new Date(0) }, 1],
    ] as const) {
      let now = 0;
      const { source, reads, begun } = slowSource(provenance);
      const cache = new LayerCache(source, false, () => now);
      const first = cache.layer(1, "TRENCHES");
      expect(cache.layer(1, "TRENCHES")).toBe(first);
      await begun().toBe(1);
      reads[0]?.end();
      now = 60_000;
      const second = cache.layer(1, "TRENCHES");
      await begun().toBe(expected);
      for (const { end } of reads) end();
      expect((await second).layer).toMatchObject({ name: "TRENCHES" });
    }
  });

  it("keeps the four layers that were used last", async () => {
    const { source, reads, begun } = slowSource();
    const cache = new LayerCache(source, false, () => 0);
    for (const name of ["A", "B", "C", "D", "A", "E", "A", "B"]) void cache.layer(1, name);
    await begun().toBe(6);
    expect(reads.map(({ name }) => name)).toEqual(["A", "B", "C", "D", "E", "B"]);
  });

  it("retries a failed read, and keeps a later read if an earlier read fails late", async () => {
    let now = 0;
    const { source, reads, begun } = slowSource();
    const cache = new LayerCache(source, false, () => now);
    const early = cache.layer(1, "TRENCHES");
    await begun().toBe(1);
    now = 60_000;
    const later = cache.layer(1, "TRENCHES");
    await begun().toBe(2);
    reads[0]?.end(new Error("timed out"));
    await expect(early).rejects.toThrow("timed out");
    expect(cache.layer(1, "TRENCHES")).toBe(later);
    reads[1]?.end(new Error("refused"));
    await expect(later).rejects.toThrow("refused");
    const last = cache.layer(1, "TRENCHES");
    await begun().toBe(3);
    reads[2]?.end();
    await last;
  });
});
