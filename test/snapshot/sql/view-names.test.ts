import { describe, expect, it } from "vitest";
import type { Diagnostic, Snapshot } from "../../../src/index.js";
import { definition, feature, uuid } from "../../support/records.js";
import { pulledSnapshot } from "../opened-snapshot.js";

const [A, B] = [uuid(1, "aaaaaaaa"), uuid(1, "bbbbbbbb")];

const rows = async (snapshot: Snapshot, query: string) => (await snapshot.sql(query)).objects();

describe("views of semantic types", () => {
  it("have distinct and reported columns for properties that differ in case only", async () => {
    const layerFeatures = [
      feature(1, { properties: { [A]: 1, [B]: 2, ID: 3 } }),
      feature(2, { semantic_type: "FENCES" }),
    ];
    const propertyDefinitions = [definition(A, "Severity"), definition(B, "severity")];
    const snapshot = await pulledSnapshot({ layerFeatures, propertyDefinitions });
    for (const name of ["Severity", "severity"]) {
      await expect(snapshot.sql(`SELECT "${name}" FROM TRENCHES`)).rejects.toMatchObject({
        code: "ERR_QUERY",
        hint: '"Severity" and "severity" are "Severity (aaaaaaaa)" and "severity (bbbbbbbb)" in SQL.',
      });
    }
    await expect(snapshot.sql('SELECT t."ID" FROM trenches t')).rejects.toMatchObject({
      hint: '"id" and "ID" are "id (field)" and "ID (built-in)" in SQL.',
    });
    await expect(snapshot.writeTo("SELECT id FROM trenches", "unwritten.csv", "csv")).rejects.toMatchObject({
      hint: expect.stringContaining('"id (field)"'),
    });
    const values = 'SELECT "id (field)" AS id, "ID (built-in)" AS own, "Severity (aaaaaaaa)" AS a FROM TRENCHES';
    const reported: Diagnostic[] = [];
    const onDiagnostic = (diagnostic: Diagnostic) => reported.push(diagnostic);
    await snapshot.sql("FROM FENCES", { onDiagnostic });
    expect(reported).toEqual([]);
    expect((await snapshot.sql(values, { onDiagnostic })).objects()).toEqual([{ id: 1, own: 3, a: 1 }]);
    expect((await snapshot.sql(values, { onDiagnostic })).objects()).toHaveLength(1);
    const described = (await snapshot.sql("DESCRIBE TRENCHES")).array("column_name") as string[];
    const { diagnostics } = await snapshot.layer({ site_id: 12 });
    const renamed = diagnostics.filter(({ code }) => code === "column-renamed-in-sql");
    const fromLayer = renamed.flatMap(({ facts }) => facts?.["sql_names"]);
    expect(fromLayer).toHaveLength(4);
    expect(described).toEqual(expect.arrayContaining(fromLayer));
    const names = reported.map(({ code, facts }) => [code, facts?.["sql_names"]]);
    expect(names).toEqual([...renamed, ...renamed].map(({ code, facts }) => [code, facts?.["sql_names"]]));
    expect(described.filter((name) => ["severity", "id"].includes(name.toLowerCase()))).toEqual([]);
  });

  it("are distinct for types that differ in case only, or have the name of a table", async () => {
    const types = ["TRENCHES", "Trenches", "SITES"];
    const layerFeatures = types.map((semantic_type, n) => feature(n + 1, { semantic_type }));
    const snapshot = await pulledSnapshot({ layerFeatures });
    const found: Diagnostic[] = [];
    const error = await snapshot
      .sql("SELECT id FROM trenches", { onDiagnostic: (diagnostic) => found.push(diagnostic) })
      .catch((cause: unknown) => cause);
    const names = (found[0]?.facts?.["sql_names"] ?? []) as string[];
    expect(error).toMatchObject({ code: "ERR_QUERY", hint: expect.stringContaining(JSON.stringify(names[1])) });
    expect(names.map((name) => name.replace(/ \([0-9a-f]{8}\)$/, ""))).toEqual(["TRENCHES", "Trenches"]);
    expect(await rows(snapshot, `SELECT id, semantic_type FROM "${names[0]}"`)).toEqual([
      { id: 1, semantic_type: "TRENCHES" },
    ]);
    expect(await rows(snapshot, `SELECT id FROM "${names[1]}"`)).toEqual([{ id: 2 }]);
    found.length = 0;
    const sites = await snapshot.sql("SELECT count(*) AS n FROM sites", { onDiagnostic: (note) => found.push(note) });
    expect(sites.objects()).toEqual([{ n: 1 }]);
    const [view] = (found[0]?.facts?.["sql_names"] ?? []) as string[];
    expect(await rows(snapshot, `SELECT id FROM "${view}"`)).toEqual([{ id: 3 }]);
  });

  it("replace NUL in names", async () => {
    const layerFeatures = [
      feature(1, { semantic_type: "A\0B", properties: { "a\0b": "x", [A]: 2 } }),
      feature(2, { semantic_type: "OTHER" }),
    ];
    const propertyDefinitions = [definition(A, "de\0pth", { type: "FLOAT" })];
    const snapshot = await pulledSnapshot({ layerFeatures, propertyDefinitions });
    expect(await rows(snapshot, 'SELECT id, "a␀b", "de␀pth" FROM "A␀B"')).toEqual([{ id: 1, "a␀b": "x", "de␀pth": 2 }]);
    expect(await rows(snapshot, "SELECT id FROM OTHER")).toEqual([{ id: 2 }]);
    await expect(snapshot.sql("SELECT '\0'")).rejects.toMatchObject({ code: "ERR_QUERY" });
  });
});
