import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import type { Geometry } from "geojson";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Finding } from "../../src/core/finding.js";
import { toArrow, toArrowIPC } from "../../src/index.js";
import type { Layer } from "../../src/layer/layer.js";
import { fromRecords } from "../../src/source/from-records.js";
import { findPython } from "../support/python.js";
import { feature } from "../support/records.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "siteframe-"));
});

afterAll(() => rm(folder, { recursive: true }));

const ring = [
  [0, 0],
  [2, 0],
  [2, 1],
  [0, 1],
  [0, 0],
];

const shapes: readonly (Geometry | null)[] = [
  { type: "Point", coordinates: [11.5, 48.25] },
  { type: "Point", coordinates: [1, 2, 3.5] },
  { type: "Polygon", coordinates: [ring] },
  { type: "MultiLineString", coordinates: [ring, ring.slice(0, 2)] },
  { type: "GeometryCollection", geometries: [{ type: "MultiPoint", coordinates: ring }] },
  { type: "Polygon", coordinates: [] },
  null,
];

/** What readers of well-known binary refuse, with everything else that they read at the same time. */
const refused: readonly unknown[] = [
  { type: "LineString", coordinates: [[1, 2]] },
  { type: "Polygon", coordinates: [ring.slice(0, 4)] },
  { type: "MultiPolygon", coordinates: [[ring], [[...ring.slice(0, 2), [0, 0]]]] },
  { type: "Polygon", coordinates: [[], ring] },
  { type: "GeometryCollection", geometries: [{ type: "LineString", coordinates: [[1, 2]] }] },
  { type: "Point", coordinates: ["11.5", 48] },
  nested(11),
];

function nested(depth: number): Geometry {
  const point: Geometry = { type: "Point", coordinates: [1, 2] };
  return depth === 0 ? point : { type: "GeometryCollection", geometries: [nested(depth - 1)] };
}

function layerOf(geometries: readonly unknown[]): Promise<Layer> {
  const layerFeatures = geometries.map((geometry, n) => feature(n + 1, { geometry: geometry as Geometry }));
  return fromRecords({ layerFeatures }).layer({ site_id: 12 });
}

describe("geometries in Arrow", () => {
  it("are geoarrow.wkb in OGC:CRS84, with rows and without", async () => {
    for (const geometries of [shapes, [null], []]) {
      const { schema } = tableFromIPC(await (await layerOf(geometries)).toArrowIPC());
      const [geometry, ...others] = [...schema.fields].reverse();
      expect(geometry?.name).toBe("geometry");
      expect(String(geometry?.type)).toBe("Binary");
      expect(Object.fromEntries(geometry?.metadata ?? [])).toEqual({
        "ARROW:extension:name": "geoarrow.wkb",
        "ARROW:extension:metadata": '{"crs":"OGC:CRS84","crs_type":"authority_code"}',
      });
      expect(others.flatMap(({ metadata }) => [...metadata])).toEqual([]);
    }
  });

  it("are bytes of little-endian well-known binary, null where there is none", async () => {
    const table = await (await layerOf([shapes[0], null])).toArrow();
    const bytes = table.getChild("geometry").at(0) as Uint8Array;
    expect(Buffer.from(bytes).toString("hex")).toBe("010100000000000000000027400000000000204840");
    expect(table.getChild("geometry").at(1)).toBeNull();
  });

  it("are null where readers would refuse them, which is a finding, and are there as they came if asked", async () => {
    const layer = await layerOf([shapes[2], ...refused, nested(10)]);
    const findings: Finding[] = [];
    const table = await layer.toArrow({ asLogged: true, onFinding: (finding) => findings.push(finding) });
    const present = Array.from({ length: table.numRows }, (_, row) => table.getChild("geometry").at(row) !== null);
    expect(present).toEqual([true, ...refused.map(() => false), true]);
    const logged = Array.from({ length: table.numRows }, (_, row) =>
      JSON.parse(String(table.getChild("geometry (as logged)").at(row))),
    );
    expect(logged).toEqual([shapes[2], ...refused, nested(10)]);
    expect(findings).toMatchObject([{ code: "malformed-geometry", count: refused.length }]);
    expect(findings[0]?.message).toContain('7 values of "geometry" are no geometries that well-known binary holds');
  });

  it("have no second column where all are geometries", async () => {
    const findings: Finding[] = [];
    const table = await (await layerOf(shapes)).toArrow({ asLogged: true, onFinding: (one) => findings.push(one) });
    expect(table.schema.fields.map(({ name }) => name)).not.toContain("geometry (as logged)");
    expect(findings).toEqual([]);
  });
});

describe("toArrowIPC", () => {
  it("gives the stream, and writes it where a path is given; of tables as of layers, as they show their rows", async () => {
    const layer = await layerOf(shapes);
    const path = join(folder, "layer.arrows");
    const bytes = await layer.toArrowIPC({ path });
    expect(Buffer.compare(await readFile(path), bytes)).toBe(0);
    expect(Buffer.compare(await layer.toArrowIPC(), bytes)).toBe(0);
    expect(Buffer.compare(await toArrowIPC(layer.table), bytes)).toBe(0);
    const shown = layer.table.filter("d => d.id > 5").orderby("id");
    const read = tableFromIPC(await toArrowIPC(shown));
    expect([...(read.getChild("id") ?? [])]).toEqual([6n, 7n]);
    expect(read.schema.fields.map(({ name }) => name)).toEqual(
      (await toArrow(shown)).schema.fields.map(({ name }) => name),
    );
  });
});

const python = findPython("geopandas, pyarrow");

describe.skipIf(!python)("geopandas", () => {
  it("takes the stream for a map, with every geometry and the CRS", async () => {
    const path = join(folder, "shapes.arrows");
    await (await layerOf([...shapes, ...refused])).toArrowIPC({ path });
    const script = join(import.meta.dirname, "python", "read_geoarrow.py");
    const printed = execFileSync(python?.program ?? "", [script, path], { encoding: "utf8" });
    expect(JSON.parse(printed)).toEqual({
      crs: "OGC:CRS84",
      geometries: [
        "POINT (11.5 48.25)",
        "POINT Z (1 2 3.5)",
        "POLYGON ((0 0, 2 0, 2 1, 0 1, 0 0))",
        "MULTILINESTRING ((0 0, 2 0, 2 1, 0 1, 0 0), (0 0, 2 0))",
        "GEOMETRYCOLLECTION (MULTIPOINT ((0 0), (2 0), (2 1), (0 1), (0 0)))",
        "POLYGON EMPTY",
        null,
        ...refused.map(() => null),
      ],
      bounds: [0, 0, 11.5, 48.25],
    });
  });
});
