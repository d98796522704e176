import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  darkColors,
  grey,
  hatchFill,
  steps as numberSteps,
  paleColors,
  palette,
  valueColours,
} from "../../../src/plot/values/palette.js";
import { nameProcess } from "../../../src/tables/order/process-words.js";
import { contrast, deltaE2000, lightness, seenDifference, sights } from "../../support/colour-sight.js";
import { randomRuns } from "../../support/random-runs.js";

/** Colors as on a white and on a dark page. */
const schemes = [
  { page: "#ffffff", seenAs: (colour: string) => colour },
  { page: "#15191d", seenAs: (colour: string) => darkColors.get(colour) ?? `not dark: ${colour}` },
];

function coloursOf(places: readonly string[], domain = places): readonly string[] {
  return valueColours(domain, { places, isProcess: true }).range as readonly string[];
}

const kinds = Object.keys(sights) as (keyof typeof sights)[];

/** The least difference of neighbours in a legend, to any reader, on any page. */
function nearestNeighbours(colours: readonly string[]): number {
  const pairs = colours.slice(1).map((colour, place) => [colours[place] as string, colour] as const);
  const differences = schemes.flatMap(({ seenAs }) =>
    kinds.flatMap((sight) => pairs.map(([one, other]) => seenDifference(seenAs(one), seenAs(other), sight))),
  );
  return Math.min(...differences);
}

function expectReadable(colours: readonly string[]): void {
  expect(nearestNeighbours(colours)).toBeGreaterThanOrEqual(12);
  for (const colour of colours) {
    for (const { page, seenAs } of schemes) expect(contrast(seenAs(colour), page)).toBeGreaterThanOrEqual(3);
  }
}

/** Expects each color to be farther from its page in lightness than the one before. */
function expectRising(colours: readonly string[]): void {
  for (const { page, seenAs } of schemes) {
    const distances = colours.map((colour) => Math.abs(lightness(page) - lightness(seenAs(colour))));
    expect(distances).toEqual(distances.toSorted((a, b) => a - b));
    expect(new Set(distances).size).toBe(distances.length);
  }
}

const steps = (count: number) => Array.from({ length: count }, (_, place) => `stage ${place + 1}`);
const counts = [2, 3, 4, 5, 6, 7];

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
    expect(lightness("#ffffff")).toBeCloseTo(1, 6);
    expect(lightness("#ff0000")).toBeCloseTo(0.62796, 5);
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

  it.each(counts)("of %i stages go from pale to strong, and end in green", (count) => {
    const built = coloursOf(steps(count));
    expectRising(built.slice(0, -1));
    const isGreen = (colour: string) => {
      const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
      return green > 1.3 * Math.max(red, blue);
    };
    for (const { seenAs } of schemes)
      expect(built.map(seenAs).map(isGreen)).toEqual(built.map((_, at) => at === count - 1));
  });

  it("are distinct with problems at any place", () => {
    const made = fc.integer({ min: 2, max: 7 }).chain((count) =>
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

  it.each(["OPEN", "IN_PROGRESS", "Under review"])("have no full tone for %s, which is not an end", (label) => {
    expect(coloursOf(["PLANNED", "PILES", label, "BLOCKED"])).not.toContain(full);
    expect(coloursOf(["OPEN", "IN_PROGRESS", "BLOCKED"])[1]).toBe(coloursOf(["OPEN", "IN_PROGRESS", "CLOSED"])[1]);
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

  it("repeat before the end, with distinct neighbours", () => {
    const colours = coloursOf(steps(23));
    expect(new Set(colours).size).toBe(7);
    expect(colours.indexOf(full)).toBe(22);
    expect(nearestNeighbours(colours)).toBeGreaterThanOrEqual(12);
  });
});

describe("colours of priorities", () => {
  const words = ["trivial", "lowest", "low", "minor", "medium", "normal", "high", "major", "urgent", "critical"];
  const coloursOf = (labels: readonly string[]) => valueColours(labels).range as readonly string[];
  const parts = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

  it.each(counts)("of %i steps are warm, and distinct from their neighbours and from both basemaps", (count) => {
    const colours = coloursOf(words.slice(-count));
    expectReadable(colours);
    expectRising(colours);
    for (const colour of colours) {
      const [red = 0, green = 0, blue = 0] = parts(colour);
      expect(red).toBeGreaterThan(Math.max(green, blue));
    }
    expect(new Set(colours).size).toBe(count);
  });

  it.each([
    [["LOW", "MEDIUM", "HIGH", "URGENT"]],
    [["MINOR", "MAJOR", "CRITICAL"]],
    [["TRIVIAL", "LOW", "MEDIUM", "HIGH", "URGENT"]],
  ])("of %j are stronger step by step, in any order", (labels) => {
    const colours = coloursOf(labels);
    expect(coloursOf(labels.toReversed())).toEqual(colours.toReversed());
    expectRising(colours);
  });
});

describe("colours of verdicts", () => {
  const coloursOf = (labels: readonly string[]) =>
    valueColours(labels, { isProcess: nameProcess(labels) }).range as readonly string[];
  const warm = coloursOf(["BLOCKED", "REJECTED"]);
  const isWarm = (colour: string) => warm.some((one) => seenDifference(colour, one) < 20);

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

  it("are distinct from their neighbours, around the end, and from the page", () => {
    expect(palette).toHaveLength(10);
    expectReadable([...palette, palette[0] as string]);
  });

  it("and of classes of numbers are all distinct", () => {
    for (const colours of [palette, numberSteps]) {
      const pairs = colours.flatMap((one, place) => colours.slice(place + 1).map((other) => [one, other] as const));
      for (const { seenAs } of schemes) {
        const differences = kinds.flatMap((sight) =>
          pairs.map(([one, other]) => seenDifference(seenAs(one), seenAs(other), sight)),
        );
        expect(Math.min(...differences)).toBeGreaterThan(5);
      }
    }
  });
});

describe("colours of classes of numbers", () => {
  it("go from light to dark on a white page, and from dark to light on a dark page", () => {
    expect(numberSteps.length).toBeLessThanOrEqual(7);
    expectRising(numberSteps);
    expect(nearestNeighbours(numberSteps)).toBeGreaterThanOrEqual(12);
  });

  it("have an outline if their contrast to the page is low", () => {
    for (const colour of numberSteps) {
      const contrasts = schemes.map(({ page, seenAs }) => contrast(seenAs(colour), page));
      expect(paleColors.has(colour)).toBe(Math.min(...contrasts) < 3);
    }
  });
});

describe("colours of a dark page", () => {
  it("have a contrast of at least 3 to 1, except for outlined ones", () => {
    for (const [light, dark] of darkColors) {
      if (paleColors.has(light)) continue;
      expect(contrast(light, "#ffffff")).toBeGreaterThanOrEqual(3);
      expect(contrast(dark, "#15191d")).toBeGreaterThanOrEqual(3);
    }
  });

  it("belong to one color of a white page each", () => {
    const figure = valueColours(["OPEN", "IN_PROGRESS", "BLOCKED", "CLOSED", "none", "other"], { isProcess: true });
    for (const colour of figure.range as readonly string[]) expect(darkColors.has(colour)).toBe(true);
  });
});
