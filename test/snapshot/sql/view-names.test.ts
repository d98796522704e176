import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Finding, fromRecords, openSnapshot, pull, type Snapshot } from "../../../src/index.js";
import { dataset, definition, feature, uuid } from "../../support/records.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const [A, B] = [uuid(1, "aaaaaaaa"), uuid(1, "bbbbbbbb")];
let paths = 0;

async function pulled(
  records: Parameters<typeof fromRecords>[0],
  use: (snapshot: Snapshot) => Promise<void>,
): Promise<void> {
  const path = join(folder, `names-${++paths}`);
  await pull(fromRecords({ sites: [site(1)], datasets: [dataset(1)], ...records }), path);
  const snapshot = await openSnapshot(path);
  await use(snapshot).finally(() => snapshot.close());
}

const rows = async (snapshot: Snapshot, query: string) => (await snapshot.sql(query)).objects();

describe("views of semantic types", () => {
  it("give no property's values for those of another whose name differs in case only", async () => {
    const layerFeatures = [feature(1, { site_id: 1, properties: { [A]: 1, [B]: 2, ID: 3 } })];
    const propertyDefinitions = [definition(A, "Severity"), definition(B, "severity")];
    await pulled({ layerFeatures, propertyDefinitions }, async (snapshot) => {
      for (const name of ["Severity", "severity"]) {
        await expect(snapshot.sql(`SELECT "${name}" FROM TRENCHES`)).rejects.toMatchObject({
          code: "ERR_ARGUMENT",
          hint: '"Severity" and "severity" are "Severity (aaaaaaaa)" and "severity (bbbbbbbb)" in SQL.',
        });
      }
      await expect(snapshot.sql('SELECT t."ID" FROM trenches t')).rejects.toMatchObject({
        hint: '"id" and "ID" are "id (field)" and "ID (built-in)" in SQL.',
      });
      await expect(snapshot.copy("SELECT id FROM trenches", join(folder, "x"), "csv")).rejects.toMatchObject({
        hint: expect.stringContaining('"id (field)"'),
      });
      const values = 'SELECT "id (field)" AS id, "ID (built-in)" AS own, "Severity (aaaaaaaa)" AS a FROM TRENCHES';
      expect(await rows(snapshot, values)).toEqual([{ id: 1, own: 3, a: 1 }]);
      const described = (await snapshot.sql("DESCRIBE TRENCHES")).array("column_name") as string[];
      const { findings } = await snapshot.layer({ site_id: 1 });
      const renamed = findings.filter(({ code }) => code === "sql-name");
      const fromLayer = renamed.flatMap(({ facts }) => facts?.["sql_names"]);
      expect(fromLayer).toHaveLength(4);
      expect(described).toEqual(expect.arrayContaining(fromLayer));
      expect(described.filter((name) => ["severity", "id"].includes(name.toLowerCase()))).toEqual([]);
    });
  });

  it("tell of it when they are queried", async () => {
    const layerFeatures = [
      feature(1, { site_id: 1, properties: { [A]: 1, [B]: 2 } }),
      feature(2, { site_id: 1, semantic_type: "FENCES" }),
    ];
    const propertyDefinitions = [definition(A, "Severity"), definition(B, "severity")];
    await pulled({ layerFeatures, propertyDefinitions }, async (snapshot) => {
      const found: Finding[] = [];
      const onFinding = (finding: Finding) => found.push(finding);
      await snapshot.sql("FROM FENCES", { onFinding });
      expect(found).toEqual([]);
      for (const _ of [1, 2]) await snapshot.sql("SELECT 1 FROM TRENCHES", { onFinding });
      const renamed = { columns: ["Severity", "severity"], sql_names: ["Severity (aaaaaaaa)", "severity (bbbbbbbb)"] };
      expect(found).toMatchObject([
        { code: "sql-name", facts: renamed },
        { code: "sql-name", facts: renamed },
      ]);
    });
  });

  it("are never mixed where types differ in case only, or are called like a table", async () => {
    const types = ["TRENCHES", "Trenches", "SITES"];
    const layerFeatures = types.map((semantic_type, n) => feature(n + 1, { site_id: 1, semantic_type }));
    await pulled({ layerFeatures }, async (snapshot) => {
      const found: Finding[] = [];
      const error = await snapshot
        .sql("SELECT id FROM trenches", { onFinding: (finding) => found.push(finding) })
        .catch((cause: unknown) => cause);
      const names = (found[0]?.facts?.["sql_names"] ?? []) as string[];
      expect(error).toMatchObject({ code: "ERR_ARGUMENT", hint: expect.stringContaining(JSON.stringify(names[1])) });
      expect(names.map((name) => name.replace(/ \([0-9a-f]{8}\)$/, ""))).toEqual(["TRENCHES", "Trenches"]);
      expect(await rows(snapshot, `SELECT id, semantic_type FROM "${names[0]}"`)).toEqual([
        { id: 1, semantic_type: "TRENCHES" },
      ]);
      expect(await rows(snapshot, `SELECT id FROM "${names[1]}"`)).toEqual([{ id: 2 }]);
      found.length = 0;
      const sites = await snapshot.sql("SELECT count(*) AS n FROM sites", { onFinding: (note) => found.push(note) });
      expect(sites.objects()).toEqual([{ n: 1 }]);
      const [view] = (found[0]?.facts?.["sql_names"] ?? []) as string[];
      expect(await rows(snapshot, `SELECT id FROM "${view}"`)).toEqual([{ id: 3 }]);
    });
  });

  it("take names with NUL, which SQL has not", async () => {
    const layerFeatures = [
      feature(1, { site_id: 1, semantic_type: "A\0B", properties: { "a\0b": "x", [A]: 2 } }),
      feature(2, { site_id: 1, semantic_type: "OTHER" }),
    ];
    const propertyDefinitions = [definition(A, "de\0pth", { type: "FLOAT" })];
    await pulled({ layerFeatures, propertyDefinitions }, async (snapshot) => {
      expect(await rows(snapshot, 'SELECT id, "a␀b", "de␀pth" FROM "A␀B"')).toEqual([
        { id: 1, "a␀b": "x", "de␀pth": 2 },
      ]);
      expect(await rows(snapshot, "SELECT id FROM OTHER")).toEqual([{ id: 2 }]);
      await expect(snapshot.sql("SELECT '\0'")).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
    });
  });
});
