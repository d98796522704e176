import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PageBuffers, positionOrder } from "../../../src/snapshot/serve/record-reader.js";

const MB = 1 << 20;

describe("PageBuffers", () => {
  it("reuses a large buffer after it was returned", () => {
    const buffers = new PageBuffers();
    const first = buffers.take(7.1 * MB);
    const second = buffers.take(7.1 * MB);
    buffers.giveBack(first);
    const third = buffers.take(7.4 * MB);
    const fourth = buffers.take(7.1 * MB);
    // Identity alone: these are megabytes.
    expect([second === first, third === first, fourth === first]).toEqual([false, true, false]);
  });

  it("returns no buffer that is far too large", () => {
    const buffers = new PageBuffers();
    buffers.giveBack(buffers.take(16 * MB));
    expect(buffers.take(2 * MB).length).toBe(2 * MB);
    const small = buffers.take(100);
    expect(small.length).toBe(100);
    buffers.giveBack(small);
    expect(buffers.take(100) === small).toBe(false);
  });

  it("keeps at most 32 MB", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, (asked) => {
        const buffers = new PageBuffers();
        const given = asked.map((size) => buffers.take(size * MB));
        for (const buffer of given) buffers.giveBack(buffer);
        const again = new Set(asked.map((size) => buffers.take(size * MB)));
        const kept = given.filter((buffer) => again.has(buffer));
        expect(kept.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(32 * MB);
      }),
      { numRuns: 30 },
    );
  });
});

it("sorts the indices of rows by row, equal rows by index", () => {
  const row = fc.oneof(fc.nat({ max: 30 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 300 }), (rows) => {
      const expected = rows.map((_, index) => index).sort((a, b) => (rows[a] ?? 0) - (rows[b] ?? 0) || a - b);
      expect([...positionOrder(Uint32Array.from(rows))]).toEqual(expected);
    }),
  );
});
