import fc from "fast-check";
import type { Polygon } from "geojson";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/core/provenance.js";
import { compareCaptures } from "../../../src/layer/compare-captures.js";
import type { Layer } from "../../../src/layer/layer.js";
import { connect } from "../../../src/source/connect.js";
import { fromRecords } from "../../../src/source/from-records.js";
import type { Source } from "../../../src/source/source.js";
import { randomRuns } from "../../support/random-runs.js";
import { dataset, feature } from "../../support/records.js";
import { type SampleService, startSampleService } from "../../support/sample-service.js";
import { multi, polygon, ring } from "../shapes.js";

/** The latitude of a distance to the north, in meters. */
const degrees = (north: number): number => 48 + north / 111_195;

/** A field between two distances to the north, in meters. */
function field(from: number, to: number): Polygon {
  return polygon(ring(10.9, degrees(from), 0.2, degrees(to) - degrees(from)));
}

/** A feature of a capture: its distance to the north in meters, and its status. */
interface Seen {
  readonly north: number | null;
  readonly status?: string;
}

/** Captures of operations 70, 71, …, with their features and the surveyed fields. */
function siteOf(captures: readonly (readonly Seen[])[], fields: readonly (readonly Polygon[])[] = []): Source {
  let id = 0;
  return fromRecords({
    layerFeatures: captures.flatMap((seen, capture) =>
      seen.map(({ north, status = "OPEN" }) =>
        feature(++id, {
          dataset_id: capture + 1,
          operation_id: capture + 70,
          geometry: north === null ? null : { type: "Point", coordinates: [11, degrees(north)] },
          properties: { STATUS: status },
        } as never),
      ),
    ),
    datasets: captures.map((_, capture) => dataset(capture + 1, { operation_id: capture + 70 })),
    blocks: fields.flatMap((all, capture) =>
      all.map((geo_boundaries, index) => ({
        id: 1000 * capture + index,
        operation_id: capture + 70,
        polygon_id: index,
        name: `Block ${index}`,
        geo_boundaries,
      })),
    ),
  });
}

function layersOf(source: Source, captures: readonly unknown[]): Promise<readonly Layer[]> {
  return Promise.all(captures.map((_, capture) => source.layer({ operation_id: capture + 70 })));
}

type Row = Readonly<Record<string, unknown>>;

async function compare(layers: readonly Layer[], options: object = {}) {
  const table = await compareCaptures(layers, { maxMeters: 1, ...options });
  return { table, rows: table.objects() as Row[] };
}

/** `capture chain status id` of each row. */
async function lines(layers: readonly Layer[], options: object): Promise<readonly string[]> {
  const { rows } = await compare(layers, options);
  return rows.map((row) => [row["capture"], row["chain"], row["status"], row["id"] ?? "-"].join(" "));
}

describe("survey area of compareCaptures()", () => {
  const none = { type: "FeatureCollection", features: [] };
  const all = field(-50, 1000);
  const north = field(50, 1000);

  it("has features outside of the survey area as not surveyed, never as fixed", async () => {
    const captures = [
      [{ north: 0 }, { north: 100 }, { north: 200 }, { north: 300 }],
      [{ north: 100 }],
      [{ north: 0 }, { north: 300 }, { north: 400 }],
      [],
    ];
    const fields = [[all], [north], [all], [north]];
    const source = siteOf(captures, fields);
    const layers = await layersOf(source, captures);
    const expected = [
      "1 1 new 1",
      "1 2 new 2",
      "1 3 new 3",
      "1 4 new 4",
      "2 1 not_surveyed -",
      "2 2 persistent 5",
      "2 3 fixed -",
      "2 4 fixed -",
      // The place was not surveyed meanwhile, so the feature persists.
      "3 1 persistent 6",
      "3 2 fixed -",
      "3 4 returned 7",
      "3 5 new 8",
      "4 1 not_surveyed -",
      "4 4 fixed -",
      "4 5 fixed -",
    ];
    expect(await lines(layers, { surveyArea: source })).toEqual(expected);
    const blocks = await source.blocks({ operation_id: [70, 71, 72, 73] });
    expect(await lines(layers, { surveyArea: blocks })).toEqual(expected);
    expect(await lines(layers, { surveyArea: [all, north, all, north] })).toEqual(expected);
    const features = [all, north, all, north].map((geometry, capture) => ({
      ...{ type: "Feature", geometry, properties: { operation_id: capture + 70 } },
    }));
    expect(await lines(layers, { surveyArea: { type: "FeatureCollection", features } })).toEqual(expected);
    expect((await compare(layers)).table.columnNames()).not.toContain("surveyed_before");
    const { table } = await compare(layers, { surveyArea: source });
    expect(table.diagnostics).toEqual([]);
    expect(provenanceOf(table)).toMatchObject({
      origin: layers[3]?.origin,
      assumptions: { maxMeters: 1, surveyArea: "blocks of operations 70, 71, 72, 73" },
    });
  });

  it("prefers features outside of the survey area to features that are gone", async () => {
    const captures = [[{ north: 0 }], [{ north: 1.5 }], [{ north: 0.9 }]];
    const layers = await layersOf(siteOf(captures), captures);
    // In the second capture, the first feature is gone or outside of the coverage.
    const first = await lines(layers, { surveyArea: [all, all, all] });
    expect(first).toContain("3 2 persistent 3");
    const [near, far] = [field(-1, 0.5), field(1, 2)];
    const blind = [[{ north: 0 }], [{ north: 1.5 }], [{ north: 0.7 }]];
    const others = await layersOf(siteOf(blind), blind);
    expect(await lines(others, { surveyArea: [near, all, all] })).toContain("3 2 persistent 3");
    expect(await lines(others, { surveyArea: [near, far, all] })).toContain("3 1 persistent 3");
  });

  it("reports captures without coverage, malformed polygons, and features outside of the coverage", async () => {
    const captures = [[{ north: 0 }, { north: 100 }], [{ north: 100 }]];
    const source = siteOf(captures, [[north], []]);
    const layers = await layersOf(source, captures);
    const { table } = await compare(layers, { surveyArea: source, labels: ["May", "June"] });
    expect(table.array("status")).toEqual(["new", "new", "not_surveyed", "persistent"]);
    expect(table.diagnostics).toMatchObject([
      { code: "survey-area-missing", count: 1, facts: { captures: ["June"] } },
      { code: "feature-outside-survey-area", count: 1, facts: { captures: ["May"], counts: [1] } },
    ]);
    const blind = await layersOf(siteOf([[{ north: null }], []]), [0, 1]);
    const { table: placeless } = await compare(blind, { surveyArea: [all, all] });
    expect(placeless.array("status")).toEqual(["new", "not_surveyed"]);
    expect(placeless.array("surveyed_before")).toEqual([null, null]);
    expect(placeless.diagnostics).toMatchObject([{ code: "location-missing", count: 1 }]);
    const features = [all, null].map((geometry) => ({ type: "Feature", geometry, properties: {} }));
    const half = await compare(layers, { surveyArea: [{ type: "FeatureCollection", features }, none] });
    expect(half.table.diagnostics.map(({ code }) => code)).toEqual(["survey-area-missing", "geometry-malformed"]);
  });

  it("accepts rings that are not closed", async () => {
    const captures = [[{ north: 0 }], []];
    const layers = await layersOf(siteOf(captures), captures);
    const open = polygon((all.coordinates[0] ?? []).slice(0, 4));
    for (const one of [open, multi(open)]) {
      expect(await lines(layers, { surveyArea: [one, one] })).toEqual(["1 1 new 1", "2 1 fixed -"]);
    }
  });

  it.each<[unknown, string]>([
    [[], "must have polygons for each layer, got 0 for 2 layers"],
    [[field(0, 1)], "got 1 for 2 layers"],
    [field(0, 1), "has no column operation_id"],
    [none, "has no polygons for any capture"],
    [7, "surveyArea of compareCaptures() needs geometries, got 7"],
    [[7, 8], "needs geometries, got 7"],
    [[none, none], "has no polygons for any capture"],
  ])("refuses %j", async (surveyArea, message) => {
    const captures = [[{ north: 0 }], [{ north: 0 }]];
    const layers = await layersOf(siteOf(captures), captures);
    const refusal = await compare(layers, { surveyArea }).catch(String);
    expect(refusal).toContain("ArgumentError");
    expect(refusal).toContain(message);
  });

  it("refuses a source without blocks, and layers without an operation", async () => {
    const captures = [[{ north: 0 }], [{ north: 0 }]];
    const source = siteOf(captures);
    const layers = await layersOf(source, captures);
    await expect(compare(layers, { surveyArea: source })).rejects.toThrow(
      /no polygons for any capture: blocks of operations 70, 71/,
    );
    const ofSite = fromRecords({ layerFeatures: [feature(1)] });
    const layer = await ofSite.layer({ site_id: 12 });
    await expect(compare([layer, layer], { surveyArea: source })).rejects.toThrow(
      /unknown operation of the layer of capture 1/,
    );
  });

  it("agrees with the rules for each feature", async () => {
    const things = 4;
    const cell = fc.record({ seen: fc.boolean(), flown: fc.boolean(), fixed: fc.boolean() });
    const capture = fc.array(cell, { minLength: things, maxLength: things });
    await fc.assert(
      fc.asyncProperty(fc.array(capture, { minLength: 2, maxLength: 6 }), async (captures) => {
        const seen = captures.map((cells) =>
          cells.flatMap(({ seen, fixed }, thing) =>
            seen ? [{ north: 100 * thing, status: fixed ? "FIXED" : "OPEN" }] : [],
          ),
        );
        // The field far away is empty.
        const fields = captures.map((cells) => [
          field(-1000, -900),
          ...cells.flatMap(({ flown }, thing) => (flown ? [field(100 * thing - 10, 100 * thing + 10)] : [])),
        ]);
        const source = siteOf(seen, fields);
        const layers = await layersOf(source, seen);
        const { rows } = await compare(layers, { surveyArea: source });
        const names = ["capture", "status", "surveyed_before", "marked_fixed"];
        const found = rows.map((row) => names.map((name) => row[name]).join(" "));
        const lives = Array.from({ length: things }, (_, thing) => captures.map((cells) => cells[thing] as Cell));
        const expected = lives.flatMap((life) => life.flatMap((_, k) => lifeOf(life, k)));
        expect(found.sort()).toEqual(expected.sort());
      }),
      { numRuns: randomRuns(200) },
    );
  });
});

/** A feature in a capture. */
interface Cell {
  readonly seen: boolean;
  readonly flown: boolean;
  readonly fixed: boolean;
}

/** The row of a feature in one capture by the rules, if any. */
function lifeOf(life: readonly Cell[], k: number): readonly string[] {
  const { seen, flown, fixed } = life[k] as Cell;
  const before = life.slice(0, k).findLastIndex((cell) => cell.seen);
  const isMarked = seen ? fixed : life[before]?.fixed;
  const line = (status: string) => [`${k + 1} ${status} ${life.slice(0, k).some((cell) => cell.flown)} ${isMarked}`];
  if (before < 0) return seen ? line("new") : [];
  const wasGone = life.slice(before + 1, k).some((cell) => cell.flown);
  if (seen) return line(wasGone || (life[before]?.fixed && !fixed) ? "returned" : "persistent");
  if (wasGone) return [];
  return line(flown ? "fixed" : "not_surveyed");
}

describe("survey area of the sample company", () => {
  let service: SampleService;
  let live: Source;

  beforeAll(async () => {
    service = await startSampleService();
    live = connect({ baseUrl: service.url, apiKey: service.apiKey });
  });

  afterAll(async () => {
    await live.close();
    await service.close();
  });

  it("is read from the source, and changes nothing if everything was surveyed", async () => {
    const layers = await Promise.all(
      [2006, 2009, 2011].map((operation_id) => live.layer({ operation_id, semantic_type: "SOLAR_ANOMALIES" })),
    );
    const options = { maxMeters: 1, relation: "Previous finding" };
    const after = await compare(layers, { ...options, surveyArea: live });
    expect(after.table.diagnostics).toEqual([]);
    expect(after.rows).toMatchObject((await compare(layers, options)).rows);
  });
});
