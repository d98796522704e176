import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Layer } from "../../src/index.js";
import { fromRecords } from "../../src/source/from-records.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { duckdbRows } from "../support/duckdb-rows.js";
import { definition, feature, uuid } from "../support/records.js";

const folder = temporaryFolder();
const [A, B, C] = [uuid(1, "aaaaaaaa"), uuid(1, "bbbbbbbb"), uuid(1, "cccccccc")];

/** A layer of one feature; each definition's value is its key. */
function layerOf(definitions: Readonly<Record<string, string>>, builtIn: Readonly<Record<string, unknown>> = {}) {
  const values = Object.fromEntries(Object.keys(definitions).map((key) => [key, key]));
  const source = fromRecords({
    layerFeatures: [feature(1, { properties: { ...builtIn, ...values } })],
    propertyDefinitions: Object.entries(definitions).map(([key, name]) => definition(key, name)),
  });
  return source.layer({ site_id: 12 });
}

const rows = async (layer: Layer, query: string) => (await layer.sql(query)).objects();

describe("names that differ in case only", () => {
  it("have suffixes in SQL, so that no query reads another property", async () => {
    const layer = await layerOf({ [A]: "Severity", [B]: "severity" });
    for (const name of ["severity", "Severity", "SEVERITY"]) {
      await expect(layer.sql(`SELECT "${name}" FROM layer`)).rejects.toMatchObject({
        code: "ERR_QUERY",
        hint: '"Severity" and "severity" are "Severity (aaaaaaaa)" and "severity (bbbbbbbb)" in SQL.',
      });
      await expect(layer.sql(`SELECT l.${name} FROM layer l ORDER BY 1`)).rejects.toMatchObject({
        hint: expect.stringContaining('"severity (bbbbbbbb)"'),
      });
    }
    const both = 'SELECT "Severity (aaaaaaaa)" AS a, "severity (bbbbbbbb)" AS b FROM layer';
    expect(await rows(layer, both)).toEqual([{ a: A, b: B }]);
    expect(layer.diagnostics).toEqual([
      {
        code: "column-renamed-in-sql",
        severity: "info",
        message: expect.stringContaining('"Severity" and "severity" differ only in case'),
        count: 2,
        facts: { columns: ["Severity", "severity"], sql_names: ["Severity (aaaaaaaa)", "severity (bbbbbbbb)"] },
      },
    ]);
  });

  it("have suffixes by kind: field, built-in key, property", async () => {
    const layer = await layerOf({ [A]: "ID", [B]: "Status", [C]: "status (bbbbbbbb)" }, { STATUS: "OPEN" });
    await expect(layer.sql('SELECT "ID" FROM layer')).rejects.toMatchObject({
      hint: '"id" and "ID" are "id (field)" and "ID (aaaaaaaa)" in SQL.',
    });
    const described = await rows(layer, "SELECT column_name FROM (DESCRIBE layer) LIMIT 7");
    expect(described.map((row) => (row as { column_name: string }).column_name)).toEqual([
      "id (field)",
      "visible_id",
      "ID (aaaaaaaa)",
      "STATUS (built-in)",
      `Status (${B})`,
      "status (bbbbbbbb)",
      "semantic_type",
    ]);
  });

  it("cause no hint for other errors", async () => {
    const layer = await layerOf({ [A]: "ID" });
    const error = await layer.sql("SELECT nothing FROM layer").catch((cause: unknown) => cause);
    expect(error).toMatchObject({ message: expect.stringContaining('"nothing"'), hint: undefined });
  });

  it("have the same names in Parquet", async () => {
    const layer = await layerOf({ [A]: "Severity", [B]: "severity" });
    const path = join(folder, "alike.parquet");
    await layer.toParquet({ path });
    expect(await duckdbRows(`SELECT COLUMNS('.everity.*') FROM '${path}'`)).toEqual({
      names: ["Severity (aaaaaaaa)", "severity (bbbbbbbb)"],
      rows: [[A, B]],
    });
  });

  it("are equal only for ASCII letters", async () => {
    const layer = await layerOf({ [A]: "Länge", [B]: "LÄNGE" });
    expect(await rows(layer, 'SELECT "Länge", "LÄNGE" FROM layer')).toEqual([{ Länge: A, LÄNGE: B }]);
    expect(layer.diagnostics).toEqual([]);
  });

  it("have their own values, for random names", async () => {
    const name = fc.string({ unit: fc.constantFrom("a", "A", "b", " ", "(", "é", "É", "\0", '"', "1"), maxLength: 3 });
    const names = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(names, async (chosen) => {
        const keys = chosen.map((_, n) => uuid(n, n % 2 ? "aaaaaaaa" : "bbbbbbbb"));
        const layer = await layerOf(Object.fromEntries(keys.map((key, n) => [key, chosen[n] ?? ""])));
        const [row = {}] = await rows(layer, "FROM layer");
        const found = Object.values(row).filter((value) => keys.includes(value as string));
        expect(found.sort()).toEqual([...keys].sort());
        const renamed = new Set(layer.diagnostics.flatMap(({ facts }) => facts?.["columns"] ?? []));
        for (const { column, property_keys } of layer.schema) {
          if (property_keys.length === 0 || renamed.has(column)) continue;
          const quoted = column.replaceAll('"', '""');
          expect(await rows(layer, `SELECT "${quoted}" AS value FROM layer`)).toEqual([{ value: property_keys[0] }]);
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe("names that SQL cannot write", () => {
  it("have ␀ instead of NUL", async () => {
    const layer = await layerOf({ [A]: "de\0pth" }, { "a\0b": 1 });
    expect(await rows(layer, 'SELECT "de␀pth", "a␀b" FROM layer')).toEqual([{ "de␀pth": A, "a␀b": 1 }]);
    expect(layer.diagnostics.map(({ code, facts }) => [code, facts?.["sql_names"]])).toEqual([
      ["column-renamed-in-sql", ["a␀b"]],
      ["column-renamed-in-sql", ["de␀pth"]],
    ]);
    expect(layer.derive("twice", () => 2).diagnostics).toEqual(layer.diagnostics);
    const path = join(folder, "nul.parquet");
    await layer.toParquet({ path });
    expect((await duckdbRows(`SELECT "a␀b" FROM '${path}'`)).rows).toEqual([[1]]);
  });

  it("must not contain NUL in a query", async () => {
    const layer = await layerOf({ [A]: "de\0pth" });
    await expect(layer.sql('SELECT "de\0pth" FROM layer')).rejects.toMatchObject({
      code: "ERR_QUERY",
      message: expect.stringContaining("position 10"),
    });
  });
});
