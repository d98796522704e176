import fc from "fast-check";
import type { FeatureCollection, MultiPolygon, Polygon } from "geojson";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/core/provenance.js";
import type { CaptureOptions } from "../../../src/layer/captures.js";
import { compareCaptures } from "../../../src/layer/compare-captures.js";
import type { Layer } from "../../../src/layer/layer.js";
import { connect } from "../../../src/source/connect.js";
import { fromRecords } from "../../../src/source/from-records.js";
import type { Source } from "../../../src/source/source.js";
import { randomRuns } from "../../support/random-runs.js";
import { dataset, feature } from "../../support/records.js";
import { type SampleService, startSampleService } from "../../support/sample-service.js";

/** Degrees of latitude of so many metres, about. */
const degrees = (north: number): number => 48 + north / 111_195;

/** A field from so many metres north to so many. */
function field(from: number, to: number): Polygon {
  const [south, north] = [degrees(from), degrees(to)];
  const ring = [
    [10.9, south],
    [11.1, south],
    [11.1, north],
    [10.9, north],
    [10.9, south],
  ];
  return { type: "Polygon", coordinates: [ring] };
}

/** A thing that a capture shows: its place in metres north, and its status. */
interface Seen {
  readonly north: number | null;
  readonly status?: string;
}

/** Captures of operations 70, 71, …, each with what it shows and the fields that it was flown over. */
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

async function told(layers: readonly Layer[], options: Partial<CaptureOptions>): Promise<readonly string[]> {
  const table = await compareCaptures(layers, { maxDistance: 1, ...options });
  const rows = table.objects() as Readonly<Record<string, unknown>>[];
  return rows.map((row) => [row["capture"], row["chain"], row["status"], row["id"] ?? "-"].join(" "));
}

describe("coverage of compareCaptures()", () => {
  const all = field(-50, 1000);
  const north = field(50, 1000);

  it("tells what is not surveyed, and never that it is fixed", async () => {
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
      "2 1 not surveyed -",
      "2 2 persistent 5",
      "2 3 fixed -",
      "2 4 fixed -",
      // Nobody looked meanwhile, so that it never was away.
      "3 1 persistent 6",
      "3 2 fixed -",
      "3 4 returned 7",
      "3 5 new 8",
      "4 1 not surveyed -",
      "4 4 fixed -",
      "4 5 fixed -",
    ];
    expect(await told(layers, { coverage: source })).toEqual(expected);
    const blocks = await source.blocks({ operation_id: [70, 71, 72, 73] });
    expect(await told(layers, { coverage: blocks })).toEqual(expected);
    expect(await told(layers, { coverage: [all, north, all, north] })).toEqual(expected);
    const collection: FeatureCollection = {
      type: "FeatureCollection",
      features: [all, north, all, north].map((geometry, capture) => ({
        type: "Feature",
        geometry,
        properties: { operation_id: capture + 70 },
      })),
    };
    expect(await told(layers, { coverage: collection })).toEqual(expected);
    const table = await compareCaptures(layers, { maxDistance: 1, coverage: source });
    expect(table.findings).toEqual([]);
    expect(provenanceOf(table)).toMatchObject({
      origin: layers[3]?.origin,
      assumptions: { maxDistance: 1, coverage: "blocks of operations 70, 71, 72, 73" },
    });
  });

  it("tells it for as long as nobody looks, and fixed once somebody does", async () => {
    const captures = [[{ north: 0 }], [], [], [], []];
    const layers = await layersOf(siteOf(captures), captures);
    expect(await told(layers, { coverage: [all, north, north, all, all] })).toEqual([
      "1 1 new 1",
      "2 1 not surveyed -",
      "3 1 not surveyed -",
      "4 1 fixed -",
    ]);
    // What was away before stays so.
    expect(await told(layers, { coverage: [all, all, north, north, all] })).toEqual(["1 1 new 1", "2 1 fixed -"]);
  });

  it("calls returned what was away or marked as fixed, also over captures that did not look", async () => {
    const life = async (statuses: readonly (string | null)[], coverage: readonly Polygon[]) => {
      const captures = statuses.map((status) => (status === null ? [] : [{ north: 0, status }]));
      const layers = await layersOf(siteOf(captures), captures);
      const table = await compareCaptures(layers, { maxDistance: 1, coverage });
      const rows = table.objects() as Readonly<Record<string, unknown>>[];
      return rows.map((row) => `${row["status"]} ${row["marked_fixed"]}`);
    };
    expect(await life(["OPEN", null, "OPEN"], [all, north, all])).toEqual([
      "new false",
      "not surveyed false",
      "persistent false",
    ]);
    expect(await life(["FIXED", null, "OPEN"], [all, north, all])).toEqual([
      "new true",
      "not surveyed true",
      "returned false",
    ]);
    expect(await life(["OPEN", null, null, "OPEN"], [all, north, all, all])).toEqual([
      "new false",
      "not surveyed false",
      "fixed false",
      "returned false",
    ]);
  });

  it("says of what is new whether somebody looked there before", async () => {
    const captures = [[{ north: 100 }], [{ north: 0 }, { north: 200 }, { north: null }]];
    const layers = await layersOf(siteOf(captures), captures);
    const table = await compareCaptures(layers, { maxDistance: 1, coverage: [north, all] });
    const rows = table.objects() as Readonly<Record<string, unknown>>[];
    expect(rows.map((row) => [row["capture"], row["status"], row["surveyed_before"]])).toEqual([
      [1, "new", false],
      [2, "fixed", true],
      [2, "new", false],
      [2, "new", true],
      [2, "new", null],
    ]);
    expect((await compareCaptures(layers, { maxDistance: 1 })).columnNames()).not.toContain("surveyed_before");
  });

  it("matches what nobody looked for before what is gone", async () => {
    const captures = [[{ north: 0 }], [{ north: 1.5 }], [{ north: 0.9 }]];
    const layers = await layersOf(siteOf(captures), captures);
    // The first is gone or out of sight in the second, and nearer than the second in the third or not.
    const first = await told(layers, { coverage: [all, all, all] });
    expect(first).toContain("3 2 persistent 3");
    const [near, far] = [field(-1, 0.5), field(1, 2)];
    const blind = [[{ north: 0 }], [{ north: 1.5 }], [{ north: 0.7 }]];
    const others = await layersOf(siteOf(blind), blind);
    expect(await told(others, { coverage: [near, all, all] })).toContain("3 2 persistent 3");
    expect(await told(others, { coverage: [near, far, all] })).toContain("3 1 persistent 3");
  });

  it("finds captures that nothing is said of, rows that are no polygons, and features outside", async () => {
    const captures = [[{ north: 0 }, { north: 100 }], [{ north: 100 }]];
    const source = siteOf(captures, [[north], []]);
    const layers = await layersOf(source, captures);
    const table = await compareCaptures(layers, { maxDistance: 1, coverage: source, labels: ["May", "June"] });
    expect(table.array("status")).toEqual(["new", "new", "not surveyed", "persistent"]);
    expect(table.findings).toMatchObject([
      { code: "without-coverage", count: 1, facts: { captures: ["June"] } },
      { code: "outside-coverage", count: 1, facts: { captures: ["May"], counts: [1] } },
    ]);
    const [point, noPolygon] = [{ north: null }, { type: "FeatureCollection", features: [] } as FeatureCollection];
    const blind = await layersOf(siteOf([[point], []]), [0, 1]);
    const placeless = await compareCaptures(blind, { maxDistance: 1, coverage: [all, all] });
    expect(placeless.array("status")).toEqual(["new", "not surveyed"]);
    expect(placeless.findings).toMatchObject([{ code: "without-place", count: 1 }]);
    const half = await compareCaptures(layers, {
      maxDistance: 1,
      coverage: [
        {
          type: "FeatureCollection",
          features: [all, null].map((geometry) => ({ type: "Feature", geometry, properties: {} })),
        },
        noPolygon,
      ] as never,
    });
    expect(half.findings.map(({ code }) => code)).toEqual(["without-coverage", "malformed-geometry"]);
  });

  it("takes rings that are not closed", async () => {
    const captures = [[{ north: 0 }], []];
    const layers = await layersOf(siteOf(captures), captures);
    const open: Polygon = { type: "Polygon", coordinates: [(all.coordinates[0] ?? []).slice(0, 4)] };
    expect(await told(layers, { coverage: [open, open] })).toEqual(["1 1 new 1", "2 1 fixed -"]);
    const many: MultiPolygon = { type: "MultiPolygon", coordinates: [open.coordinates] };
    expect(await told(layers, { coverage: [many, many] })).toEqual(["1 1 new 1", "2 1 fixed -"]);
  });

  it.each<[unknown, string]>([
    [[], "takes polygons for each layer: got 0 for 2 layers"],
    [[field(0, 1)], "got 1 for 2 layers"],
    [field(0, 1), "has no operation_id"],
    [{ type: "FeatureCollection", features: [] }, "has no polygon for any capture"],
    [7, "coverage of compareCaptures() takes what has geometries, got 7"],
    [[7, 8], "takes what has geometries, got 7"],
    [
      [
        { type: "FeatureCollection", features: [] },
        { type: "FeatureCollection", features: [] },
      ],
      "has no polygon for any capture",
    ],
  ])("refuses %j", async (coverage, said) => {
    const captures = [[{ north: 0 }], [{ north: 0 }]];
    const layers = await layersOf(siteOf(captures), captures);
    const refusal = await compareCaptures(layers, { maxDistance: 1, coverage } as CaptureOptions).catch(String);
    expect(refusal).toContain("ArgumentError");
    expect(refusal).toContain(said);
  });

  it("refuses a source without blocks, and layers of no operation", async () => {
    const captures = [[{ north: 0 }], [{ north: 0 }]];
    const source = siteOf(captures);
    const layers = await layersOf(source, captures);
    await expect(compareCaptures(layers, { maxDistance: 1, coverage: source })).rejects.toThrow(
      /no polygon for any capture: blocks of operations 70, 71/,
    );
    const ofSite = fromRecords({ layerFeatures: [feature(1)] });
    const layer = await ofSite.layer({ site_id: 12 });
    await expect(compareCaptures([layer, layer], { maxDistance: 1, coverage: source })).rejects.toThrow(
      /nothing says which operation the layer of capture 1 is of/,
    );
  });

  it("tells what follows from the rules, thing by thing", async () => {
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
        // A field far away is one that nothing lies in.
        const fields = captures.map((cells) => [
          field(-1000, -900),
          ...cells.flatMap(({ flown }, thing) => (flown ? [field(100 * thing - 10, 100 * thing + 10)] : [])),
        ]);
        const source = siteOf(seen, fields);
        const layers = await layersOf(source, seen);
        const table = await compareCaptures(layers, { maxDistance: 1, coverage: source });
        const rows = table.objects() as Readonly<Record<string, unknown>>[];
        const found = rows.map((row) => `${row["capture"]} ${row["status"]} ${row["surveyed_before"]}`);
        const lives = Array.from({ length: things }, (_, thing) => captures.map((cells) => cells[thing] as Cell));
        const expected = lives.flatMap((life) => life.flatMap((_, k) => lifeOf(life, k)));
        expect(found.sort()).toEqual(expected.sort());
      }),
      { numRuns: randomRuns(200) },
    );
  });
});

/** What a capture has of a thing. */
interface Cell {
  readonly seen: boolean;
  readonly flown: boolean;
  readonly fixed: boolean;
}

/** What the rules say of a thing in one capture, if anything. */
function lifeOf(life: readonly Cell[], k: number): readonly string[] {
  const { seen, flown, fixed } = life[k] as Cell;
  const before = life.slice(0, k).findLastIndex((cell) => cell.seen);
  const line = (status: string) => [`${k + 1} ${status} ${life.slice(0, k).some((cell) => cell.flown)}`];
  if (before < 0) return seen ? line("new") : [];
  const wasGone = life.slice(before + 1, k).some((cell) => cell.flown);
  if (seen) return line(wasGone || (life[before]?.fixed && !fixed) ? "returned" : "persistent");
  if (wasGone) return [];
  return line(flown ? "fixed" : "not surveyed");
}

describe("coverage of the sample company", () => {
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

  it("is read from the source, and changes nothing where all was flown over", async () => {
    const layers = await Promise.all(
      [2006, 2009, 2011].map((operation_id) => live.layer({ operation_id, semantic_type: "SOLAR_ANOMALIES" })),
    );
    const options = { maxDistance: 1, relation: "Previous finding" };
    const [before, after] = [
      await compareCaptures(layers, options),
      await compareCaptures(layers, { ...options, coverage: live }),
    ];
    expect(after.findings).toEqual([]);
    const rows = before.objects() as Readonly<Record<string, unknown>>[];
    expect(after.objects()).toMatchObject(rows);
  });
});
