import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import type { Geometry } from "geojson";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/core/diagnostic.js";
import { toArrow, toArrowIPC } from "../../src/index.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { findPython } from "../support/python.js";
import { collection, layerOf, line, multi, point, polygon, ring } from "./shapes.js";

const folder = temporaryFolder();

const box = ring(0, 0, 2, 1);

const shapes: readonly (Geometry | null)[] = [
  point(11.5, 48.25),
  point(1, 2, 3.5),
  polygon(box),
  multi(line(...box), line(...box.slice(0, 2))),
  collection(multi(...box.map((position) => point(...position)))),
  polygon(),
  null,
];

/** Geometries that readers of well-known binary refuse, together with the whole file. */
const refused: readonly unknown[] = [
  line([1, 2]),
  polygon(box.slice(0, 4)),
  multi(polygon(box), polygon([...box.slice(0, 2), [0, 0]])),
  polygon([], box),
  collection(line([1, 2])),
  { type: "Point", coordinates: ["11.5", 48] },
  nested(11),
];

function nested(depth: number): Geometry {
  return depth === 0 ? point(1, 2) : collection(nested(depth - 1));
}

describe("geometries in Arrow", () => {
  it("are geoarrow.wkb in OGC:CRS84, with rows and without", async () => {
    for (const geometries of [shapes, [null], []]) {
      const { schema } = tableFromIPC(await (await layerOf(...geometries)).toArrowIPC());
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

  it("are little-endian well-known binary, or null", async () => {
    const table = await (await layerOf(shapes[0], null)).toArrow();
    const bytes = table.getChild("geometry").at(0) as Uint8Array;
    expect(Buffer.from(bytes).toString("hex")).toBe("010100000000000000000027400000000000204840");
    expect(table.getChild("geometry").at(1)).toBeNull();
  });

  it("are null if readers would refuse them, with a diagnostic and the raw values on request", async () => {
    const layer = await layerOf(shapes[2], ...refused, nested(10));
    const diagnostics: Diagnostic[] = [];
    const table = await layer.toArrow({ asLogged: true, onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
    const present = Array.from({ length: table.numRows }, (_, row) => table.getChild("geometry").at(row) !== null);
    expect(present).toEqual([true, ...refused.map(() => false), true]);
    const logged = Array.from({ length: table.numRows }, (_, row) =>
      JSON.parse(String(table.getChild("geometry (as logged)").at(row))),
    );
    expect(logged).toEqual([shapes[2], ...refused, nested(10)]);
    expect(diagnostics).toMatchObject([{ code: "geometry-malformed", count: refused.length }]);
    expect(diagnostics[0]?.message).toContain('7 values of "geometry" are not valid geometries');
  });

  it("have no column of raw values if all geometries are valid", async () => {
    const diagnostics: Diagnostic[] = [];
    const table = await (await layerOf(...shapes)).toArrow({
      asLogged: true,
      onDiagnostic: (one) => diagnostics.push(one),
    });
    expect(table.schema.fields.map(({ name }) => name)).not.toContain("geometry (as logged)");
    expect(diagnostics).toEqual([]);
  });
});

describe("toArrowIPC", () => {
  it("returns and writes the stream of layers and tables", async () => {
    const layer = await layerOf(...shapes);
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
  it("reads every geometry and the CRS", async () => {
    const path = join(folder, "shapes.arrows");
    await (await layerOf(...shapes, ...refused)).toArrowIPC({ path });
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
