import type { ColumnTable } from "arquero";
import * as aq from "arquero";
import fc from "fast-check";
import type { Polygon } from "geojson";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/core/provenance.js";
import type { InspectionOptions } from "../../../src/layer/anomaly-cases.js";
import { inspection } from "../../../src/layer/inspection.js";
import type { Layer } from "../../../src/layer/layer.js";
import { fromRecords } from "../../../src/source/from-records.js";
import type { Source } from "../../../src/source/source.js";
import { randomRuns } from "../../support/random-runs.js";
import { dataset, definition, feature, uuid } from "../../support/records.js";

type Row = Readonly<Record<string, unknown>>;

/** An anomaly: its place in metres north, its class, and what else is known of it. */
interface Found {
  readonly north: number;
  readonly kind: string | null;
  readonly modules?: number;
  readonly watts?: number;
  readonly status?: string;
}

const keys = { kind: uuid(1), modules: uuid(2), watts: uuid(3), severity: uuid(4) };
const options = [
  { id: "hot_spot", label: "Hot spot" },
  { id: "string", label: "String outage" },
  { id: "pid", label: "PID" },
];

/** A park of one field for every 100 m of north: block 0 from −50 m to 50 m, block 1 from 50 m to 150 m, … */
function siteOf(
  captures: readonly (readonly Found[])[],
  flown: readonly (readonly number[])[] = captures.map(() => [0, 1, 2, 3]),
  peak_power: number | null = 2,
): Source {
  let id = 0;
  const layout = {
    items: Object.values(keys).map((key) => ({ type: "PROPERTY", property_definition_id: key })),
  };
  return fromRecords({
    layerFeatures: captures.flatMap((all, capture) =>
      all.map(({ north, kind, modules, watts, status = "OPEN" }) =>
        feature(++id, {
          dataset_id: capture + 1,
          operation_id: capture + 70,
          semantic_type: "SOLAR_ANOMALIES",
          geometry: { type: "Point", coordinates: [11, 48 + north / 111_195] },
          properties: {
            STATUS: status,
            [keys.kind]: kind,
            ...(modules === undefined ? {} : { [keys.modules]: modules }),
            ...(watts === undefined ? {} : { [keys.watts]: watts }),
          },
        }),
      ),
    ),
    propertyDefinitions: [
      definition(keys.kind, "Class", { type: "OPTION", config: { options } }),
      definition(keys.modules, "Modules", { type: "INTEGER" }),
      definition(keys.watts, "Power", { type: "FLOAT" }),
      definition(keys.severity, "Severity"),
    ],
    datasets: captures.map((_, capture) =>
      dataset(capture + 1, { operation_id: capture + 70, layout_definition: layout } as never),
    ),
    blocks: flown.flatMap((blocks, capture) =>
      blocks.map((block) => ({
        id: 100 * capture + block,
        operation_id: capture + 70,
        polygon_id: block,
        name: `Block ${block}`,
        geo_boundaries: field(block),
      })),
    ),
    sites: [
      {
        id: 12,
        company_id: 3,
        name: "Park",
        type: "SOLAR",
        stage: "OPERATION",
        coordinates: null,
        geo_area: 0,
        peak_power,
        ac_power: null,
        address_line1: null,
        address_line2: null,
        address_line3: null,
      },
    ],
  });
}

function field(block: number): Polygon {
  const [south, north] = [48 + (100 * block - 50) / 111_195, 48 + (100 * block + 50) / 111_195];
  const corners = [
    [10.9, south],
    [11.1, south],
    [11.1, north],
    [10.9, north],
    [10.9, south],
  ];
  return { type: "Polygon", coordinates: [corners] };
}

function layersOf(source: Source, count: number): Promise<readonly Layer[]> {
  return Promise.all(Array.from({ length: count }, (_, capture) => source.layer({ operation_id: capture + 70 })));
}

async function inspect(captures: readonly (readonly Found[])[], given: Partial<InspectionOptions> = {}) {
  return inspection(await layersOf(siteOf(captures), captures.length), {
    classes: "Class",
    maxDistance: 1,
    ...given,
  });
}

const rows = (table: ColumnTable) => table.objects() as Row[];
const pick = (table: ColumnTable, ...names: string[]) => rows(table).map((row) => names.map((name) => row[name]));

const factors = { hot_spot: 0.1, string: 1 };
const modules = { hot_spot: 1, string: 20, pid: 8 };

describe("inspection()", () => {
  /** Of 500 W modules: a hot spot takes 0.05 kW, a string of 20 takes 10 kW; nobody knows what PID takes. */
  const captures: readonly (readonly Found[])[] = [
    [
      { north: 0, kind: "hot_spot" },
      { north: 10, kind: "hot_spot", status: "FIXED" },
      { north: 100, kind: "string" },
      { north: 200, kind: "pid" },
      { north: 300, kind: "hot_spot" },
    ],
    [
      // Block 3 is not flown; the string is repaired, the PID stays, the one that was marked is back, another is new.
      { north: 0, kind: "hot_spot" },
      { north: 10, kind: "hot_spot" },
      { north: 120, kind: "string" },
      { north: 200, kind: "pid" },
    ],
  ];
  const flown = [
    [0, 1, 2, 3],
    [0, 1, 2],
  ];
  const all: InspectionOptions = {
    classes: "Class",
    maxDistance: 1,
    severity: { hot_spot: 1, string: 3 },
    factors,
    modules,
    ratedPower: 500,
    yield: 1500,
    tariff: 0.05,
    modulesInspected: [4000, 3000],
    labels: ["May", "June"],
  };

  it("gives modules, power, energy, money, and the change, as worked out by hand", async () => {
    const source = siteOf(captures, flown);
    const layers = await layersOf(source, 2);
    const table = await inspection(layers, { ...all, coverage: source, peakPower: source });
    expect(rows(table)).toEqual([
      {
        capture: "May",
        anomalies: 5,
        modules: 3 + 20 + 8,
        affected_kw: expect.closeTo(3 * 0.05 + 10, 10),
        affected_percent: expect.closeTo((100 * 10.15) / 2000, 10),
        kwh_per_year: expect.closeTo(10.15 * 1500, 8),
        money_per_year: expect.closeTo(10.15 * 1500 * 0.05, 8),
        without_modules: 0,
        without_power: 1,
        marked_fixed: 1,
        new: 5,
        persistent: 0,
        returned: 0,
        fixed: 0,
        not_surveyed: 0,
        anomalies_per_mwp: 2.5,
        anomalies_per_1000_modules: 1.25,
        modules_per_1000_modules: expect.closeTo(31 / 4, 10),
      },
      {
        capture: "June",
        anomalies: 4,
        modules: 2 + 20 + 8,
        affected_kw: expect.closeTo(10.1, 10),
        affected_percent: expect.closeTo(0.505, 10),
        kwh_per_year: expect.closeTo(15_150, 8),
        money_per_year: expect.closeTo(757.5, 8),
        without_modules: 0,
        without_power: 1,
        marked_fixed: 0,
        new: 1,
        persistent: 2,
        returned: 1,
        fixed: 1,
        not_surveyed: 1,
        anomalies_per_mwp: 2,
        anomalies_per_1000_modules: expect.closeTo(4 / 3, 10),
        modules_per_1000_modules: 10,
      },
    ]);
    expect(rows(table.totals)).toEqual(rows(table));
    expect(pick(table.changes, "capture", "change", "anomalies", "modules", "affected_kw", "without_power")).toEqual([
      ["May", "new", 5, 31, expect.closeTo(10.15, 10), 1],
      ["June", "new", 1, 20, 10, 0],
      ["June", "persistent", 2, 9, expect.closeTo(0.05, 10), 1],
      ["June", "returned", 1, 1, expect.closeTo(0.05, 10), 0],
      ["June", "fixed", 1, 20, 10, 0],
      ["June", "not surveyed", 1, 1, expect.closeTo(0.05, 10), 0],
    ]);
    expect(table.findings).toEqual([
      {
        code: "without-factor",
        count: 2,
        message: '2 anomalies have no factor (by class "pid": 2); their power is not known, and sums are without it.',
        facts: { classes: [{ class: "pid", count: 2 }] },
      },
      expect.objectContaining({ code: "without-severity", count: 2 }),
    ]);
  });

  it("says in the provenance of every table what it was made with", async () => {
    const source = siteOf(captures, flown);
    const layers = await layersOf(source, 2);
    const table = await inspection(layers, { ...all, coverage: source, peakPower: source });
    const expected = {
      by: ["capture"],
      classes: "Class",
      severity: { hot_spot: 1, string: 3 },
      factors,
      modules,
      ratedPower: 500,
      yield: 1500,
      tariff: 0.05,
      peakPower: 2,
      peakPowerFrom: "site record",
      modulesInspected: [4000, 3000],
      blocks: "polygons of the coverage",
      coverage: "blocks of operations 70, 71",
      maxDistance: 1,
      relation: null,
      fixed: null,
    };
    for (const one of [table, table.totals, table.changes, table.anomalies]) {
      expect(provenanceOf(one)).toEqual({ ...layers[1]?.provenance, assumptions: expected });
    }
    const bare = await inspection(layers, { classes: "Class", maxDistance: 1, modules: (row) => row["id"] as number });
    expect(provenanceOf(bare)?.assumptions).toMatchObject({
      factors: null,
      modules: 'function of the row: (row) => row["id"]',
      peakPower: null,
      coverage: "not given: each capture counts as flown over everything",
    });
  });

  it("counts by class, severity and block, of the last capture or of each", async () => {
    const source = siteOf(captures, flown);
    const layers = await layersOf(source, 2);
    const given = { ...all, coverage: source, peakPower: 2 };
    const figures = ["anomalies", "modules", "affected_kw", "without_power", "fixed", "not_surveyed"];
    const byClass = await inspection(layers, { ...given, by: "class" });
    expect(pick(byClass, "class", ...figures)).toEqual([
      ["hot_spot", 2, 2, expect.closeTo(0.1, 10), 0, 0, 1],
      ["pid", 1, 8, null, 1, 0, 0],
      ["string", 1, 20, 10, 0, 1, 0],
    ]);
    expect(pick(byClass.totals, "capture", "anomalies", "affected_kw")).toEqual([
      ["June", 4, expect.closeTo(10.1, 10)],
    ]);
    const bySeverity = await inspection(layers, { ...given, by: ["capture", "severity"] });
    expect(pick(bySeverity, "capture", "severity", "anomalies")).toEqual([
      ["May", 1, 3],
      ["May", 3, 1],
      ["May", null, 1],
      ["June", 1, 2],
      ["June", 3, 1],
      ["June", null, 1],
    ]);
    const byBlock = await inspection(layers, { ...given, by: ["block", "class"] });
    expect(byBlock.columnNames().slice(0, 3)).toEqual(["block", "class", "anomalies"]);
    expect(pick(byBlock, "block", "class", "anomalies", "fixed", "not_surveyed")).toEqual([
      ["Block 0", "hot_spot", 2, 0, 0],
      ["Block 1", "string", 1, 1, 0],
      ["Block 2", "pid", 1, 0, 0],
      ["Block 3", "hot_spot", 0, 0, 1],
    ]);
    expect(pick(byBlock.changes, "block", "class", "change", "affected_kw")).toContainEqual([
      "Block 3",
      "hot_spot",
      "not surveyed",
      expect.closeTo(0.05, 10),
    ]);
  });

  it("lists each anomaly with what was added up", async () => {
    const source = siteOf(captures, flown);
    const layers = await layersOf(source, 2);
    const { anomalies } = await inspection(layers, { ...all, coverage: source, by: "class" });
    expect(anomalies.numRows()).toBe(11);
    expect(rows(anomalies).at(-1)).toEqual({
      capture: "June",
      chain: 6,
      change: "new",
      id: 8,
      visible_id: "F-8",
      previous_id: null,
      class: "string",
      severity: 3,
      block: "Block 1",
      modules: 20,
      rated_power_w: 500,
      factor: 1,
      affected_kw: 10,
      marked_fixed: false,
    });
  });

  it("takes columns and functions, and counts what they do not say", async () => {
    const found: readonly Found[] = [
      { north: 0, kind: "hot_spot", modules: 2, watts: 400 },
      { north: 10, kind: "hot_spot", watts: 400 },
      { north: 20, kind: "string", modules: 10 },
      { north: 30, kind: null, modules: -1, watts: 400 },
    ];
    const given = { factors: { "Hot spot": 0.5, string: 1 }, modules: "Modules", ratedPower: "Power" };
    const table = await inspect([found], given);
    expect(pick(table, "anomalies", "modules", "affected_kw", "without_modules", "without_power")).toEqual([
      [4, 12, 0.4, 2, 3],
    ]);
    expect(table.findings.map(({ code, count }) => [code, count])).toEqual([
      ["without-factor", 1],
      ["without-modules", 2],
      ["without-rated-power", 1],
    ]);
    const called = await inspect([found], {
      factors: { hot_spot: 0.5, string: 1 },
      modules: ({ Class, Modules }) => (Class === "string" ? 24 : (Modules as number | null)),
      ratedPower: 500,
    });
    expect(pick(called, "modules", "affected_kw", "without_modules")).toEqual([[26, 0.5 + 12, 2]]);
  });

  it("knows nothing that nobody gave", async () => {
    const table = await inspect([[{ north: 0, kind: "hot_spot" }], []], {});
    const unknown = ["modules", "affected_kw", "affected_percent", "kwh_per_year", "money_per_year"];
    expect(pick(table, "anomalies", ...unknown, "not_surveyed", "anomalies_per_mwp")).toEqual([
      [1, null, null, null, null, null, null, null],
      // Of no anomaly is known what it takes.
      [0, 0, 0, null, null, null, null, null],
    ]);
    expect(table.findings).toEqual([]);
  });

  it("finds slips: a class by another name, a peak power that is none, units", async () => {
    const found = [[{ north: 0, kind: "string" }]];
    const slip = await inspect(found, { factors: { strings: 1 } });
    expect(slip.findings).toMatchObject([{ code: "without-factor", message: expect.stringContaining("strings") }]);
    const none = siteOf(found, undefined, null);
    const layers = await layersOf(none, 1);
    const unset = await inspection(layers, { classes: "Class", peakPower: none });
    expect(pick(unset, "anomalies_per_mwp")).toEqual([[null]]);
    expect(unset.findings.map(({ code }) => code)).toEqual(["no-peak-power"]);
    const powers = fromRecords({
      layerFeatures: [12, 13].map((site_id) => feature(site_id, { site_id, semantic_type: "SOLAR_ANOMALIES" })),
      datasets: [dataset(1)],
    });
    const two = { sites: async () => aq.table({ id: [12, 13], peak_power: [2, null] }) } as never;
    const partly = await inspection([await powers.layer({ semantic_type: "SOLAR_ANOMALIES" })], {
      classes: "id",
      peakPower: two,
    });
    expect(pick(partly, "anomalies_per_mwp")).toEqual([[null]]);
    const units = await inspect(found, { factors, modules, ratedPower: 500, peakPower: 0.002 });
    expect(units.findings.map(({ code }) => code)).toEqual(["beyond-peak-power"]);
    const site = await siteOf(found).site(12);
    expect(pick(await inspect(found, { peakPower: site }), "anomalies_per_mwp")).toEqual([[0.5]]);
  });

  it.each<[Record<string, unknown> | undefined, string]>([
    [{ classes: undefined }, "classes takes the name of a column, got undefined"],
    [{ classes: "Clas" }, 'Did you mean "Class"?'],
    [{ modules: "Module" }, 'Did you mean "Modules"?'],
    [
      { factors: { "hot spot in a cell": 0.1, "bypass diode": 0.33, "whole string of modules": 1, diode: 33 } },
      'factors takes a share from 0 to 1 for each class, such as { hot_spot: 0.1, string: 1 }, but got 33 for "diode". Of 33 % the share is 0.33.',
    ],
    [
      { factors: 5 },
      "factors takes a share from 0 to 1 for each class, such as { hot_spot: 0.1, string: 1 }, but got 5.",
    ],
    [{ modules: { hot: 1, string: -1 } }, 'a function of the row, but got -1 for "string".'],
    [{ ratedPower: { string: "410" } }, 'but got "410" for "string".'],
    [{ severity: { string: null } }, 'but got null for "string".'],
    [{ ratedPower: 0 }, "ratedPower takes a number of W above 0"],
    [{ peakPower: "2" }, "peakPower takes a number of MWp above 0"],
    [{ peakPower: 0 }, "peakPower takes"],
    [{ yield: -1 }, "yield takes"],
    [{ tarif: 1 }, "Did you mean tariff?"],
    [{ by: "clas" }, 'Did you mean "class"?'],
    [{ by: [] }, "by takes"],
    [{ by: ["class", "class"] }, "by takes"],
    [{ by: "severity" }, "Give a column or a severity for each class"],
    [{ by: "block" }, "cannot count by block"],
    [{ modulesInspected: [1, 2, 3] }, "got 3 for 2 layers"],
    [{ maxDistance: undefined }, "maxDistance takes a number of metres above 0, got undefined"],
    [{ labels: ["a"] }, "one name for each layer"],
    [{ coverage: 7 }, "coverage of inspection() takes what has geometries, got 7"],
  ])("refuses %j", async (given, said) => {
    const refusal = await inspect([[{ north: 0, kind: "string", modules: 1 }], []], given as never).catch(String);
    expect(refusal).toContain("ArgumentError");
    expect(refusal).toContain(said);
  });

  it("refuses what is no layers", async () => {
    for (const layers of [undefined, [], [7]]) {
      await expect(inspection(layers as never, { classes: "Class" })).rejects.toThrow(/takes an array of layers/);
    }
    await expect(inspection([] as never, undefined as never)).rejects.toThrow(/classes takes/);
  });

  /** Six things that stand still, each in a block; in each capture of a class and there or not. */
  interface Drawn {
    readonly cells: readonly { readonly kind: string | null; readonly seen: boolean }[];
    readonly flown: readonly number[];
  }

  /** What became of a thing of a class in a capture that does not show it. */
  function missed(drawn: readonly Drawn[], k: number, thing: number, block: number, kind: string | null) {
    const before = drawn.slice(0, k).findLastIndex(({ cells }) => cells[thing]?.seen);
    const last = drawn[before]?.cells[thing];
    if (drawn[k]?.cells[thing]?.seen || !last || last.kind !== kind) return null;
    if (drawn.slice(before + 1, k).some(({ flown }) => flown.includes(block))) return null;
    return drawn[k]?.flown.includes(block) ? "fixed" : "not surveyed";
  }

  it("adds up what a person with a pocket calculator does", async () => {
    const kinds = ["hot_spot", "pid", "string"];
    const cell = fc.record({ kind: fc.constantFrom(...kinds, null), seen: fc.boolean() });
    const capture = fc.record({
      cells: fc.array(cell, { minLength: 6, maxLength: 6 }),
      flown: fc.subarray([0, 1, 2, 3], { minLength: 1 }),
    });
    const shares = fc.dictionary(fc.constantFrom(...kinds), fc.double({ min: 0, max: 1, noNaN: true }));
    const counts = fc.dictionary(fc.constantFrom(...kinds), fc.integer({ min: 0, max: 30 }));
    const places = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 });
    const drawnSites = fc.tuple(fc.array(capture, { minLength: 1, maxLength: 4 }), shares, counts, places);
    await fc.assert(
      fc.asyncProperty(drawnSites, async ([drawn, share, count, blocks]) => {
        const seen = drawn.map(({ cells }) =>
          cells.flatMap(({ kind, seen }, thing) =>
            seen ? [{ north: 100 * (blocks[thing] as number) + 5 * thing, kind }] : [],
          ),
        );
        const source = siteOf(
          seen,
          drawn.map(({ flown }) => flown),
        );
        const given = { classes: "Class", maxDistance: 1, factors: share, modules: count, ratedPower: 400 };
        const layers = await layersOf(source, drawn.length);
        const answer = await inspection(layers, { ...given, coverage: source, by: ["capture", "class"] });
        const expected = drawn.flatMap(({ cells }, k) =>
          [...kinds, null].flatMap((kind) => {
            const own = cells.filter((cell) => cell.seen && cell.kind === kind).length;
            const gone = blocks.map((block, thing) => missed(drawn, k, thing, block, kind));
            const fixed = gone.filter((status) => status === "fixed").length;
            const blind = gone.filter((status) => status === "not surveyed").length;
            if (own + fixed + blind === 0) return [];
            const size = count[String(kind)] ?? Number.NaN;
            const kw = (size * 400 * (share[String(kind)] ?? Number.NaN)) / 1000;
            const sum = (each: number) => (own === 0 ? 0 : Number.isNaN(each) ? null : expect.closeTo(own * each, 8));
            return [[k + 1, kind, own, sum(size), sum(kw), fixed, blind]];
          }),
        );
        const names = ["capture", "class", "anomalies", "modules", "affected_kw", "fixed", "not_surveyed"];
        expect(pick(answer, ...names)).toEqual(expected);
      }),
      { numRuns: randomRuns(150) },
    );
  });
});
