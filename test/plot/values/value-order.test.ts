import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { fromRecords, type History } from "../../../src/index.js";
import { cumulativeFlow, layerMap, valueOverTime } from "../../../src/plot/index.js";
import { inCourse, valueOrder } from "../../../src/plot/values/value-order.js";
import { sampleCompany } from "../../../src/sample/sample-company.js";

const label = fc.constantFrom("a", "b", "c", "d", "e");
const flows = fc.uniqueArray(fc.record({ from: label, to: label, count: fc.integer({ min: 1, max: 9 }) }), {
  selector: ({ from, to }) => from + to,
});

describe("the order of values", () => {
  it("never goes against steps that the log takes one way only", () => {
    const forward = flows.map((all) => all.filter(({ from, to }) => from < to));
    fc.assert(
      fc.property(forward, (steps) => {
        const order = inCourse([], steps);
        for (const { from, to } of steps) expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
      }),
      { numRuns: 300 },
    );
  });

  it("has every value once, whatever circles the log goes in", () => {
    const counts = fc.array(
      fc.record({ time: fc.integer({ min: 0, max: 5 }), label, count: fc.integer({ min: 0, max: 5 }) }),
    );
    fc.assert(
      fc.property(counts, flows, (dated, steps) => {
        const all = new Set([...dated.map((one) => one.label), ...steps.flatMap(({ from, to }) => [from, to])]);
        expect([...inCourse(dated, steps)].sort()).toEqual([...all].sort());
      }),
    );
  });

  it("is by the dates at which features have a value where nothing is known of steps", () => {
    const at = (time: number, value: string, count = 1) => ({ time, label: value, count });
    expect(inCourse([at(9, "late"), at(1, "early"), at(5, "b"), at(5, "a")], [])).toEqual(["early", "a", "b", "late"]);
  });
});

describe("the order of a road's values", () => {
  let roads: History;
  beforeAll(async () => {
    const company = sampleCompany();
    const records = {
      ...company,
      layerFeatures: [...company.layerFeatures()],
      propertyChanges: [...company.propertyChanges()],
    };
    const source = fromRecords(records, { readAt: new Date("2026-06-30T12:00:00Z") });
    roads = await source.history({ site_id: 103, semantic_type: "ROADS" });
  });

  const stages = ["PLANNED", "CLEARED", "EARTHWORKS", "SUB_BASE", "BASE_COURSE", "SURFACED"];
  const halfYear = { from: "2026-01-01", to: "2026-06-30", every: "week" } as const;

  it("is that of the work, in every figure and for any dates", () => {
    expect(valueOrder(roads, "STATUS").filter((value) => stages.includes(value))).toEqual(stages);
    const figures = [
      cumulativeFlow(roads, "STATUS"),
      cumulativeFlow(roads, "STATUS", { dates: halfYear }),
      valueOverTime(roads, "STATUS"),
      layerMap(roads, "STATUS"),
    ];
    for (const figure of figures) {
      const domain = Array.from(figure.scale("color")?.domain ?? [], String).filter((value) => stages.includes(value));
      expect(domain).toEqual(stages.filter((value) => domain.includes(value)));
      expect(domain.length).toBeGreaterThan(4);
    }
    const [whole, part] = figures.map((figure) => figure.scale("color"));
    for (const value of stages) expect(part?.apply(value)).toBe(whole?.apply(value));
  });
});
