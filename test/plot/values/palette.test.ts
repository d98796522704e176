import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { grey, hatchFill, steps as numberSteps, palette, valueColours } from "../../../src/plot/values/palette.js";
import { nameProcess } from "../../../src/tables/order/process-words.js";
import { contrast, deltaE2000, seenDifference, sights } from "../../support/colour-sight.js";
import { randomRuns } from "../../support/random-runs.js";

const basemaps = ["#ffffff", "#15191d"];

function coloursOf(places: readonly string[], domain = places): readonly string[] {
  return valueColours(domain, { places, isProcess: true }).range as readonly string[];
}

const kinds = Object.keys(sights) as (keyof typeof sights)[];

/** The least difference of neighbours in a legend, to any reader. */
function nearestNeighbours(colours: readonly string[]): number {
  const pairs = colours.slice(1).map((colour, place) => [colours[place] as string, colour] as const);
  return Math.min(...kinds.flatMap((sight) => pairs.map(([one, other]) => seenDifference(one, other, sight))));
}

function expectReadable(colours: readonly string[]): void {
  expect(nearestNeighbours(colours)).toBeGreaterThanOrEqual(12);
  for (const colour of colours) {
    for (const basemap of basemaps) expect(contrast(colour, basemap)).toBeGreaterThanOrEqual(3);
  }
}

const steps = (count: number) => Array.from({ length: count }, (_, place) => `stage ${place + 1}`);
const counts = [2, 3, 4, 5, 6, 7, 8, 9, 10];

describe("the measure of colours", () => {
  it("is CIEDE2000, by pairs of Sharma, Wu and Dalal (2005)", () => {
    const pairs: readonly (readonly [Parameters<typeof deltaE2000>[0], Parameters<typeof deltaE2000>[1], number])[] = [
      [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
      [[50, 2.5, 0], [73, 25, -18], 27.1492],
      [[50, 2.49, -0.001], [50, -2.49, 0.0011], 7.2195],
      [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
      [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
    ];
    for (const [one, other, expected] of pairs) expect(deltaE2000(one, other)).toBeCloseTo(expected, 4);
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 9);
    expect(seenDifference("#c00000", "#307a00", "deuteranopia")).toBeLessThan(seenDifference("#c00000", "#307a00"));
  });
});

describe("colours of a process", () => {
  it.each(counts)("of %i stages are distinct from their neighbours and from both basemaps", (count) => {
    const built = coloursOf(steps(count));
    const closed = coloursOf([...steps(count - 1), "CLOSED"]);
    const cancelled = coloursOf([...steps(Math.max(count - 2, 1)), "CLOSED", "CANCELLED"]);
    for (const colours of [built, closed, cancelled]) expectReadable(colours);
    expect(new Set(built).size).toBe(count);
  });

  it("are distinct with problems at any place", () => {
    const made = fc.integer({ min: 2, max: 10 }).chain((count) =>
      fc.record({
        labels: fc.shuffledSubarray(["BLOCKED", "REJECTED"], { minLength: 1 }),
        at: fc.nat({ max: count - 1 }),
        count: fc.constant(count),
        isClosed: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(made, ({ labels, at, count, isClosed }) => {
        const own = count - labels.length - (isClosed ? 1 : 0);
        const before = steps(Math.max(own, 0));
        const places = [...before.slice(0, at), ...labels, ...before.slice(at), ...(isClosed ? ["CLOSED"] : [])];
        const colours = coloursOf(places);
        expect(nearestNeighbours(colours)).toBeGreaterThanOrEqual(12);
        expect(new Set(colours).size).toBe(places.length);
      }),
      { numRuns: randomRuns(300) },
    );
  });

  const warm = coloursOf(["a", "BLOCKED", "REJECTED"]).slice(1);
  const slate = coloursOf(["a", "CLOSED", "CANCELLED"]).slice(1);
  const full = coloursOf(steps(4)).at(-1) as string;

  it.each([
    "BLOCKED",
    "Blocked",
    "on hold",
    "ON_HOLD",
    "on-hold",
    "OnHold",
    "REJECTED",
    "Failed inspection",
    "OVERDUE",
    "Not accepted",
    "CANCELLED_WITH_DEFECTS",
  ])("%s is warm", (label) => {
    expect(warm).toContain(coloursOf(["OPEN", "IN_PROGRESS", label, "CLOSED"])[2]);
  });

  it.each([
    "CLOSED",
    "Closed",
    "done",
    "RESOLVED",
    "Canceled",
    "CANCELLED",
    "archived",
    "Issue resolved",
    "Defect fixed",
  ])("%s is grey", (label) => {
    expect(slate).toContain(coloursOf(["OPEN", "IN_PROGRESS", label])[2]);
  });

  it.each(["COMMISSIONED", "Built", "complete", "BACKFILLED"])("%s has the full tone", (label) => {
    expect(coloursOf(["PLANNED", "PILES", "STRUCTURE", label])[3]).toBe(full);
  });

  it.each(["NOT_STARTED", "unblocked", "UnBlocked", "not done", "partly complete", "ready to be closed", "Not failed"])(
    "%s is an ordinary step",
    (label) => {
      const [colour] = coloursOf([label, "b", "CLOSED"]);
      expect([...warm, ...slate]).not.toContain(colour);
    },
  );

  it("have no full tone if work ends in grey, except for complete steps", () => {
    expect(coloursOf(["OPEN", "IN_PROGRESS", "IN_REVIEW", "CLOSED"])).not.toContain(full);
    expect(coloursOf(["PLANNED", "BUILT", "ARCHIVED"])[1]).toBe(coloursOf(["a", "b"])[1]);
  });

  it("depend on the place of a label, not on the other labels of a figure", () => {
    const places = ["OPEN", "IN_PROGRESS", "BLOCKED", "IN_REVIEW", "RESOLVED", "CLOSED"];
    const whole = coloursOf(places);
    fc.assert(
      fc.property(fc.subarray(places, { minLength: 1 }), (shown) => {
        expect(coloursOf(places, shown)).toEqual(shown.map((label) => whole[places.indexOf(label)]));
      }),
    );
  });

  it("keep the common colours of unknown, none and other", () => {
    const domain = ["OPEN", "CLOSED", "other", "none", "unknown"];
    expect(coloursOf(domain).slice(2)).toEqual([grey.other, grey.none, hatchFill]);
    expect(nearestNeighbours(coloursOf(domain).slice(0, 4))).toBeGreaterThanOrEqual(12);
  });

  it("repeat after ten steps", () => {
    const colours = coloursOf(steps(23));
    expect(new Set(colours).size).toBe(10);
    for (const colour of colours) expect(colour).toMatch(/^#[0-9a-f]{6}$/);
  });
});

describe("colours of priorities", () => {
  const words = ["trivial", "lowest", "low", "minor", "medium", "normal", "high", "major", "urgent", "critical"];
  const coloursOf = (labels: readonly string[]) => valueColours(labels).range as readonly string[];
  const parts = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

  it.each(counts)("of %i steps are warm, and distinct from their neighbours and from both basemaps", (count) => {
    const colours = coloursOf(words.slice(-count));
    expectReadable(colours);
    for (const colour of colours) {
      const [red = 0, green = 0, blue = 0] = parts(colour);
      expect(red).toBeGreaterThan(Math.max(green, blue));
    }
    expect(new Set(colours).size).toBe(count);
  });

  it.each([[["LOW", "MEDIUM", "HIGH", "URGENT"]], [["MINOR", "MAJOR", "CRITICAL"]]])(
    "of %j are strongest at the end, in any order",
    (labels) => {
      const colours = coloursOf(labels);
      expect(coloursOf(labels.toReversed())).toEqual(colours.toReversed());
      const strengths = colours.map((colour) => {
        const [red = 0, green = 0, blue = 0] = parts(colour);
        return red - Math.min(green, blue);
      });
      expect(Math.max(...strengths)).toBe(strengths.at(-1));
    },
  );
});

describe("colours of verdicts", () => {
  const coloursOf = (labels: readonly string[]) =>
    valueColours(labels, { isProcess: nameProcess(labels) }).range as readonly string[];
  const warm = coloursOf(["BLOCKED", "REJECTED"]);
  const isWarm = (colour: string) => seenDifference(colour, "#e86c0a") < 20 || seenDifference(colour, "#c81e2c") < 20;

  it.each([
    ["failed", "passed"],
    ["NOK", "OK"],
    ["blocked", "clear"],
    ["blocked", "unblocked"],
    ["REJECTED", "ACCEPTED"],
    ["ON HOLD", "ACTIVE"],
    ["Overdue", "Done"],
    ["failed", "normal"],
    ["Damaged", "Soiled", "Missing", "Shaded", "Cracked", "Loose", "Wet"],
  ])("of %s and %s are warm for the first alone", (bad, ...others) => {
    const [first = "", ...rest] = coloursOf([bad, ...others]);
    expect(warm).toContain(first);
    for (const colour of rest) expect(isWarm(colour)).toBe(false);
  });

  it("are distinct from their neighbours with problems at any place", () => {
    const categories = ["Soiled", "Missing", "Shaded", "Cracked", "Loose", "Wet"];
    for (const bad of [["Damaged"], ["Damaged", "Broken"]]) {
      for (const at of categories.keys()) {
        expectReadable(coloursOf([...categories.slice(0, at), ...bad, ...categories.slice(at)]));
      }
    }
  });
});

describe("colours of categories", () => {
  it("are the colours of the palette by place", () => {
    const classes = ["Hot spot", "Diode failure", "Broken glass"];
    expect(valueColours(classes).range).toEqual(palette.slice(0, 3));
  });

  it("and of classes of numbers are distinct from their neighbours and from both basemaps", () => {
    for (const colours of [palette, numberSteps]) expectReadable(colours);
  });

  it("and of classes of numbers are all distinct", () => {
    for (const colours of [palette, numberSteps]) {
      const pairs = colours.flatMap((one, place) => colours.slice(place + 1).map((other) => [one, other] as const));
      const differences = kinds.flatMap((sight) => pairs.map(([one, other]) => seenDifference(one, other, sight)));
      expect(Math.min(...differences)).toBeGreaterThan(5);
    }
  });

  it("of classes of numbers go from dark to light, so that they can be read in grey", () => {
    const brightness = numberSteps.map((colour) => contrast(colour, "#000000"));
    expect(brightness).toEqual(brightness.toSorted((a, b) => a - b));
  });
});
