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
import { mockRecords } from "../../client/mock-records.js";
import { randomRuns } from "../../support/random-runs.js";
import { dataset, definition, feature, uuid } from "../../support/records.js";
import { polygon, ring } from "../shapes.js";

type Row = Readonly<Record<string, unknown>>;

/** An anomaly: its distance to the north in meters, its class, and other values. */
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

/** A park with a field for every 100 m to the north: block 0 from −50 m to 50 m, block 1 from 50 m to 150 m, … */
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
    sites: mockRecords("sites", 1).map((site) => ({ ...site, id: 12, peak_power })) as never,
  });
}

function field(block: number): Polygon {
  const degree = 1 / 111_195;
  return polygon(ring(10.9, 48 + (100 * block - 50) * degree, 0.2, 100 * degree));
}

function layersOf(source: Source, count: number): Promise<readonly Layer[]> {
  return Promise.all(Array.from({ length: count }, (_, capture) => source.layer({ operation_id: capture + 70 })));
}

async function inspect(captures: readonly (readonly Found[])[], given: Partial<InspectionOptions> = {}) {
  return inspection(await layersOf(siteOf(captures), captures.length), {
    classColumn: "Class",
    maxMeters: 1,
    ...given,
  });
}

const rows = (table: ColumnTable) => table.objects() as Row[];
const pick = (table: ColumnTable, ...names: string[]) => rows(table).map((row) => names.map((name) => row[name]));

const factors = { hot_spot: 0.1, string: 1 };
const modules = { hot_spot: 1, string: 20, pid: 8 };

describe("inspection()", () => {
  /** With modules of 500 W, a hot spot affects 0.05 kW and a string of 20 affects 10 kW. PID has no factor. */
  const captures: readonly (readonly Found[])[] = [
    [
      { north: 0, kind: "hot_spot" },
      { north: 10, kind: "hot_spot", status: "FIXED" },
      { north: 100, kind: "string" },
      { north: 200, kind: "pid" },
      { north: 300, kind: "hot_spot" },
    ],
    [
      // Block 3 is not surveyed, the string is fixed, the PID persists, the marked hot spot returns, another string is new.
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
    classColumn: "Class",
    maxMeters: 1,
    severityColumn: { hot_spot: 1, string: 3 },
    factors,
    modules,
    ratedPower: 500,
    yield: 1500,
    tariff: 0.05,
    modulesInspected: [4000, 3000],
    labels: ["May", "June"],
  };

  it("has modules, power, energy, money and changes as calculated by hand", async () => {
    const source = siteOf(captures, flown);
    const layers = await layersOf(source, 2);
    const table = await inspection(layers, { ...all, surveyArea: source, peakPower: source });
    expect(rows(table)).toEqual([
      {
        ...{ capture: "May", anomalies: 5, modules: 3 + 20 + 8, without_modules: 0, without_power: 1, marked_fixed: 1 },
        affected_kw: expect.closeTo(3 * 0.05 + 10, 10),
        affected_percent: expect.closeTo((100 * 10.15) / 2000, 10),
        kwh_per_year: expect.closeTo(10.15 * 1500, 8),
        money_per_year: expect.closeTo(10.15 * 1500 * 0.05, 8),
        ...{ new: 5, persistent: 0, returned: 0, fixed: 0, not_surveyed: 0 },
        ...{ anomalies_per_mwp: 2.5, anomalies_per_1000_modules: 1.25 },
        modules_per_1000_modules: expect.closeTo(31 / 4, 10),
      },
      {
        ...{
          capture: "June",
          anomalies: 4,
          modules: 2 + 20 + 8,
          without_modules: 0,
          without_power: 1,
          marked_fixed: 0,
        },
        affected_kw: expect.closeTo(10.1, 10),
        affected_percent: expect.closeTo(0.505, 10),
        kwh_per_year: expect.closeTo(15_150, 8),
        money_per_year: expect.closeTo(757.5, 8),
        ...{ new: 1, persistent: 2, returned: 1, fixed: 1, not_surveyed: 1 },
        ...{ anomalies_per_mwp: 2, anomalies_per_1000_modules: expect.closeTo(4 / 3, 10) },
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
      ["June", "not_surveyed", 1, 1, expect.closeTo(0.05, 10), 0],
    ]);
    expect(table.diagnostics).toEqual([
      {
        code: "factor-missing",
        severity: "warning",
        count: 2,
        message: '2 anomalies have no factor ("pid": 2); their power is unknown and not in the sums.',
        facts: { classes: [{ class: "pid", count: 2 }] },
      },
      expect.objectContaining({ code: "severity-missing", count: 2 }),
    ]);
  });

  it("has its assumptions in the provenance of every table", async () => {
    const source = siteOf(captures, flown);
    const layers = await layersOf(source, 2);
    const table = await inspection(layers, { ...all, surveyArea: source, peakPower: source });
    const expected = {
      ...{ by: ["capture"], classColumn: "Class", severityColumn: { hot_spot: 1, string: 3 }, factors, modules },
      ...{ ratedPower: 500, yield: 1500, tariff: 0.05, modulesInspected: [4000, 3000] },
      ...{ peakPower: 2, peakPowerFrom: "site record", blockColumn: "polygons of the survey area" },
      ...{ surveyArea: "blocks of operations 70, 71", maxMeters: 1, relation: null, fixed: null },
      minimumIrradiance: null,
    };
    for (const one of [table, table.totals, table.changes, table.anomalies]) {
      expect(provenanceOf(one)).toEqual({ ...layers[1]?.provenance, assumptions: expected });
    }
    const bare = await inspection(layers, {
      classColumn: "Class",
      maxMeters: 1,
      modules: (row) => row["id"] as number,
    });
    expect(provenanceOf(bare)?.assumptions).toMatchObject({
      factors: null,
      modules: 'function of the row: (row) => row["id"]',
      peakPower: null,
      surveyArea: "omitted: each capture counts as covering everything",
    });
  });

  it("counts by class, severity and block, for the last capture or each", async () => {
    const source = siteOf(captures, flown);
    const layers = await layersOf(source, 2);
    const given = { ...all, surveyArea: source, peakPower: 2 };
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
      "not_surveyed",
      expect.closeTo(0.05, 10),
    ]);
  });

  it("lists each anomaly with its values", async () => {
    const source = siteOf(captures, flown);
    const layers = await layersOf(source, 2);
    const { anomalies } = await inspection(layers, { ...all, surveyArea: source, by: "class" });
    expect(anomalies.numRows()).toBe(11);
    expect(rows(anomalies).at(-1)).toEqual({
      ...{ capture: "June", chain: 6, change: "new", id: 8, visible_id: "F-8", previous_id: null },
      ...{ class: "string", severity: 3, block: "Block 1", modules: 20, rated_power_w: 500, factor: 1 },
      ...{ affected_kw: 10, marked_fixed: false, delta_t: null, delta_t_1000: null, row: null, string: null },
      ...{ module: null, thermal_image: null, rgb_image: null, longitude: 11, latitude: expect.closeTo(48.00108, 5) },
    });
  });

  it("accepts columns and functions, and counts missing values", async () => {
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
    expect(table.diagnostics.map(({ code, count }) => [code, count])).toEqual([
      ["factor-missing", 1],
      ["module-count-missing", 2],
      ["rated-power-missing", 1],
    ]);
    const called = await inspect([found], {
      factors: { hot_spot: 0.5, string: 1 },
      modules: ({ Class, Modules }) => (Class === "string" ? 24 : (Modules as number | null)),
      ratedPower: 500,
    });
    expect(pick(called, "modules", "affected_kw", "without_modules")).toEqual([[26, 0.5 + 12, 2]]);
  });

  it("has null for figures without their options", async () => {
    const table = await inspect([[{ north: 0, kind: "hot_spot" }], []], {});
    const unknown = ["modules", "affected_kw", "affected_percent", "kwh_per_year", "money_per_year"];
    expect(pick(table, "anomalies", ...unknown, "not_surveyed", "anomalies_per_mwp")).toEqual([
      [1, null, null, null, null, null, null, null],
      // Without anomalies, the sums are known.
      [0, 0, 0, null, null, null, null, null],
    ]);
    expect(table.diagnostics).toEqual([]);
  });

  it("reports unknown classes, a missing peak power and wrong units", async () => {
    const found = [[{ north: 0, kind: "string" }]];
    const slip = await inspect(found, { factors: { strings: 1 } });
    expect(slip.diagnostics).toMatchObject([{ code: "factor-missing", message: expect.stringContaining("strings") }]);
    const none = siteOf(found, undefined, null);
    const layers = await layersOf(none, 1);
    const unset = await inspection(layers, { classColumn: "Class", peakPower: none });
    expect(pick(unset, "anomalies_per_mwp")).toEqual([[null]]);
    expect(unset.diagnostics.map(({ code }) => code)).toEqual(["peak-power-missing"]);
    const powers = fromRecords({
      layerFeatures: [12, 13].map((site_id) => feature(site_id, { site_id, semantic_type: "SOLAR_ANOMALIES" })),
      datasets: [dataset(1)],
    });
    const two = { sites: async () => aq.table({ id: [12, 13], peak_power: [2, null] }) } as never;
    const partly = await inspection([await powers.layer({ semantic_type: "SOLAR_ANOMALIES" })], {
      classColumn: "id",
      peakPower: two,
    });
    expect(pick(partly, "anomalies_per_mwp")).toEqual([[null]]);
    const units = await inspect(found, { factors, modules, ratedPower: 500, peakPower: 0.002 });
    expect(units.diagnostics.map(({ code }) => code)).toEqual(["power-above-peak"]);
    const site = await siteOf(found).site(12);
    expect(pick(await inspect(found, { peakPower: site }), "anomalies_per_mwp")).toEqual([[0.5]]);
  });

  it.each<[Record<string, unknown> | undefined, string]>([
    [{ classColumn: undefined }, "classColumn must be the name of a column, got undefined"],
    [{ classColumn: "Clas" }, 'Did you mean "Class"?'],
    [{ modules: "Module" }, 'Did you mean "Modules"?'],
    [
      { factors: { "hot spot in a cell": 0.1, "bypass diode": 0.33, "whole string of modules": 1, diode: 33 } },
      'factors must be a share from 0 to 1 for each class, such as { hot_spot: 0.1, string: 1 }, but got 33 for "diode". Write 33 % as 0.33.',
    ],
    [{ factors: 5 }, "such as { hot_spot: 0.1, string: 1 }, but got 5."],
    [{ modules: { hot: 1, string: -1 } }, 'a function of the row, but got -1 for "string".'],
    [{ ratedPower: { string: "410" } }, 'but got "410" for "string".'],
    [{ severityColumn: { string: null } }, 'but got null for "string".'],
    [{ ratedPower: 0 }, "ratedPower must be a number in W above 0"],
    [{ peakPower: "2" }, "peakPower must be a number in MWp above 0"],
    [{ yield: -1 }, "yield must be"],
    [{ tarif: 1 }, "Did you mean tariff?"],
    [{ by: "clas" }, 'Did you mean "class"?'],
    [{ by: [] }, "by must be"],
    [{ by: ["class", "class"] }, "by must be"],
    [{ by: "severity" }, "Set a column or a severity for each class"],
    [{ by: "block" }, 'by: "block" needs'],
    [{ modulesInspected: [1, 2, 3] }, "got 3 for 2 layers"],
    [{ maxMeters: undefined }, "maxMeters must be a number of meters above 0, got undefined"],
    [{ labels: ["a"] }, "one unique name per layer"],
    [{ surveyArea: 7 }, "surveyArea of inspection() needs geometries, got 7"],
  ])("refuses %j", async (given, message) => {
    const refusal = await inspect([[{ north: 0, kind: "string", modules: 1 }], []], given as never).catch(String);
    expect(refusal).toContain("ArgumentError");
    expect(refusal).toContain(message);
  });

  it("refuses other values than layers", async () => {
    for (const layers of [undefined, [], [7]]) {
      await expect(inspection(layers as never, { classColumn: "Class" })).rejects.toThrow(/needs an array of layers/);
    }
    await expect(inspection([] as never, undefined as never)).rejects.toThrow(/classColumn must be/);
  });

  /** Six anomalies at fixed locations: their class and presence in a capture. */
  interface Drawn {
    readonly cells: readonly { readonly kind: string | null; readonly seen: boolean }[];
    readonly flown: readonly number[];
  }

  /** The status of an anomaly of a class in a capture without it. */
  function missed(drawn: readonly Drawn[], k: number, thing: number, block: number, kind: string | null) {
    const before = drawn.slice(0, k).findLastIndex(({ cells }) => cells[thing]?.seen);
    const last = drawn[before]?.cells[thing];
    if (drawn[k]?.cells[thing]?.seen || !last || last.kind !== kind) return null;
    if (drawn.slice(before + 1, k).some(({ flown }) => flown.includes(block))) return null;
    return drawn[k]?.flown.includes(block) ? "fixed" : "not_surveyed";
  }

  it("agrees with naive sums", async () => {
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
        const given = { classColumn: "Class", maxMeters: 1, factors: share, modules: count, ratedPower: 400 };
        const layers = await layersOf(source, drawn.length);
        const answer = await inspection(layers, { ...given, surveyArea: source, by: ["capture", "class"] });
        const expected = drawn.flatMap(({ cells }, k) =>
          [...kinds, null].flatMap((kind) => {
            const own = cells.filter((cell) => cell.seen && cell.kind === kind).length;
            const gone = blocks.map((block, thing) => missed(drawn, k, thing, block, kind));
            const fixed = gone.filter((status) => status === "fixed").length;
            const blind = gone.filter((status) => status === "not_surveyed").length;
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
