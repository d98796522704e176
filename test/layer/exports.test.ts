import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { tableFromIPC, tableToIPC } from "@uwdata/flechette";
import { tableFromIPC as apacheTable } from "apache-arrow";
import * as danfojs from "danfojs-node";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";
import type { Layer } from "../../src/layer/layer.js";
import { fromRecords } from "../../src/source/from-records.js";
import { toTable } from "../../src/tables/column/table.js";
import { exportTable } from "../../src/tables/export/export-table.js";
import { loadDanfo } from "../../src/tables/export/table-exports.js";
import type { CsvOptions } from "../../src/tables/export/to-csv.js";
import { declareType } from "../../src/tables/types/declared-type.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { duckdbRows } from "../support/duckdb-rows.js";
import { randomRuns } from "../support/random-runs.js";
import { dataset, definition, feature, uuid } from "../support/records.js";
import { ring } from "./shapes.js";

const names = ["Depth", "Done", "Tags", "shape", "index", "Big", "=Risk", "Mixed"];
const keys = names.map((_, n) => uuid(n, "aaaaaaaa"));
// The values decide for unknown types.
const types = ["FLOAT", "BOOLEAN", "TAGS", "STRING", "FLOAT", "FLOAT", "STRING", "MIXED"];

function row(id: number, values: readonly unknown[], over = {}) {
  return feature(id, { properties: Object.fromEntries(values.map((value, n) => [keys[n], value])), ...over });
}

const clockwise = ring(0, 0, 1).toReversed();

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
const folder = temporaryFolder();

beforeAll(async () => {
  layer = await layerOf(features);
  empty = await layerOf([]);
});

/** Cells as read by spreadsheets that split at these characters: quotes count at the beginning of a cell only. */
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

/** RFC 4180 with CRLF. */
function parseCsv(text: string): string[][] {
  const cells = [...text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)];
  const rows: string[][] = [[]];
  for (const [, cell = "", end] of cells) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

describe("toCSV", () => {
  it("quotes by RFC 4180, distinguishes null from empty strings, and escapes formulas in strings and names", async () => {
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

  it("escapes every beginning of a formula", async () => {
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

  it("has no cell with a formula, for any separator", async () => {
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

  it("keeps formulas on request, and writes a file", async () => {
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
    ["toCSV", [undefined, { formulas: "keep" }], "one object"],
    ["toCSV", [null], "path, formulas"],
    ["toCSV", [{ delimiter: ";" }], "path, formulas"],
    ["toCSV", [{ formulas: "Keep" }], '"escape" or "keep"'],
    ["toCSV", [{ path: "" }], "path"],
    ["toArrowIPC", ["layer.arrows"], 'toArrowIPC({ path: "layer.arrows" })'],
    ["toArrowIPC", [{ path: "a", codec: "zstd" }], "path"],
    ["toParquet", ["layer.parquet"], 'toParquet({ path: "layer.parquet" })'],
    ["toParquet", [], "path"],
    ["toParquet", [{ path: "a", compression: "snappy" }], "path"],
  ])("%s() refuses %j", async (name, given, message) => {
    const call = layer[name].bind(layer) as (...given: readonly unknown[]) => Promise<unknown>;
    const error = await call(...given).then(undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArgumentError);
    expect(String(error)).toContain(message);
  });
});

describe("toGeoJSON", () => {
  it("has feature ids, plain properties, null geometries, and counter-clockwise rings", () => {
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

  it("keeps malformed rings", async () => {
    const ringless = { type: "Polygon", coordinates: clockwise } as never;
    const mixed = { type: "MultiPolygon", coordinates: [[clockwise], [[null]], 5] } as never;
    const odd = await layerOf([row(1, [], { geometry: ringless }), row(2, [], { geometry: mixed })]);
    const { features: made } = odd.toGeoJSON();
    expect(made[0]?.geometry).toEqual(ringless);
    expect(made[1]?.geometry).toEqual({ type: "MultiPolygon", coordinates: [[clockwise.toReversed()], [[null]], 5] });
  });
});

describe("toArrow", () => {
  it("is read by Apache Arrow, with types and microseconds", async () => {
    const bytes = tableToIPC(await layer.toArrow(), {}) ?? new Uint8Array();
    const table = apacheTable(bytes);
    const types = Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)]));
    expect(types).toMatchObject({ id: "Int64", Depth: "Float64", Done: "Bool", Tags: "Utf8" });
    expect(types.created_at).toMatch(/^Timestamp<MICROSECOND/);
    const columns = ["id", "Depth", "Done", "shape", "Tags", "Mixed"];
    expect(columns.map((name) => [...(table.getChild(name) ?? [])])).toEqual([
      [1n, 2n, 3n],
      [1.5, null, -2],
      [true, null, false],
      ["round", "", null],
      ['["a","b"]', null, "[]"],
      ["1", '"1"', '{"a":null}'],
    ]);
    const exact = tableFromIPC(bytes, { useBigIntTimestamp: true } as never);
    expect(exact.getChild("created_at").at(0)).toBe(1_704_067_200_123_456n);
  });

  it("has the same types without rows", async () => {
    const types = async (made: Layer) =>
      (await made.toArrow()).schema.fields.map(({ name, type }) => [name, type.typeId]);
    expect((await types(empty)).slice(0, 4)).toEqual((await types(layer)).slice(0, 4));
  });
});

describe("a base field that breaks the contract, in a read that is not strict", () => {
  it("is exported with its numbers", () => {
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
  it("keeps values, types and names next to Danfo's own members", async () => {
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

  it("supports groupby, merge, describe, query and toCSV", async () => {
    const frame = await layer.toDanfo<danfojs.DataFrame>();
    expect(frame.groupby(["Done"]).agg({ id: "sum" }).column("id_sum").values).toEqual([1, 2, 3]);
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

  it("names the packages to install, and rethrows other errors", async () => {
    const missing = (name: string) =>
      Promise.reject(Object.assign(new Error(`Cannot find package '${name}'`), { code: "ERR_MODULE_NOT_FOUND" }));
    const { code, hint } = await loadDanfo(missing).then(() => expect.unreachable(), Object);
    expect(code).toBe("ERR_DEPENDENCY");
    expect(hint).toContain("npm install danfojs-node");
    const { overrides } = JSON.parse(await readFile("package.json", "utf8"));
    const guide = await readFile("docs/how-to/export-tables.md", "utf8");
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
    await expect(layer.sql("SELECT nothing FROM nowhere")).rejects.toMatchObject({ code: "ERR_QUERY" });
    const late = "SELECT CASE WHEN range < 900000 THEN range ELSE error('late') END AS n FROM range(1000000)";
    await expect(layer.sql(late)).rejects.toThrow(/The query cannot be run: .*late/);
  });

  it("never installs extensions", async () => {
    const settings = ["autoinstall_known_extensions", "autoload_known_extensions"];
    const [row] = (
      await layer.sql(`SELECT ${settings.map((name) => `current_setting('${name}') AS ${name}`)}`)
    ).objects();
    expect(row).toEqual(Object.fromEntries(settings.map((name) => [name, false])));
  });

  it("refuses a path that cannot be written", async () => {
    const path = join(folder, "missing", "layer.parquet");
    await expect(layer.toParquet({ path })).rejects.toMatchObject({ code: "ERR_FILE" });
    await expect(layer.toParquet({ path: folder })).rejects.toMatchObject({ code: "ERR_FILE" });
  });

  it("writes GeoParquet that DuckDB reads back", async () => {
    const path = join(folder, "it's.parquet");
    await layer.toParquet({ path });
    const file = `'${path.replaceAll("'", "''")}'`;
    const us = "epoch_us(created_at)::VARCHAR";
    const { rows } = await duckdbRows(
      `SELECT id::INT, "Big", "=Risk", ${us}, geometry::VARCHAR FROM ${file} ORDER BY id`,
    );
    expect(rows).toEqual([
      [1, 2 ** 40, "=1+1", "1704067200123456", "POLYGON ((0 0, 0 1, 1 1, 1 0, 0 0))"],
      [2, null, "@x", "1704067200000000", null],
      [3, 5, "-7", "1704067200000000", "POINT Z (1 2 3)"],
    ]);
    const metadata = `SELECT decode(value) FROM parquet_kv_metadata(${file}) WHERE decode(key) = 'geo'`;
    const geo = JSON.parse(String((await duckdbRows(metadata)).rows[0]?.[0]));
    expect(geo).toMatchObject({ primary_column: "geometry", columns: { geometry: { encoding: "WKB" } } });
  });
});

describe("describe", () => {
  it("has the range of dates and integers", async () => {
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
      ...{ column: "Depth", definition: null, type: "FLOAT", unit: null, nulls: 1, distinct: 2 },
      ...{ min: -2, max: 1.5, top: null, example: 1.5 },
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
