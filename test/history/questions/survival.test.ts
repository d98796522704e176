import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { ColumnTable } from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/core/provenance.js";
import type { History } from "../../../src/history/history.js";
import type { SurvivalOptions } from "../../../src/history/questions/survival.js";
import { findPython } from "../../support/python.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, feature } from "../../support/records.js";
import { refusal } from "../../support/refusal.js";
import { Oracle, type World } from "../oracle.js";
import { historyOf as historyOfWorld, worlds } from "../random-world.js";
import { historyOf, rowsOf, status } from "../small-history.js";
import { curveOf, type NaiveSpell, naiveSpells } from "./naive-survival.js";

/** Four tickets of 2024, read on 1 January 2025; the beginning of the fourth is not in the log. */
const features = [1, 2, 3, 4].map((id) => feature(id, { properties: { VOLUME: id % 2 }, dataset_id: 1 + (id % 2) }));
const log = [
  status(1, 1, "01-01", "OPEN"),
  status(2, 1, "01-11", "BLOCKED"),
  status(3, 1, "01-21", "CLOSED"),
  status(4, 2, "01-01", "OPEN"),
  status(5, 2, "02-10", "CLOSED"),
  status(6, 2, "03-01", "OPEN"),
  status(7, 3, "01-01", "BLOCKED"),
  status(8, 3, "12-02", "OPEN"),
  status(9, 4, "01-31", "OPEN"),
  status(10, 4, "03-01", "CLOSED"),
];
const openToClosed = { start: "OPEN", done: "CLOSED" };

describe("survival", () => {
  it("counts a spell through other values, and repeated spells", async () => {
    const history = await historyOf(features, log);
    const table = history.survival("STATUS", openToClosed);
    const shown = rowsOf(table).map(({ lower: _, upper: __, ...row }) => row);
    expect(shown).toEqual([
      { days: 0, at_risk: 4, entered: 0, events: 0, censored: 0, survival: 1 },
      { days: 20, at_risk: 4, entered: 0, events: 1, censored: 0, survival: 0.75 },
      { days: 30, at_risk: 3, entered: 1, events: 0, censored: 1, survival: 0.75 },
      { days: 40, at_risk: 3, entered: 0, events: 1, censored: 0, survival: 0.5 },
      { days: 60, at_risk: 2, entered: 0, events: 1, censored: 0, survival: 0.25 },
      { days: 306, at_risk: 1, entered: 0, events: 0, censored: 1, survival: 0.25 },
    ]);
    expect(rowsOf(table.medians)).toMatchObject([
      { spells: 5, events: 3, censored: 2, late: 1, left_out: 0, median_days: 40, lower_days: 20, upper_days: null },
    ]);
    expect(table.diagnostics).toEqual([
      { code: "start-unknown", severity: "info", count: 1, message: expect.stringContaining("1 of 5 spells") },
    ]);
    expect(provenanceOf(table)).toEqual(history.provenance);
    expect(provenanceOf(table.medians)).toEqual(history.provenance);
  });

  it.each([
    [0.95, 1.959964],
    [0.5, 0.6744898],
  ])("has log(-log) bands of Greenwood's variance with confidence %d", async (confidence, z) => {
    const table = (await historyOf(features, log)).survival("STATUS", { ...openToClosed, confidence });
    // S = 3/4 with variance 1/12.
    const band = (sign: number) => Math.exp(Math.log(0.75) * Math.exp((sign * z * Math.sqrt(1 / 12)) / Math.log(0.75)));
    expect([table.get("lower", 1), table.get("upper", 1)]).toEqual(
      [-1, 1].map((sign) => expect.closeTo(band(sign), 7)),
    );
  });

  it("omits spells with an unknown beginning on request, and spells without any date", async () => {
    const history = await historyOf(features, log);
    const known = history.survival("STATUS", { ...openToClosed, unknownStart: "drop" });
    expect(rowsOf(known.medians)).toMatchObject([{ spells: 4, events: 2, late: 0, left_out: 1 }]);
    expect(known.diagnostics).toMatchObject([{ code: "start-unknown-dropped", count: 1 }]);
    const never = [
      feature(1, { created_at: "2024-02-30T00:00:00Z", properties: { STATUS: "OPEN" } }),
      feature(2, { properties: { STATUS: "CLOSED" } }),
    ];
    const undated = (await historyOf(never, [], { strict: false })).survival("STATUS", {
      start: "OPEN",
      done: "CLOSED",
    });
    expect(undated.numRows()).toBe(0);
    expect(rowsOf(undated.medians)).toMatchObject([{ spells: 0, left_out: 1, median_days: null }]);
    expect(undated.diagnostics).toMatchObject([{ code: "start-unknown-dropped", count: 1 }]);
  });

  it("counts unchanged values from creation until a time", async () => {
    const history = await historyOf(
      ["OPEN", "CLOSED"].map((STATUS, n) => feature(n + 1, { properties: { STATUS } })),
      [],
    );
    const table = history.survival("STATUS", { ...openToClosed, until: "2024-01-10" });
    expect(rowsOf(table).at(-1)).toMatchObject({ days: 10, censored: 1, survival: 1 });
    expect(history.survival("STATUS", { ...openToClosed, until: "2023-12-01" }).numRows()).toBe(0);
  });

  it("groups by a field or by a property at the beginning or the end of each spell", async () => {
    const history = await historyOf(features, [...log, status(11, 1, "01-15", 7, "VOLUME")]);
    const groups = (over: object) => {
      const { medians } = history.survival("STATUS", { ...openToClosed, ...over });
      return rowsOf(medians).map((row) => Object.values(row).slice(0, 2));
    };
    expect(groups({ by: "dataset_id" })).toEqual([
      [1, 3],
      [2, 2],
    ]);
    expect(groups({ by: "VOLUME" })).toEqual([
      [null, 1],
      [0, 3],
      [1, 1],
    ]);
    expect(groups({ by: "VOLUME", groupAt: "end" })).toEqual([
      [0, 3],
      [1, 1],
      [7, 1],
    ]);
    expect(history.survival("STATUS", { ...openToClosed, by: "VOLUME" }).columnNames()[0]).toBe("VOLUME");
  });

  it("reports times without any observed spell", async () => {
    const first = [status(1, 1, "02-01", "OPEN"), status(2, 1, "02-03", "CLOSED")];
    const second = [status(3, 2, "06-01", "OPEN")];
    const history = await historyOf(features.slice(0, 2), [...first, ...second]);
    const { diagnostics } = history.survival("STATUS", openToClosed);
    expect(diagnostics.map(({ code }) => code)).toEqual(["start-unknown", "risk-set-empty"]);
  });

  it.each([
    [["STATSU", openToClosed], 'Did you mean "STATUS"?'],
    [["STATUS", { start: "OPEN", done: "CLOSSED" }], 'done: no feature ever had "CLOSSED" in "STATUS".'],
    [["STATUS", { start: ["OPEN", "CLOSED"], done: "CLOSED" }], '"CLOSED" is in both `start` and `done`.'],
    [["STATUS", { start: [], done: "CLOSED" }], "`start` is empty."],
    [["STATUS", { ...openToClosed, confidence: 95 }], "confidence must be a number above 0 and below 1, but got 95."],
    [["STATUS", { ...openToClosed, by: "Nope" }], 'unknown property column "Nope"'],
    [["STATUS", { ...openToClosed, unknownStart: "late" }], 'unknownStart must be "creation" or "drop"'],
    [["STATUS", { ...openToClosed, strat: 1 }], "Did you mean start?"],
    [["STATUS"], "`start` is empty."],
  ])("refuses %j", async (given, message) => {
    const history = await historyOf(features, log);
    expect(refusal(() => Reflect.apply(history.survival, history, given))).toContain(message);
  });
});

const sets: fc.Arbitrary<Pick<SurvivalOptions, "start" | "done" | "unknownStart">> = fc.record({
  start: fc.constantFrom<unknown>("a", ["a", 1], [null]),
  done: fc.constantFrom<unknown>("b", ["b", 0.5, true]),
  unknownStart: fc.constantFrom<"creation" | "drop">("creation", "drop"),
});

/** The values are known to every world, so that none is refused. */
function withValues(world: World): World {
  const STATUS = [null, "a", 1, "b", 0.5, true];
  const more = STATUS.map((value, n) =>
    feature(100 + n, { created_at: "2040-01-01T00:00:00Z", properties: { STATUS: value } }),
  );
  return { ...world, features: [...world.features, ...more] };
}

describe("random logs", () => {
  it("equal a naive estimate from intervals", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, sets, async (drawn, options) => {
        const world = withValues(drawn);
        const table = (await historyOfWorld(world)).survival("STATUS", options);
        const { kept, leftOut } = naiveSpells(new Oracle(world).intervals("STATUS"), options, world.readAt);
        expectCurve(table, kept);
        const [medians] = rowsOf(table.medians);
        expect([medians?.["spells"] ?? 0, medians?.["left_out"] ?? 0]).toEqual([kept.length, leftOut]);
      }),
      { numRuns: randomRuns(500, 25) },
    );
  });
});

function expectCurve(table: ColumnTable, spells: readonly NaiveSpell[]): void {
  const curve = spells.length === 0 ? [] : curveOf(spells);
  expect(table.numRows()).toBe(curve.length);
  curve.forEach((step, row) => {
    for (const [name, value] of Object.entries(step)) expect(table.get(name, row)).toBeCloseTo(value, 9);
  });
}

const python = findPython("lifelines");

describe.runIf(python)("lifelines", () => {
  interface Fit extends Readonly<Record<string, readonly number[]>> {
    readonly medians: readonly number[];
  }

  function fitted(groups: readonly (readonly NaiveSpell[])[], confidence: number): readonly (Fit | null)[] {
    const lines = groups.map((spells) =>
      JSON.stringify({
        confidence,
        entries: spells.map(({ entry }) => entry),
        exits: spells.map(({ exit }) => exit),
        events: spells.map(({ isEvent }) => isEvent),
      }),
    );
    const script = join(import.meta.dirname, "python", "kaplan_meier.py");
    const printed = execFileSync(python?.program ?? "", [script], { input: lines.join("\n"), encoding: "utf8" });
    return printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Fit | null);
  }

  /** The risk sets of lifelines include spells that enter at the same time. */
  function expectFit(table: ColumnTable, medians: Readonly<Record<string, unknown>> | undefined, found: Fit): void {
    // If all spells enter late, lifelines has no row for the beginning.
    const skipped = found["days"]?.[0] === 0 ? 0 : 1;
    expect(table.numRows() - skipped).toBe(found["days"]?.length);
    for (const name of ["days", "survival", "lower", "upper", "events", "censored"]) {
      const differences = found[name]?.map((value, row) =>
        Math.abs(value - Number(table.get(name, row + skipped))),
      ) ?? [1];
      expect([name, Math.max(...differences)]).toEqual([name, expect.toSatisfy((most: number) => most < 1e-9)]);
    }
    for (let row = 1; row < table.numRows() - skipped; row += 1) {
      const [atRisk, entered] = [table.get("at_risk", row + skipped), table.get("entered", row + skipped)];
      expect(Number(atRisk) + Number(entered)).toBe(found["at_risk"]?.[row]);
    }
    const own = ["median_days", "lower_days", "upper_days"].map((name) => medians?.[name]);
    expect(own).toEqual(found.medians.map((days) => (days === null ? null : expect.closeTo(days, 9))));
  }

  it("agrees to 1e-9 on random spells, including late entries and ties", async () => {
    const day = fc.integer({ min: 0, max: 30 });
    const life = fc.record({ born: day, seen: day, lasts: fc.integer({ min: 1, max: 20 }), isEvent: fc.boolean() });
    const lives = fc.sample(fc.array(life, { minLength: 1, maxLength: 60 }), { numRuns: 60, seed: 19 });
    const histories = await Promise.all(lives.map(historyOfLives));
    const spells = histories.map(
      (history) => naiveSpells(history.intervals("STATUS").objects(), openToClosed, history.readAt).kept,
    );
    const found = fitted(spells, 0.9);
    const compared = histories.filter((history, place) => {
      const one = found[place];
      const table = history.survival("STATUS", { ...openToClosed, confidence: 0.9 });
      if (one) expectFit(table, rowsOf(table.medians)[0], one);
      return one;
    });
    expect(compared.length).toBeGreaterThan(30);
  });

  interface Life {
    readonly born: number;
    readonly seen: number;
    readonly lasts: number;
    readonly isEvent: boolean;
  }

  function historyOfLives(lives: readonly Life[]): Promise<History> {
    const at = (day: number) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString();
    const tickets = lives.map(({ born }, n) => feature(n + 1, { created_at: at(born) }));
    const changes = lives.flatMap(({ born, seen, lasts, isEvent }, n) => {
      const first = born + (seen % 3 === 0 ? 0 : seen);
      const own = { layer_feature_id: n + 1 };
      // Spells without an event last until the log is read.
      const end = isEvent ? [change(1000 + n, { ...own, created_at: at(first + lasts), new_value: "CLOSED" })] : [];
      return [change(n, { ...own, created_at: at(first), new_value: "OPEN" }), ...end];
    });
    const known = [feature(999, { properties: { STATUS: "CLOSED" } }), feature(998, { properties: { STATUS: "NEW" } })];
    return historyOf([...tickets, ...known], changes);
  }
});
