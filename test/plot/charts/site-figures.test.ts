import { table } from "arquero";
import { beforeAll, describe, expect, it } from "vitest";
import { compareCaptures, fromRecords, inspection, type Layer, provenanceOf } from "../../../src/index.js";
import { captureChanges, pareto, progressBars } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { frameFacts } from "../../tables/display/frame-facts.js";
import { labelOf } from "../figure-words.js";
import { decodePng } from "../png/decode-png.js";

/** A row of a report. */
interface Row {
  readonly component?: string;
  readonly block?: string;
  readonly contracted: number;
  readonly unit: string | null;
  readonly earned: number;
  readonly change: number | null;
  readonly planned: number | null;
}

function report(rows: readonly Row[]) {
  const of = (name: string, key: "component" | "block") =>
    rows.some((row) => row[key] !== undefined) ? { [name]: rows.map((row) => row[key]) } : {};
  return table({
    ...of("component", "component"),
    ...of("Block", "block"),
    features: rows.map(() => 1),
    contracted: rows.map((row) => row.contracted),
    unit: rows.map(({ unit }) => unit),
    earned: rows.map(({ earned }) => earned),
    percent: rows.map((row) => row.earned / row.contracted),
    change: rows.map((row) => row.change),
    planned: rows.map(({ planned }) => planned),
  });
}

const row = { component: "Roads", contracted: 200, unit: "m", earned: 50, change: 10, planned: 80 };

describe("progressBars", () => {
  it("keeps its bars at any height", () => {
    const rows = report([row, { ...row, component: "Panels" }]);
    const bars = (height: number) => {
      const drawn = progressBars(rows, { height })
        .toSVG()
        .matchAll(/<rect(?=[^>]* x=)[^>]* height="([\d.]+)"/g);
      return [...drawn].map(([, tall]) => Number(tall));
    };
    expect(bars(100).length).toBeGreaterThan(3);
    for (const height of [10, 100, 400]) expect(Math.min(...bars(height))).toBeGreaterThanOrEqual(3);
    expect(Math.max(...bars(400))).toBeGreaterThan(Math.max(...bars(100)));
  });

  it("shows percent, plan, quantity and change", () => {
    const figure = progressBars(report([row, { ...row, component: "Panels", unit: "features", planned: null }]));
    expect(labelOf(figure)).toBe("Bars of progress: Roads 25% (planned 40%), Panels 25%.");
    const svg = figure.toSVG();
    for (const text of ["25% · 50 of 200 m (+10)", "25% · 50 of 200 features (+10)", "since the last report"]) {
      expect(svg).toContain(text);
    }
    expect(svg).not.toContain("decrease");
  });

  it("draws quantities of one unit, or of one component without unit", () => {
    const unknown = { ...row, unit: null };
    const alone = progressBars(report([unknown]), { measure: "quantity" });
    expect(alone.toSVG()).toContain("25% · 50 of 200 (+10)");
    expect(alone.toSVG()).not.toContain("null");
    const blocks = ["A", "B"].map((block) => ({ ...unknown, block }));
    expect(progressBars(report(blocks), { measure: "quantity" }).scale("x")?.domain).toEqual([0, 200]);
    const both = report([unknown, { ...unknown, component: "Panels" }]);
    expect(progressBars(both).toSVG()).toContain("25% · 50 of 200 (+10)");
    expect(() => progressBars(both, { measure: "quantity" })).toThrow(
      expect.objectContaining({
        message: "progressBars(): unknown unit of Roads, Panels.",
        hint: 'Set it: progress(…, { unit: { "Roads": "m", … } }), or omit measure to show percent.',
      }),
    );
    expect(() => progressBars(report([row, { ...unknown, component: "Panels" }]), { measure: "quantity" })).toThrow(
      "unknown unit of Panels.",
    );
  });

  it("shows backward work, more than all, nearly all, nothing, and a missing plan", () => {
    const odd = progressBars(
      report([
        { ...row, change: -30 },
        { ...row, component: "More", earned: 300 },
        { ...row, component: "Nearly", earned: 199.99, change: 0, planned: null },
        { ...row, component: "None", contracted: 0, earned: 0, change: null, planned: null },
      ]),
    );
    for (const text of ["decrease", "(−30)", "150%", "99.9% · 200 of 200 m", "– · 0 of 0 m"]) {
      expect(odd.toSVG()).toContain(text);
    }
    const first = progressBars(report([{ ...row, change: null, planned: null }])).toSVG();
    expect(first).not.toMatch(/earned before|planned/);
    expect(labelOf(progressBars(report([row]).filter("d => false")))).toBe("Bars of progress: none.");
  });

  it("groups blocks below their components, and draws at most 60 rows", () => {
    const blocks = ["Roads", "Fences"].flatMap((component) =>
      ["A", "B"].map((block) => ({ ...row, component, block })),
    );
    const svg = progressBars(report(blocks)).toSVG();
    expect(svg.match(/>Roads</g)).toHaveLength(1);
    expect(svg.match(/>A</g)).toHaveLength(2);
    const many = Array.from({ length: 61 }, (_, at) => ({ ...row, component: `Part ${at}` }));
    expect(progressBars(report(many)).toSVG()).toContain("the first 60 of 61");
    expect(progressBars(report(many.slice(1))).toSVG()).not.toContain("the first 60");
  });

  it("shows the whole row of a bar in its tip", async () => {
    const facts = JSON.stringify(frameFacts(String((await toMimeBundle(progressBars(report([row]))))["text/html"])));
    for (const text of ["50 m", "200 m", "+10", "25%", "40%"]) expect(facts).toContain(text);
  });

  it("rejects several units, and draws the stages of a table", async () => {
    const mixed = report([row, { ...row, component: "Panels", unit: "features" }]);
    expect(() => progressBars(mixed, { measure: "quantity" })).toThrow("quantities have several units: m, features");
    expect(progressBars(report([row]), { measure: "quantity" }).toSVG()).toContain("in m; line: planned");
    expect(() => progressBars(report([row]), { stages: true })).toThrow("the table has no stages");
    const source = fromRecords({
      layerFeatures: [1, 2, 3].map((id) => feature(id, { created_at: "2024-01-01T00:00:00Z" })),
      propertyChanges: [
        ...[1, 2, 3].map((id) =>
          change(id, { layer_feature_id: id, new_value: "OPEN", created_at: "2024-02-01T00:00:00Z" }),
        ),
        change(4, { layer_feature_id: 1, new_value: "CLOSED", created_at: "2024-03-02T00:00:00Z" }),
        change(5, { layer_feature_id: 2, new_value: "DUG", created_at: "2024-03-02T00:00:00Z" }),
      ],
      datasets: [dataset(1)],
    });
    const history = await source.history({ site_id: 12 });
    const staged = history.progress("STATUS", { credits: { OPEN: 0, DUG: 0.5, CLOSED: 1 } });
    const figure = progressBars(staged, { stages: true });
    for (const text of ["DUG", "CLOSED", "dot: earned", "50% · 1.5 of 3 features"])
      expect(figure.toSVG()).toContain(text);
    expect(figure.toSVG()).not.toContain(">OPEN<");
    expect(provenanceOf(figure)).toEqual(history.provenance);
    expect(decodePng(await figure.toPNG({ scale: 1 })).width).toBeGreaterThan(700);
  });
});

const kind = uuid(1, "cccccccc");
let layers: readonly Layer[];

beforeAll(async () => {
  const spot = (id: number, dataset_id: number, place: number, name: string) =>
    feature(id, {
      dataset_id,
      semantic_type: "SOLAR_ANOMALIES",
      properties: { [kind]: name },
      geometry: { type: "Point", coordinates: [11 + place / 1000, 48] },
    });
  const source = fromRecords({
    datasets: [dataset(1), dataset(2), dataset(3)],
    propertyDefinitions: [definition(kind, "Class", { type: "STRING" })],
    propertyChanges: [],
    layerFeatures: [
      spot(1, 2, 1, "hot spot"),
      spot(2, 2, 2, "string"),
      spot(3, 3, 1, "hot spot"),
      spot(4, 3, 3, "hot spot"),
      spot(5, 3, 4, "shadow"),
    ],
  });
  // The first flight found nothing.
  layers = await Promise.all([1, 2, 3].map((dataset_id) => source.layer({ dataset_id })));
});

const asked = {
  classColumn: "Class",
  maxMeters: 1,
  factors: { "hot spot": 0.5, string: 1 },
  modules: 1,
  ratedPower: 500,
  labels: ["May", "June", "July"],
} as const;

describe("pareto", () => {
  it("draws an inspection, largest first, with the cumulative share", async () => {
    const found = await inspection(layers, { ...asked, by: "class" });
    const figure = pareto(found);
    expect(labelOf(figure)).toBe(
      "Pareto chart of Affected power by class, with the cumulative share: hot spot 0.5 (100%), shadow not known.",
    );
    expect(figure.toSVG()).toContain("Unknown for 1 anomaly, not in the sums.");
    expect(provenanceOf(figure)).toEqual(provenanceOf(found));
    expect(labelOf(pareto(found, { measure: "anomalies" }))).toContain("hot spot 2 (67%), shadow 1 (100%)");
    const each = await inspection(layers, { ...asked, by: ["class", "capture"] });
    // Its last row is of June.
    expect(pareto(each, { measure: "anomalies" }).toSVG()).toContain("3 anomalies in July; line: cumulative share");
    const unknown = await inspection(layers, { ...asked, factors: {}, by: "class" });
    expect(labelOf(pareto(unknown))).toContain("Anomalies by class");
    expect(() => pareto(found.select("class", "anomalies"))).toThrow("pareto(): by must be a column or columns");
    const captures = await inspection(layers, asked);
    expect(() => pareto(captures)).toThrow("the inspection is by capture only");
  });

  it("draws the cumulative share as one line from bar to bar, against an axis of percent", () => {
    const losses = table({ Class: ["a", "b", "c", "d", "e"], loss: [1, 60, 26, null, 13] });
    const svg = pareto(losses, { by: "Class", measure: "loss", unit: "kWh" }).toSVG();
    const [, group = ""] = /<g [^>]*aria-label="line"[^>]*>(.*?)<\/g>/s.exec(svg) ?? [];
    const paths = group.match(/<path[^>]*>/g) ?? [];
    expect(paths).toHaveLength(1);
    const places = [...(paths[0] ?? "").matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [
      Number(x),
      Number(y),
    ]);
    expect(places).toHaveLength(4);
    const [left = 0, right = 0] = [130, 590];
    const shares = places.map(([x = 0]) => Math.round((100 * (x - left)) / (right - left)));
    expect(shares).toEqual([60, 86, 99, 100]);
    for (const share of [0, 25, 50, 75, 100]) expect(svg).toContain(`${share}%</text>`);
  });

  it("shows 100% only for all", () => {
    const losses = table({ Class: ["a", "b"], loss: [997, 3] });
    const figure = pareto(losses, { by: "Class", measure: "loss", unit: "kWh" });
    expect(labelOf(figure)).toContain("a 997 (99%), b 3 (100%)");
    expect(figure.toSVG()).not.toContain("997 · 100%");
  });

  it("adds up any column of a layer or table", () => {
    const losses = table({ Class: ["a", "b", "a", null, "c"], loss: [1, 6, 2, 1, null] });
    expect(labelOf(pareto(losses, { by: "Class", measure: "loss", unit: "kWh a year" }))).toBe(
      "Pareto chart of loss by Class, with the cumulative share: b 6 (60%), a 3 (90%), none 1 (100%), c not known.",
    );
    expect(() => pareto(losses, { by: "Class" })).toThrow("measure is missing");
    expect(() => pareto(table({ a: ["x"], b: [-1] }), { by: "a", measure: "b" })).toThrow("b of row 0 is -1");
    const many = table({
      a: Array.from({ length: 30 }, (_, at) => `k${at}`),
      b: Array.from({ length: 30 }, (_, at) => 30 - at),
    });
    expect(labelOf(pareto(many, { by: "a", measure: "b" }))).toContain("k18 12 (86%), 11 others 66 (100%).");
    expect(labelOf(pareto(many.filter("d => false"), { by: "a", measure: "b" }))).toContain("none.");
  });
});

describe("captureChanges", () => {
  it("draws the status of anomalies, from an inspection or a comparison", async () => {
    const found = await inspection(layers, asked);
    const figure = captureChanges(found);
    expect(labelOf(figure)).toBe(
      "Stacked bars of anomalies by capture and status: June: 0 persistent, 2 new, 0 fixed; July: 1 persistent, 2 new, 1 fixed.",
    );
    expect(figure.toSVG()).toContain("the first, May, had 0");
    expect(provenanceOf(figure)).toEqual(provenanceOf(found));
    const compared = await compareCaptures(layers.slice(1), { maxMeters: 1, labels: ["June", "July"] });
    expect(labelOf(captureChanges(compared))).toContain("July: 1 persistent, 2 new, 1 fixed.");
    expect(captureChanges(compared).toSVG()).toContain("the first, June, had 2");
    expect(labelOf(captureChanges(compared, { first: true }))).toContain("June: 0 persistent, 2 new, 0 fixed;");
    expect(labelOf(captureChanges(found, { measure: "affected_kw" }))).toContain(
      "July: 0.25 persistent, 0.25 new, 0.5 fixed",
    );
    expect(captureChanges(found, { measure: "affected_kw" }).toSVG()).toContain("Unknown for 1 anomaly");
    expect(() => captureChanges(compared, { measure: "modules" })).toThrow('no column "modules"');
    expect(labelOf(captureChanges(compared.filter("d => false")))).toContain("none.");
  });

  it("hatches anomalies that were not_surveyed", () => {
    const seen = table({ capture: ["a", "b", "b", "b"], status: ["new", "persistent", "not_surveyed", "fixed"] });
    const svg = captureChanges(seen).toSVG();
    expect(svg).toContain("url(#siteframe-hatch)");
    expect(svg).toContain("not surveyed");
  });
});
