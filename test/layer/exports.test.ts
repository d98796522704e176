import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC, tableToIPC } from "@uwdata/flechette";
import { tableFromIPC as apacheTable } from "apache-arrow";
import * as danfojs from "danfojs-node";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";
import type { Layer } from "../../src/layer/layer.js";
import { fromRecords } from "../../src/source/from-records.js";
import { toTable } from "../../src/tables/column/table.js";
import { exportTable } from "../../src/tables/export/export-table.js";
import { loadDanfo } from "../../src/tables/export/table-exports.js";
import type { CsvOptions } from "../../src/tables/export/to-csv.js";
import { declareType } from "../../src/tables/types/declared-type.js";
import { findPython } from "../support/python.js";
import { randomRuns } from "../support/random-runs.js";
import { dataset, definition, feature, uuid } from "../support/records.js";

const names = ["Depth", "Done", "Tags", "shape", "index", "Big", "=Risk", "Mixed"];
const keys = names.map((_, n) => uuid(n, "aaaaaaaa"));
// Of types that are not known the values tell.
const types = ["FLOAT", "BOOLEAN", "TAGS", "STRING", "FLOAT", "FLOAT", "STRING", "MIXED"];

function row(id: number, values: readonly unknown[], over = {}) {
  return feature(id, { properties: Object.fromEntries(values.map((value, n) => [keys[n], value])), ...over });
}

const clockwise = [
  [0, 0],
  [0, 1],
  [1, 1],
  [1, 0],
  [0, 0],
];

const features = [
  row(1, [1.5, true, ["a", "b"], "round", 1, 2 ** 40, "=1+1", 1], {
    geometry: { type: "Polygon", coordinates: [clockwise] },
    created_at: "2024-01-01T00:00:00.123456Z",
    description: 'say "hi", \r\nthen -go',
  }),
  row(2, [null, null, null, "", 2, null, "@x", "1"], { geometry: null, operation_id: null }),
  row(3, [-2, false, [], null, 3, 5, "-7", { a: null }], { geometry: { type: "Point", coordinates: [1, 2, 3] } }),
];

async function layerOf(rows: readonly ReturnType<typeof feature>[]): Promise<Layer> {
  const definitions = names.map((name, n) => definition(keys[n] ?? "", name, { type: types[n] ?? "STRING" }));
  const items = keys.map((key) => ({ type: "PROPERTY", property_definition_id: key }) as const);
  const datasets = [dataset(1, { layout_definition: { items } })];
  const source = fromRecords({ layerFeatures: rows, propertyDefinitions: definitions, datasets });
  return source.layer({ site_id: 12 });
}

let layer: Layer;
let empty: Layer;
let folder: string;

beforeAll(async () => {
  layer = await layerOf(features);
  empty = await layerOf([]);
  folder = await mkdtemp(join(tmpdir(), "siteframe-"));
});

afterAll(() => rm(folder, { recursive: true }));

/** Cells as spreadsheets read them that split at one of some signs: quotes count at the beginning of a cell only. */
function spreadsheetCells(text: string, separators: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at < text.length; ) {
    let cell = "";
    if (text[at] === '"') {
      at += 1;
      for (; at < text.length && !(text[at] === '"' && text[at + 1] !== '"'); at += 1) {
        if (text[at] === '"') at += 1;
        cell += text[at];
      }
      at += 1;
    }
    for (; at < text.length && !separators.includes(text[at] ?? "") && !"\r\n".includes(text[at] ?? ""); at += 1)
      cell += text[at];
    cells.push(cell);
    at += 1;
  }
  return cells;
}

/** RFC 4180, where lines end in CRLF. */
function parseCsv(text: string): string[][] {
  const cells = [...text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)];
  const rows: string[][] = [[]];
  for (const [, cell = "", end] of cells) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

const python = findPython("geopandas, pyarrow");

describe.skipIf(!python)("other libraries", () => {
  it("read the GeoParquet with geopandas, and Arrow IPC with pyarrow", async () => {
    const [parquet, arrow] = [join(folder, "other.parquet"), join(folder, "other.arrow")];
    await layer.toParquet({ path: parquet });
    await writeFile(arrow, tableToIPC(await layer.toArrow(), {}) ?? "");
    const script = join(import.meta.dirname, "python", "read_exports.py");
    const printed = execFileSync(python?.program ?? "", [script, parquet, arrow], { encoding: "utf8" });
    const [geo, ipc] = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(geo).toEqual({
      crs: "OGC:CRS84",
      types: ["Polygon", null, "Point"],
      areas: [1, null, 0],
      ids: [1, 2, 3],
      depths: [1.5, null, -2],
      created: ["2024-01-01T00:00:00.123456+00:00", "2024-01-01T00:00:00+00:00", "2024-01-01T00:00:00+00:00"],
    });
    expect(ipc?.["types"]).toMatchObject({
      id: "int64",
      Depth: "double",
      Done: "bool",
      created_at: "timestamp[us, tz=UTC]",
      geometry: "binary",
    });
    expect(ipc?.["rows"]).toMatchObject([
      { id: 1, Depth: 1.5, Done: true, Tags: '["a","b"]', created_at: "2024-01-01 00:00:00.123456+00:00" },
      { id: 2, Depth: null, Done: null, Tags: null },
      { id: 3, Depth: -2, Done: false, Tags: "[]" },
    ]);
  });
});

describe("toCSV", () => {
  it("quotes by RFC 4180, tells null from empty, and disarms formulas in texts and names, not numbers", async () => {
    const lines = (await layer.toCSV()).split("\r\n");
    expect(lines[0]).toContain(",Depth,Done,Tags,shape,index,Big,'=Risk,Mixed,");
    expect(lines[1]).toContain(`1,F-1,1.5,true,"[""a"",""b""]",round,1,1099511627776,'=1+1,1,TRENCHES`);
    expect(lines[1]).toContain('"say ""hi"", ');
    expect(lines[2]).toContain("then -go");
    expect(lines[2]).toContain("2024-01-01T00:00:00.123456Z");
    expect(lines[3]).toContain(`2,F-2,,,,"",2,,'@x,1,`);
    expect(lines[4]).toContain(`3,F-3,-2,false,[],,3,5,'-7,"{""a"":null}",`);
    expect(lines.at(-1)).toBe("");
  });

  it("disarms every beginning that a spreadsheet takes for a formula's", async () => {
    const beginnings = [..."=+-@\t\r\n＝＋－＠"];
    const behind = [" =1", "\u00a0@x", "\ufeff=1", "\u3000+1", " \u00a0\ufeff -1"];
    const harmless = ["a=1", "1-2", "−1", "'=1", " a=1", "\ufeff1-2", "#1"];
    const dangerous = [...beginnings.map((sign) => `${sign}1`), ...behind];
    const texts = [...dangerous, ...harmless];
    const disarmed = await layerOf(texts.map((description, n) => row(n + 1, [], { description })));
    const lines = async (options: CsvOptions) => parseCsv(await disarmed.toCSV(options));
    const [names = [], ...rows] = await lines({});
    const column = names.indexOf("description");
    expect(rows.map((cells) => cells[column])).toEqual([...dangerous.map((text) => `'${text}`), ...harmless]);
    expect((await lines({ formulas: "keep" })).slice(1).map((cells) => cells[column])).toEqual(texts);
  });

  it("begins no cell with a formula, at whatever sign a spreadsheet splits", async () => {
    const sign = fc.constantFrom(..."=+-@＝＋－＠");
    const part = fc.oneof(
      sign,
      fc.constantFrom(";", ",", "\t", "\n", "\r\n", '"', '""', "'", " ", "\u00a0", "\ufeff", "|", "a", "1", "cmd"),
    );
    const texts = fc.array(part, { maxLength: 9 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(texts, texts, async (description, tag) => {
        const one = await layerOf([row(1, ["", null, [tag, { [tag]: 1 }]], { description, geometry: null })]);
        const csv = await one.toCSV();
        for (const separators of [",", ";", "\t", ";\t", ",;", ",;\t"]) {
          for (const cell of spreadsheetCells(csv, separators)) expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
        }
        const [names = [], cells = []] = parseCsv(await one.toCSV({ formulas: "keep" }));
        expect(cells[names.indexOf("description")]).toBe(description);
        expect(JSON.parse(cells[names.indexOf("Tags")] ?? "")).toEqual([tag, { [tag]: 1 }]);
      }),
      { numRuns: randomRuns(400) },
    );
  });

  it("leaves formulas on request, and writes a file", async () => {
    const path = join(folder, "layer.csv");
    const text = await layer.toCSV({ path, formulas: "keep" });
    expect(text).toContain(",=1+1,");
    expect(await readFile(path, "utf8")).toBe(text);
    expect(await layer.toCSV({ formulas: "keep" })).toBe(text);
    expect(await layer.toCSV({ path })).toBe(await layer.toCSV());
    expect(await readFile(path, "utf8")).toBe(await layer.toCSV({ formulas: "escape" }));
  });
});

describe("options of exports", () => {
  it.each<["toArrowIPC" | "toCSV" | "toParquet", readonly unknown[], string]>([
    ["toCSV", ["layer.csv"], 'toCSV({ path: "layer.csv" })'],
    ["toCSV", ["layer.csv", { formulas: "keep" }], 'toCSV({ path: "layer.csv" })'],
    ["toCSV", [undefined, { formulas: "keep" }], "one object"],
    ["toCSV", [null], "path, formulas"],
    ["toCSV", [{ delimiter: ";" }], "path, formulas"],
    ["toCSV", [{ formulas: "Keep" }], '"escape" or "keep"'],
    ["toCSV", [{ path: 5 }], "path"],
    ["toCSV", [{ path: "" }], "path"],
    ["toArrowIPC", ["layer.arrows"], 'toArrowIPC({ path: "layer.arrows" })'],
    ["toArrowIPC", [{ path: "a", codec: "zstd" }], "path"],
    ["toParquet", ["layer.parquet"], 'toParquet({ path: "layer.parquet" })'],
    ["toParquet", [{}], "path"],
    ["toParquet", [], "path"],
    ["toParquet", [{ path: "a", compression: "snappy" }], "path"],
  ])("%s refuses %j and says what it takes", async (name, given, said) => {
    const call = layer[name].bind(layer) as (...given: readonly unknown[]) => Promise<unknown>;
    const error = await call(...given).then(undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArgumentError);
    expect(String(error)).toContain(said);
  });
});

describe("toGeoJSON", () => {
  it("has feature ids, plain properties, null geometries, and rings counter-clockwise", () => {
    const { features: made } = layer.toGeoJSON();
    expect(made.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(made[0]?.geometry).toEqual({ type: "Polygon", coordinates: [clockwise.toReversed()] });
    expect(made[1]?.geometry).toBeNull();
    expect(made[2]?.geometry).toEqual({ type: "Point", coordinates: [1, 2, 3] });
    expect(made[0]?.properties).toMatchObject({
      Depth: 1.5,
      Tags: ["a", "b"],
      created_at: "2024-01-01T00:00:00.123456Z",
    });
    expect(Object.keys(made[0]?.properties ?? {})).not.toContain("geometry");
  });

  it("leaves a geometry as it came whose coordinates are no rings", async () => {
    const ringless = { type: "Polygon", coordinates: clockwise } as never;
    const mixed = { type: "MultiPolygon", coordinates: [[clockwise], [[null]], 5] } as never;
    const odd = await layerOf([row(1, [], { geometry: ringless }), row(2, [], { geometry: mixed })]);
    const { features: made } = odd.toGeoJSON();
    expect(made[0]?.geometry).toEqual(ringless);
    expect(made[1]?.geometry).toEqual({ type: "MultiPolygon", coordinates: [[clockwise.toReversed()], [[null]], 5] });
  });
});

describe("toArrow", () => {
  it("gives typed columns that survive IPC, microseconds included", async () => {
    const bytes = tableToIPC(await layer.toArrow(), {});
    const table = tableFromIPC(bytes ?? new Uint8Array(), { useBigInt: true });
    expect(table.getChild("id").toArray()).toEqual(BigInt64Array.of(1n, 2n, 3n));
    expect([...table.getChild("Depth")]).toEqual([1.5, null, -2]);
    expect([...table.getChild("Done")]).toEqual([true, null, false]);
    expect([...table.getChild("Tags")]).toEqual(['["a","b"]', null, "[]"]);
    expect([...table.getChild("Mixed")]).toEqual(["1", '"1"', '{"a":null}']);
    expect(
      tableFromIPC(bytes ?? new Uint8Array(), { useBigIntTimestamp: true } as never)
        .getChild("created_at")
        .at(0),
    ).toBe(1_704_067_200_123_456n);
  });

  it("is read by Apache Arrow's own library, with its types", async () => {
    const table = apacheTable(tableToIPC(await layer.toArrow(), {}) ?? new Uint8Array());
    expect(table.numRows).toBe(3);
    const types = Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)]));
    expect(types).toMatchObject({ id: "Int64", Depth: "Float64", Done: "Bool", Tags: "Utf8" });
    expect(types.created_at).toMatch(/^Timestamp<MICROSECOND/);
    expect([...(table.getChild("Depth") ?? [])]).toEqual([1.5, null, -2]);
    expect([...(table.getChild("Done") ?? [])]).toEqual([true, null, false]);
    expect([...(table.getChild("shape") ?? [])]).toEqual(["round", "", null]);
    expect([...(table.getChild("id") ?? [])]).toEqual([1n, 2n, 3n]);
  });

  it("has the same types without rows", async () => {
    const types = async (made: Layer) =>
      (await made.toArrow()).schema.fields.map(({ name, type }) => [name, type.typeId]);
    expect((await types(empty)).slice(0, 4)).toEqual((await types(layer)).slice(0, 4));
  });
});

describe("a base field that breaks the contract, in a read that is not strict", () => {
  it("is exported as the numbers that came", () => {
    const field = { of: "field", type: "integer" } as const;
    const table = toTable([
      ["id", declareType([1, 2], field)],
      ["site_id", declareType([1.5, null], field)],
    ]);
    const { columns } = exportTable(table);
    expect(columns.map(({ kind }) => kind)).toEqual(["integer", "number"]);
  });
});

describe("toDanfo", () => {
  it("keeps values, types, and names beside Danfo's own members", async () => {
    const frame = await layer.toDanfo<danfojs.DataFrame>();
    expect(frame.shape).toEqual([3, 19]);
    expect(frame.columns).toEqual(expect.arrayContaining(["shape_", "index_", "Depth", "=Risk"]));
    expect(frame.column("shape_").values).toEqual(["round", "", null]);
    expect(frame.column("Depth").values).toEqual([1.5, Number.NaN, -2]);
    expect(frame.column("Done").values).toEqual([true, null, false]);
    expect(frame.column("Big").values).toEqual([2 ** 40, Number.NaN, 5]);
    expect(frame.column("Tags").values).toEqual(['["a","b"]', null, "[]"]);
    expect(frame.column("created_at").values[0]).toBe("2024-01-01T00:00:00.123456Z");
    expect(frame.column("id").dtype).toBe("int32");
    expect(frame.column("Big").dtype).toBe("float32");
  });

  it("works on in groupby, merge, describe, query and toCSV", async () => {
    const frame = await layer.toDanfo<danfojs.DataFrame>();
    const sums = danfojs.toJSON(frame.groupby(["Done"]).agg({ id: "sum" }));
    expect(sums).toEqual([
      { Done: true, id_sum: 1 },
      { Done: null, id_sum: 2 },
      { Done: false, id_sum: 3 },
    ]);
    const right = new danfojs.DataFrame({ id: [1, 3], crew: ["A", "B"] });
    const merged = danfojs.merge({ left: frame, right, on: ["id"], how: "inner" });
    expect(merged.column("crew").values).toEqual(["A", "B"]);
    expect(frame.describe().columns).toContain("id");
    expect(frame.query(frame.column("id").gt(1)).column("id").values).toEqual([2, 3]);
    expect(danfojs.toCSV(frame)).toContain("2024-01-01T00:00:00.123456Z");
  });

  it("works without rows", async () => {
    const frame = await empty.toDanfo();
    expect(frame.shape).toEqual([0, 19]);
    expect(frame.columns).toContain("shape_");
  });

  it("says what to install, and passes other failures on", async () => {
    const missing = (name: string) =>
      Promise.reject(Object.assign(new Error(`Cannot find package '${name}'`), { code: "ERR_MODULE_NOT_FOUND" }));
    const { code, hint } = await loadDanfo(missing).then(() => expect.unreachable(), Object);
    expect(code).toBe("ERR_ARGUMENT");
    expect(hint).toContain("npm install danfojs-node");
    const { overrides } = JSON.parse(await readFile("package.json", "utf8"));
    const guide = await readFile("docs/guide/layers.md", "utf8");
    for (const [name, version] of Object.entries(overrides)) {
      expect(hint).toContain(`"${name}": "${version}"`);
      expect(guide).toContain(`"${name}": "${version}"`);
    }
    await expect(loadDanfo(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    const browserBuild = { DataFrame: class {} };
    const onlyDanfojs = (name: string) => (name === "danfojs" ? Promise.resolve(browserBuild) : missing(name));
    expect(await loadDanfo(onlyDanfojs)).toBe(browserBuild);
  });
});

describe("sql and toParquet", () => {
  it("answers queries over the table layer", async () => {
    const table = await layer.sql(
      `SELECT id, "Depth", "Tags", geometry->>'$.type' AS kind, created_at, count(*) OVER () AS n FROM layer ORDER BY id`,
    );
    expect(table.objects()).toEqual([
      { id: 1, Depth: 1.5, Tags: ["a", "b"], kind: "Polygon", created_at: new Date("2024-01-01T00:00:00.123Z"), n: 3 },
      { id: 2, Depth: null, Tags: null, kind: null, created_at: new Date("2024-01-01T00:00:00Z"), n: 3 },
      { id: 3, Depth: -2, Tags: [], kind: "Point", created_at: new Date("2024-01-01T00:00:00Z"), n: 3 },
    ]);
    expect((await empty.sql('SELECT sum("Depth") AS sum FROM layer')).objects()).toEqual([{ sum: null }]);
    await expect(layer.sql("SELECT nothing FROM nowhere")).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
    const late = "SELECT CASE WHEN range < 900000 THEN range ELSE error('late') END AS n FROM range(1000000)";
    await expect(layer.sql(late)).rejects.toThrow(/The query cannot be run: .*late/);
  });

  it("fetches no extension that a query would need", async () => {
    const settings = ["autoinstall_known_extensions", "autoload_known_extensions"];
    const [row] = (
      await layer.sql(`SELECT ${settings.map((name) => `current_setting('${name}') AS ${name}`)}`)
    ).objects();
    expect(row).toEqual(Object.fromEntries(settings.map((name) => [name, false])));
  });

  it("leaves what stood at a path where the layer cannot be written", async () => {
    const path = join(folder, "missing", "layer.parquet");
    await expect(layer.toParquet({ path })).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
    await expect(layer.toParquet({ path: folder })).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
  });

  it("writes GeoParquet that DuckDB reads back", async () => {
    const path = join(folder, "it's.parquet");
    await layer.toParquet({ path });
    const file = `'${path.replaceAll("'", "''")}'`;
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const rows = await connection.runAndReadAll(
      `SELECT id, "Big", "=Risk", epoch_us(created_at) AS us, geometry::VARCHAR AS wkt FROM ${file} ORDER BY id`,
    );
    expect(rows.getRowObjectsJson()).toEqual([
      { id: "1", Big: 2 ** 40, "=Risk": "=1+1", us: "1704067200123456", wkt: "POLYGON ((0 0, 0 1, 1 1, 1 0, 0 0))" },
      { id: "2", Big: null, "=Risk": "@x", us: "1704067200000000", wkt: null },
      { id: "3", Big: 5, "=Risk": "-7", us: "1704067200000000", wkt: "POINT Z (1 2 3)" },
    ]);
    const meta = await connection.runAndReadAll(
      `SELECT decode(value) AS value FROM parquet_kv_metadata(${file}) WHERE decode(key) = 'geo'`,
    );
    const geo = JSON.parse(String(meta.getRowObjectsJson()[0]?.["value"]));
    expect(geo).toMatchObject({ primary_column: "geometry", columns: { geometry: { encoding: "WKB" } } });
  });
});

describe("describe", () => {
  it("has the range of dates and of integers of any size", async () => {
    const [built, big] = [uuid(11), uuid(12)];
    const days = ["2024-01-01", "1999-12-31", null, "2024-01-01", "2024-02-30"];
    const dated = await fromRecords({
      datasets: [dataset(1)],
      propertyDefinitions: [
        definition(built, "Built", { type: "DATE" }),
        definition(big, "Seen", { type: "DATETIME" }),
      ],
      layerFeatures: days.map((day, n) => {
        return feature(n + 1, { properties: { [built]: day, [big]: day && `${day}T10:00+02:00`, NUMBER: n } });
      }),
    }).layer({ site_id: 12 });
    const rows = dated.describe().objects() as Record<string, unknown>[];
    expect(rows.find(({ column }) => column === "Built")).toMatchObject({
      ...{ min: "1999-12-31", max: "2024-01-01", distinct: 2, top: null, example: "2024-01-01" },
    });
    expect(rows.find(({ column }) => column === "Seen")).toMatchObject({
      ...{ min: "1999-12-31T08:00:00.000Z", max: "2024-01-01T08:00:00.000Z" },
    });
    expect(rows.find(({ column }) => column === "NUMBER")).toMatchObject({ min: 0, max: 4 });
  });

  it("is a data dictionary", async () => {
    const rows = layer.describe().objects() as Record<string, unknown>[];
    expect(rows.find((entry) => entry["column"] === "Depth")).toEqual({
      column: "Depth",
      definition: null,
      type: "FLOAT",
      unit: null,
      nulls: 1,
      distinct: 2,
      min: -2,
      max: 1.5,
      top: null,
      example: 1.5,
    });
    expect(rows.find((entry) => entry["column"] === "created_at")).toMatchObject({
      definition: "When the feature was created.",
      min: "2024-01-01T00:00:00.000Z",
      max: "2024-01-01T00:00:00.123456Z",
    });
    expect(rows.find((entry) => entry["column"] === "=Risk")).toMatchObject({ top: "-7 (1), =1+1 (1), @x (1)" });
    expect(empty.describe().numRows()).toBe(19);
  });
});
