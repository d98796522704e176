import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { ColumnTable } from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleCompany } from "../../../sample/sample-company.js";
import { provenanceOf } from "../../../src/core/provenance.js";
import type { History } from "../../../src/history/history.js";
import type { SurvivalOptions } from "../../../src/history/questions/survival.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { findPython } from "../../support/python.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, feature } from "../../support/records.js";
import { Oracle, type World } from "../oracle.js";
import { historyOf as historyOfWorld, worlds } from "../random-world.js";
import { historyOf, rowsOf } from "../small-history.js";
import { curveOf, type NaiveSpell, naiveSpells } from "./naive-survival.js";

const status = (n: number, layer_feature_id: number, day: string, new_value: unknown, property_key = "STATUS") =>
  change(n, { layer_feature_id, created_at: `2024-${day}T00:00:00Z`, new_value, property_key });

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
const openToClosed = { from: "OPEN", to: "CLOSED" };

function call(history: History, ...given: readonly unknown[]): unknown {
  return Reflect.apply(history.survival, history, given);
}

describe("survival", () => {
  it("counts a spell through other values, and again when it comes back", async () => {
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
    expect(table.findings).toEqual([
      { code: "late-entry", count: 1, message: expect.stringContaining("1 of 5 spells") },
    ]);
    expect(provenanceOf(table)).toEqual(history.provenance);
    expect(provenanceOf(table.medians)).toEqual(history.provenance);
  });

  it("has the bands of a textbook: log(-log) of Greenwood's variance", async () => {
    const history = await historyOf(features, log);
    const table = history.survival("STATUS", openToClosed);
    // S = 3/4 with variance 1/12: exp(log S * exp(±1.959964 * sqrt(1/12) / log S)).
    expect(table.get("lower", 1)).toBeCloseTo(0.1279469, 7);
    expect(table.get("upper", 1)).toBeCloseTo(0.9605486, 7);
    const narrow = history.survival("STATUS", { ...openToClosed, confidence: 0.5 });
    expect(narrow.get("lower", 1)).toBeGreaterThan(0.5);
    expect(rowsOf(table).at(0)).toMatchObject({ lower: 1, upper: 1 });
  });

  it("leaves out what has no known beginning on request, and what has none at all", async () => {
    const history = await historyOf(features, log);
    const known = history.survival("STATUS", { ...openToClosed, unknown: "drop" });
    expect(rowsOf(known.medians)).toMatchObject([{ spells: 4, events: 2, late: 0, left_out: 1 }]);
    expect(known.findings).toMatchObject([{ code: "unknown-beginning", count: 1 }]);
    const never = [
      feature(1, { created_at: "2024-02-30T00:00:00Z", properties: { STATUS: "OPEN" } }),
      feature(2, { properties: { STATUS: "CLOSED" } }),
    ];
    const undated = (await historyOf(never, [], { strict: false })).survival("STATUS", { from: "OPEN", to: "CLOSED" });
    expect(undated.numRows()).toBe(0);
    expect(rowsOf(undated.medians)).toMatchObject([{ spells: 0, left_out: 1, median_days: null }]);
    expect(undated.findings).toMatchObject([{ code: "unknown-beginning", count: 1 }]);
  });

  it("counts what never changed from its creation on, until a time", async () => {
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

  it("says where nobody was under observation", async () => {
    const first = [status(1, 1, "02-01", "OPEN"), status(2, 1, "02-03", "CLOSED")];
    const second = [status(3, 2, "06-01", "OPEN")];
    const history = await historyOf(features.slice(0, 2), [...first, ...second]);
    const { findings } = history.survival("STATUS", openToClosed);
    expect(findings.map(({ code }) => code)).toEqual(["late-entry", "nobody-at-risk"]);
  });

  it.each([
    [["STATSU", openToClosed], 'Did you mean "STATUS"?'],
    [["STATUS", { from: "OPEN", to: "CLOSSED" }], 'to: no feature ever had "CLOSSED" in "STATUS".'],
    [["STATUS", { from: ["OPEN", "CLOSED"], to: "CLOSED" }], '"CLOSED" is in from and in to.'],
    [["STATUS", { from: [], to: "CLOSED" }], "from names no value."],
    [["STATUS", { ...openToClosed, confidence: 95 }], "confidence takes a number above 0 and below 1, but got 95."],
    [["STATUS", { ...openToClosed, by: "Nope" }], 'no property column "Nope"'],
    [["STATUS", { ...openToClosed, unknown: "late" }], 'unknown takes "late-entry" or "drop"'],
    [["STATUS", { ...openToClosed, form: 1 }], "Did you mean from?"],
    [["STATUS"], "from names no value."],
  ])("refuses %j", async (given, said) => {
    const history = await historyOf(features, log);
    let error: unknown;
    try {
      call(history, ...given);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "ERR_ARGUMENT" });
    expect(String(error)).toContain(said);
  });
});

const sets: fc.Arbitrary<Pick<SurvivalOptions, "from" | "to" | "unknown">> = fc.record({
  from: fc.constantFrom<unknown>("a", ["a", 1], [null]),
  to: fc.constantFrom<unknown>("b", ["b", 0.5, true]),
  unknown: fc.constantFrom<"late-entry" | "drop">("late-entry", "drop"),
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
  it("give what a naive estimate of the intervals gives", async () => {
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

  /** What lifelines says of risk sets includes who comes at that very time. */
  function expectFit(table: ColumnTable, medians: Readonly<Record<string, unknown>> | undefined, found: Fit): void {
    // Where all come late it has no row for the beginning.
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

  async function ticketLog(): Promise<History> {
    const company = sampleCompany();
    const [layerFeatures, propertyChanges] = [[...company.layerFeatures()], [...company.propertyChanges()]];
    const source = fromRecords(
      { ...company, layerFeatures, propertyChanges },
      { readAt: new Date("2026-06-30T12:00:00Z") },
    );
    return source.history({ site_id: 101, semantic_type: "PUNCH_LIST_ITEMS" });
  }

  const asked = [
    { from: "OPEN", to: ["RESOLVED", "CLOSED"] },
    { from: ["OPEN", "IN_PROGRESS"], to: "CLOSED" },
    { from: "BLOCKED", to: "IN_PROGRESS" },
    { from: "RESOLVED", to: "OPEN" },
  ];

  it("agrees to 1e-9 on a ticket log", async () => {
    const history = await ticketLog();
    const rows = history.intervals("STATUS").objects();
    const spells = asked.map((options) => naiveSpells(rows, options, history.readAt).kept);
    const found = fitted(spells, 0.8);
    asked.forEach((options, place) => {
      expect(spells[place]?.length).toBeGreaterThan(10);
      const table = history.survival("STATUS", { ...options, confidence: 0.8 });
      expectFit(table, rowsOf(table.medians)[0], found[place] as Fit);
    });
  });

  it("agrees to 1e-9 on random spells, late ones and ties among them", async () => {
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
      // What is not an event goes on until the log is read, or is cut by a day long before.
      const end = isEvent ? [change(1000 + n, { ...own, created_at: at(first + lasts), new_value: "CLOSED" })] : [];
      return [change(n, { ...own, created_at: at(first), new_value: "OPEN" }), ...end];
    });
    const known = [feature(999, { properties: { STATUS: "CLOSED" } }), feature(998, { properties: { STATUS: "NEW" } })];
    return historyOf([...tickets, ...known], changes);
  }
});
