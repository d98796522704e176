import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  overlappingPages,
  type PlannedPage,
  pageAround,
  planPages,
  splitPage,
} from "../../../src/client/page/page-plan.js";
import { randomRuns } from "../../support/random-runs.js";

const start = ({ page, pageSize }: PlannedPage) => (page - 1) * pageSize;
const end = ({ page, pageSize }: PlannedPage) => page * pageSize;
const sizes = (largest: number) => Array.from({ length: largest }, (_, index) => index + 1);

/** Every page that begins before `covered`. */
function candidates(covered: number, largest: number): readonly PlannedPage[] {
  return sizes(largest).map((pageSize) => ({ page: Math.ceil(covered / pageSize), pageSize }));
}

/** The minimum number of overlapping pages, by exhaustive search; undefined if impossible. */
function fewest(covered: number, needed: number, largest: number): number | undefined {
  let ends: readonly number[] = [covered];
  for (let pages = 0; ends.length > 0; pages += 1) {
    if (ends.some((reached) => reached >= needed)) return pages;
    const next = ends.flatMap((from) =>
      candidates(from, largest)
        .map(end)
        .filter((to) => to > from),
    );
    ends = [...new Set(next)];
  }
  return undefined;
}

describe("overlappingPages", () => {
  it("overlap, reach the end, and are as few as possible", () => {
    const arbitrary = fc.record({ largest: fc.integer({ min: 2, max: 30 }), needed: fc.integer({ min: 1, max: 250 }) });
    fc.assert(
      fc.property(arbitrary, ({ largest, needed }) => {
        const plan = [...overlappingPages(largest, needed, largest)];
        const least = fewest(largest, needed, largest);
        let covered = largest;
        for (const page of plan) {
          if (least !== undefined) expect(start(page)).toBeLessThan(covered);
          expect(start(page)).toBeLessThanOrEqual(covered);
          expect(page.pageSize).toBeLessThanOrEqual(largest);
          covered = end(page);
        }
        expect(covered).toBeGreaterThanOrEqual(needed);
        if (least !== undefined) expect(plan).toHaveLength(least);
      }),
      { numRuns: randomRuns(1000) },
    );
  });

  it.each([
    [200_000, 10_000, 21],
    [1_000_000, 10_000, 102],
    [10_000_000, 10_000, 1013],
    [200_000, 1000, 208],
    [200_000, 100, 2284],
  ])("read %i rows by %i in %i requests", (rowCount, pageSize, requests) => {
    const pagination = { page: 1, pageSize, rowCount, pageCount: Math.ceil(rowCount / pageSize) };
    expect([...planPages(pagination)]).toHaveLength(requests - 1);
  });

  it("continue without overlap if it is impossible", () => {
    expect([...overlappingPages(12, 20, 4)]).toEqual([
      { page: 4, pageSize: 4 },
      { page: 6, pageSize: 3 },
      { page: 5, pageSize: 4 },
    ]);
  });
});

describe("splitPage", () => {
  it("covers the page with smaller, overlapping pages", () => {
    const parts = [...splitPage({ page: 3, pageSize: 1000 }, 250)];
    const [first] = parts;
    expect(first && start(first)).toBeLessThanOrEqual(2000);
    parts.forEach((part, index) => {
      const before = parts[index - 1];
      if (before) expect(start(part)).toBeLessThan(end(before));
    });
    expect(Math.max(...parts.map(end))).toBeGreaterThanOrEqual(3000);
  });
});

describe("pageAround", () => {
  it("shows both sides of every offset, with pages of ten and more", () => {
    for (let offset = 1; offset < 2520; offset += 1) {
      const page = pageAround(offset, 10);
      expect(page && start(page) < offset && end(page) > offset).toBe(true);
    }
    expect(pageAround(2520, 10)).toBeUndefined();
    expect(pageAround(0, 10)).toEqual({ page: 1, pageSize: 10 });
  });
});
