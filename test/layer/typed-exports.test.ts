import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tableToIPC } from "@uwdata/flechette";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/core/diagnostic.js";
import { type Layer, toArrow, toCSV, toGeoJSON, toGeoPackage, toParquet, toXLSX } from "../../src/index.js";
import { fromRecords } from "../../src/source/from-records.js";
import { toTable } from "../../src/tables/column/table.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { duckdbRows } from "../support/duckdb-rows.js";
import { findPython } from "../support/python.js";
import { change, definition, feature, uuid } from "../support/records.js";

const folder = temporaryFolder();

/** The values of a column of each type in three features: two values of the type, and another value. */
const columns = {
  INTEGER: [3, 2 ** 40, 2.5],
  FLOAT: [1.5, -2, "0.8 m"],
  DATE: ["2024-02-29", "1969-12-31", "2023-02-29"],
  DATETIME: ["2024-02-29T12:00:00.123456Z", "2024-02-29T12:00:00+02:00", "noon"],
  BOOLEAN: [true, false, "yes"],
  RELATIONSHIP: [7, 8, "panel 9"],
  LINKS: [[7, 8], 9, [7, "x"]],
  OPTION: ["OPEN", 2, { code: 1 }],
  CHOICES: [["a", 2], "b", [["c"]]],
  TEXT: ["a", "", 5],
} as const;

const typeOf = (name: string) => ({ LINKS: "RELATIONSHIP", CHOICES: "OPTION" })[name] ?? name;
const names = Object.keys(columns) as (keyof typeof columns)[];
const keys = new Map(names.map((name, n) => [name, uuid(n, "aaaaaaaa")]));

function source(rows = [0, 1, 2, 3]) {
  return fromRecords({
    layerFeatures: rows.map((row) =>
      feature(row + 1, {
        properties: Object.fromEntries(names.map((name) => [keys.get(name), columns[name][row] ?? null])),
        geometry: { type: "Point", coordinates: [row, 1] },
      }),
    ),
    propertyDefinitions: names.map((name) => definition(keys.get(name) ?? "", name, { type: typeOf(name) })),
  });
}

let layer: Layer;

beforeAll(async () => {
  layer = await source().layer({ site_id: 12 });
});

const given = {
  INTEGER: [3, 2 ** 40, null, null],
  FLOAT: [1.5, -2, null, null],
  DATE: ["2024-02-29", "1969-12-31", null, null],
  BOOLEAN: [true, false, null, null],
  RELATIONSHIP: [7, 8, null, null],
  LINKS: [[7, 8], [9], null, null],
  OPTION: ["OPEN", "2", null, null],
  CHOICES: [["a", "2"], ["b"], null, null],
  TEXT: ["a", "", null, null],
};
const instants = ["2024-02-29T12:00:00.123456Z", "2024-02-29T10:00:00.000Z", null, null];

const listed = (test: (value: unknown) => boolean) => (value: unknown) => [value].flat().every(test);
const isText = (value: unknown) => typeof value === "string";
const naiveTypes: Readonly<Record<string, (value: unknown) => boolean>> = {
  INTEGER: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 63,
  FLOAT: (value) => typeof value === "number",
  DATE: (value) => value === "2024-02-29",
  DATETIME: (value) => value === "2024-01-01T00:00:00Z",
  BOOLEAN: (value) => value === true || value === false,
  RELATIONSHIP: listed((value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 63),
  OPTION: listed((value) => isText(value) || typeof value === "number"),
  STRING: isText,
};

describe("columns of exports", () => {
  it("have their definition's type, and null for other values", async () => {
    const { features } = layer.toGeoJSON();
    for (const [name, values] of Object.entries(given)) {
      expect(features.map(({ properties }) => properties?.[name])).toEqual(values);
    }
    expect(features.map(({ properties }) => properties?.["DATETIME"])).toEqual(instants);
    expect((await layer.toCSV()).split("\r\n")[3]).toBe(
      '3,F-3,,,,,,,,,,,TRENCHES,1,,12,3,"",2024-01-01T00:00:00.000Z,2024-01-01T00:00:00.000Z,"{""type"":""Point"",""coordinates"":[2,1]}"',
    );
    expect((await layer.toDanfo()).dtypes.slice(2, 7)).toEqual(["string", "string", "string", "string", "float32"]);
  });

  it("are typed in SQL, and can be added up", async () => {
    const types = (await layer.sql("SELECT column_name, column_type FROM (DESCRIBE layer)")).objects();
    expect(Object.fromEntries(types.map((row) => Object.values(row)))).toMatchObject({
      ...{ INTEGER: "BIGINT", FLOAT: "DOUBLE", BOOLEAN: "BOOLEAN", TEXT: "VARCHAR", OPTION: "VARCHAR" },
      ...{ DATE: "DATE", DATETIME: "TIMESTAMP WITH TIME ZONE", CHOICES: "VARCHAR[]" },
      ...{ RELATIONSHIP: "BIGINT", LINKS: "BIGINT[]" },
    });
    const sums = await layer.sql('SELECT sum("FLOAT") AS f, sum("INTEGER") AS i, max("DATE") AS d FROM layer');
    expect(sums.objects()).toEqual([{ f: -0.5, i: 3 + 2 ** 40, d: "2024-02-29" }]);
  });

  it("have diagnostics of invalid values, which the table keeps", () => {
    expect(layer.diagnostics.map(({ code, count, facts }) => [code, count, facts?.["column"]])).toEqual(
      [...names].sort().map((name) => ["value-type-mismatch", 1, name]),
    );
    expect(layer.diagnostics.find(({ facts }) => facts?.["column"] === "FLOAT")?.message).toBe(
      '1 value of "FLOAT" is not of the definition\'s type FLOAT (a string of 5 characters): null in exports and SQL, unchanged in the table.',
    );
    expect([...layer.table.array("FLOAT")]).toEqual([...columns.FLOAT, null]);
  });

  it("are followed by columns of raw values on request, if values differ", async () => {
    const diagnostics: Diagnostic[] = [];
    const onDiagnostic = (diagnostic: Diagnostic) => diagnostics.push(diagnostic);
    const { features } = layer.toGeoJSON({ asLogged: true, onDiagnostic });
    expect(diagnostics).toEqual(layer.diagnostics);
    for (const name of names) {
      const logged = features.map(({ properties }) => properties?.[`${name} (as logged)`]);
      expect(logged).toEqual([...columns[name], null]);
    }
    const table = await layer.sql('SELECT "FLOAT (as logged)" AS raw FROM layer WHERE "FLOAT" IS NULL ORDER BY id', {
      asLogged: true,
    });
    expect([...table.array("raw")]).toEqual(["0.8 m", null]);
    const clean = await source([0, 1]).layer({ site_id: 12 });
    expect(clean.diagnostics).toEqual([]);
    expect(await clean.toCSV({ asLogged: true })).not.toContain("as logged");
  });

  it("have each value or null, for random values", async () => {
    const value = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.constantFrom("2024-02-29", "2023-02-29", "2024-01-01T00:00:00Z", "", "5"),
      fc.array(fc.oneof(fc.integer(), fc.constantFrom("a", null)), { maxLength: 2 }),
    );
    const type = fc.constantFrom("INTEGER", "FLOAT", "DATE", "DATETIME", "BOOLEAN", "RELATIONSHIP", "OPTION", "STRING");
    await fc.assert(
      fc.asyncProperty(type, fc.array(value, { maxLength: 6 }), async (chosen, values) => {
        const key = uuid(0, "aaaaaaaa");
        const made = await fromRecords({
          layerFeatures: values.map((one, row) => feature(row + 1, { properties: { [key]: one } })),
          propertyDefinitions: [definition(key, "Value", { type: chosen })],
        }).layer({ site_id: 12 });
        const fits = (one: unknown) => one !== null && naiveTypes[chosen]?.(one) === true;
        const bad = values.filter((one) => one !== null && !fits(one));
        if (values.length === 0) return;
        expect(made.diagnostics.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(bad.length);
        const shown = await made.sql('SELECT "Value" IS NOT NULL AS has FROM layer ORDER BY id');
        expect([...shown.array("has")]).toEqual(values.map(fits));
      }),
      { numRuns: 30 },
    );
  });
});

describe("tables of histories", () => {
  const depth = keys.get("FLOAT") ?? "";
  const changed = (n: number, id: number, new_value: unknown, created_at: string) =>
    change(n, { layer_feature_id: id, property_key: depth, new_value, created_at });
  const opened = async () => {
    const records = {
      layerFeatures: [1, 2].map((id) =>
        feature(id, { properties: { [depth]: id }, geometry: { type: "Point", coordinates: [id, 2] } as const }),
      ),
      propertyDefinitions: [definition(depth, "Depth", { type: "FLOAT" })],
      propertyChanges: [
        changed(1, 1, "0.8 m", "2024-02-01T00:00:00Z"),
        changed(2, 1, 1, "2024-03-01T00:00:00Z"),
        changed(3, 2, 2, "2024-02-01T00:00:00.000001Z"),
      ],
    };
    return (await fromRecords(records).layer({ site_id: 12 })).history();
  };

  it("export like a layer, with their rows", async () => {
    const history = await opened();
    const asOf = history.asOf("2024-02-15");
    expect([...asOf.array("Depth")]).toEqual(["0.8 m", 2]);
    const types = async (table: Parameters<typeof toArrow>[0]) =>
      Object.fromEntries((await toArrow(table)).schema.fields.map(({ name, type }) => [name, type.typeId]));
    expect(await types(asOf)).toEqual(await types(history.asOf("2024-04-01")));
    expect(
      toGeoJSON(asOf).features.map(({ id, geometry, properties }) => [id, geometry, properties?.["Depth"]]),
    ).toEqual([
      [1, { type: "Point", coordinates: [1, 2] }, null],
      [2, { type: "Point", coordinates: [2, 2] }, 2],
    ]);
    const diagnostics: Diagnostic[] = [];
    const panel = history.panel({ from: "2024-02-29", until: "2024-03-31", every: "month" });
    const text = await toCSV(panel.orderby("id").filter("d => d.id === 1"), {
      onDiagnostic: (one) => diagnostics.push(one),
    });
    expect(text.split("\r\n")).toEqual(["date,id,visible_id,Depth", "2024-02-29,1,F-1,", "2024-03-29,1,F-1,1", ""]);
    expect(diagnostics.map(({ count }) => count)).toEqual([1]);
    expect((await toArrow(panel)).schema.fields[0]?.type).toMatchObject({ typeId: 8 });
  });

  it("are refused with the reason if they cannot be exported", async () => {
    const history = await opened();
    expect(() => toGeoJSON(history.changes())).toThrow("no geometry column");
    await expect(toCSV(layer as never)).rejects.toThrow("is a layer, not a table");
    await expect(toParquet(history.changes(), {} as never)).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
    await expect(toArrow(history.changes(), { asLoged: true } as never)).rejects.toMatchObject({
      hint: "Did you mean asLogged?",
    });
  });
});

const python = findPython("geopandas, pyarrow, polars");

describe.skipIf(!python)("types in other libraries", () => {
  it("are those of the definitions, for pyarrow, pandas and polars", async () => {
    const [parquet, arrow] = [join(folder, "typed.parquet"), join(folder, "typed.arrow")];
    await layer.toParquet({ path: parquet });
    await writeFile(arrow, tableToIPC(await layer.toArrow(), {}) ?? "");
    const script = join(import.meta.dirname, "python", "read_types.py");
    const printed = execFileSync(python?.program ?? "", [script, parquet, arrow], { encoding: "utf8" });
    const { geo, polars, schemas, rows } = JSON.parse(printed) as {
      readonly geo: unknown;
      readonly polars: unknown;
      readonly schemas: readonly Record<string, string>[];
      readonly rows: readonly (readonly Record<string, unknown>[])[];
    };
    for (const schema of schemas) {
      expect(schema).toMatchObject({
        ...{ id: "int64", INTEGER: "int64", FLOAT: "double", BOOLEAN: "bool", TEXT: "string", OPTION: "string" },
        ...{ DATE: "date32[day]", DATETIME: "timestamp[us, tz=UTC]", CHOICES: "list<string>" },
        ...{ RELATIONSHIP: "int64", LINKS: "list<int64>" },
      });
    }
    for (const read of rows) {
      for (const [name, values] of Object.entries(given)) expect(read.map((row) => row[name])).toEqual(values);
      expect(read[0]?.["DATETIME"]).toBe("2024-02-29 12:00:00.123456+00:00");
    }
    expect(polars).toMatchObject({ INTEGER: "Int64", DATE: "Date", LINKS: "List(Int64)", FLOAT: "Float64" });
    expect(geo).toEqual({ version: "1.0.0", crs: "OGC:CRS84", sum: -0.5, depths: "float64" });
  });
});

describe("integers that a double cannot hold", () => {
  const table = toTable([
    ["big", [1, 2n ** 62n + 1n, null]],
    ["huge", [1n, 2n ** 100n, null]],
    ["lists", [[1n], [2n ** 62n + 1n], null]],
  ]);

  it("are exact in every export", async () => {
    const [parquet, geopackage, csv] = ["big.parquet", "big.gpkg", "big.csv"].map((name) => join(folder, name));
    await toParquet(table, { path: parquet ?? "" });
    await toGeoPackage(table, { path: geopackage ?? "" });
    await toXLSX(table, { path: join(folder, "big.xlsx") });
    expect(await toCSV(table, { path: csv ?? "" })).toBe(
      'big,huge,lists\r\n1,1,[1]\r\n4611686018427387905,1267650600228229401496703205376,"[""4611686018427387905""]"\r\n,,\r\n',
    );
    const { rows } = await duckdbRows(`SELECT big, typeof(big), huge, lists FROM '${parquet}' ORDER BY big`);
    expect(rows.slice(0, 2)).toEqual([
      [1n, "BIGINT", "1", "[1]"],
      [2n ** 62n + 1n, "BIGINT", "1267650600228229401496703205376", '["4611686018427387905"]'],
    ]);
    expect((await toArrow(table)).getChild("huge").at(1)).toBe("1267650600228229401496703205376");
  });

  it("refuses files without columns, and names the folder that a CSV lacks", async () => {
    const none = toTable([]);
    await expect(toParquet(none, { path: join(folder, "none.parquet") })).rejects.toThrow("no columns");
    await expect(toGeoPackage(none, { path: join(folder, "none.gpkg") })).rejects.toThrow("no columns");
    const nowhere = toCSV(table, { path: join(folder, "nowhere", "x.csv") });
    await expect(nowhere).rejects.toMatchObject({ code: "ERR_FILE" });
  });
});
