import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { fromRecords, openSnapshot, pull, type Snapshot } from "../../../src/index.js";
import { verifySnapshot } from "../../../src/snapshot/verify-snapshot.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { writeSample } from "../../support/asked-sample.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { site } from "../moving-service.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const [SEVERITY, COST, COST2, FLAG] = [1, 2, 3, 4].map((n) => uuid(n, "aaaaaaaa")) as [string, string, string, string];
let paths = 0;

async function pulled(): Promise<string> {
  const path = join(folder, `sql-${++paths}`);
  const source = fromRecords({
    sites: [site(1)],
    datasets: [dataset(1, { site_id: 1 }), dataset(2, { site_id: 1, name: "Fences", semantic_type: "FENCES" })],
    propertyDefinitions: [
      definition(SEVERITY, 'Se"verity', { type: "FLOAT" }),
      definition(COST, "Cost", { type: "FLOAT" }),
      definition(COST2, "Cost", { type: "FLOAT", dataset_id: 2 }),
      definition(FLAG, "status", { type: "STRING" }),
    ],
    layerFeatures: [
      feature(1, { site_id: 1, properties: { STATUS: "OPEN", [SEVERITY]: 3, [COST]: 1.5 } }),
      feature(2, { site_id: 1, properties: { STATUS: null, [SEVERITY]: 4.5, [COST2]: 2 } }),
      feature(3, { site_id: 1, dataset_id: 2, semantic_type: "FENCES", properties: { [COST]: 7, [COST2]: 8 } }),
    ],
    propertyChanges: [change(1, { layer_feature_id: 1 }), change(2, { layer_feature_id: 3 })],
  });
  await pull(source, path);
  return path;
}

describe("snapshot.sql", () => {
  let snapshot: Snapshot;
  let path = "";
  beforeAll(async () => {
    path = await pulled();
    snapshot = await openSnapshot(path);
    return () => snapshot.close();
  });
  const rows = async (sql: string) => (await snapshot.sql(sql)).objects();

  it("has the tables by name", async () => {
    expect(
      await rows("SELECT count(*) AS n FROM property_changes JOIN layer_features f ON f.id = layer_feature_id"),
    ).toEqual([{ n: 2 }]);
    expect(await rows("SELECT id, site_id, created_at FROM layer_features ORDER BY id LIMIT 1")).toEqual([
      { id: 1, site_id: 1, created_at: new Date("2024-01-01T00:00:00Z") },
    ]);
    expect(await rows("SELECT * FROM gone_features")).toEqual([]);
  });

  it("has a view for each semantic type, with properties by the names that a layer has", async () => {
    expect(await rows('SELECT id, "STATUS", "Se""verity", "Cost" FROM TRENCHES ORDER BY "Se""verity" DESC')).toEqual([
      { id: 2, STATUS: null, 'Se"verity': 4.5, Cost: 2 },
      { id: 1, STATUS: "OPEN", 'Se"verity': 3, Cost: 1.5 },
    ]);
    const names = (await snapshot.sql("FROM fences")).columnNames();
    const layer = await snapshot.layer({ semantic_type: "FENCES" });
    expect(names).toEqual(layer.table.columnNames());
    expect(names).toContain("Cost (Fences)");
  });

  it("lists the views of semantic types with the tables", async () => {
    const tables = [
      ...["blocks", "datasets", "gone_features", "layer_features", "operations"],
      ...["property_changes", "property_definitions", "sites"],
    ];
    const names = [...tables, "FENCES", "FENCES_HISTORY", "TRENCHES", "TRENCHES_HISTORY"].sort();
    for (const query of ["SHOW TABLES", "show tables;", "SHOW ALL TABLES", "FROM (SHOW TABLES)", "DESCRIBE"]) {
      const other = await openedSnapshot(path);
      expect(Array.from((await other.sql(query)).array("name"), String).sort()).toEqual(names);
    }
    for (const query of [
      "SELECT table_name AS name FROM information_schema.tables",
      "SELECT view_name AS name FROM duckdb_views() WHERE NOT internal",
      "SELECT DISTINCT table_name AS name FROM information_schema.columns WHERE column_name = 'Cost (Fences)'",
    ]) {
      const other = await openedSnapshot(path);
      expect((await other.sql(query)).array("name")).toContain("FENCES");
    }
  });

  it("makes a view once for concurrent queries", async () => {
    const asked = Array.from({ length: 20 }, () => rows("SELECT id FROM fences"));
    for (const found of await Promise.all(asked)) expect(found).toEqual([{ id: 3 }]);
    await rows("CREATE OR REPLACE VIEW fences AS SELECT 'my own' AS id");
    expect(await rows("SELECT id FROM fences")).toEqual([{ id: "my own" }]);
  });

  it("has no view for an empty semantic type", async () => {
    const path = join(folder, "nameless");
    await pull(fromRecords({ sites: [site(1)], layerFeatures: [feature(1, { site_id: 1, semantic_type: "" })] }), path);
    const nameless = await openedSnapshot(path);
    expect((await nameless.sql("SELECT count(*) AS n FROM layer_features")).objects()).toEqual([{ n: 1 }]);
  });

  it("has a separate temporary folder", async () => {
    const other = await openedSnapshot(await pulled());
    const setting = "SELECT current_setting('temp_directory') AS folder";
    expect((await other.sql(setting)).get("folder")).not.toBe((await snapshot.sql(setting)).get("folder"));
  });

  it.each([
    "SELECT 1 AS n -- c",
    "SELECT 1 AS n; -- c",
    "SELECT 1 AS n ;; /* ; */ ;",
    "SELECT 1 AS n -- a;b\n",
    "FROM (VALUES (1)) t(n) -- ; --\n WHERE n < 2",
    "SELECT 1 AS n WHERE ';--' <> '' -- '",
    "SELECT 1 AS n /* ; -- */ ORDER BY n",
    'SELECT n FROM (SELECT 1 AS n, $$;--$$ AS ";") -- "',
  ])("copies the result of %s", async (query) => {
    const target = join(folder, "copied.csv");
    await snapshot.writeTo(query, target, "csv");
    expect(readFileSync(target, "utf8")).toBe("n\n1\n");
    expect(await rows(query)).toEqual([{ n: 1 }]);
  });

  it("refuses to copy two statements, or none", async () => {
    const target = join(folder, "two.csv");
    await expect(snapshot.writeTo("SELECT 1; SELECT 2", target, "csv")).rejects.toMatchObject({ code: "ERR_QUERY" });
    await expect(snapshot.writeTo("-- nothing", target, "csv")).rejects.toMatchObject({ code: "ERR_QUERY" });
    expect(existsSync(target)).toBe(false);
  });

  it.each(["csv", "json", "parquet"] as const)("keeps the file if a query fails: %s", async (format) => {
    const dir = mkdtempSync(join(folder, "copy-"));
    const target = join(dir, "out");
    writeFileSync(target, "before", { mode: 0o600 });
    const failing = "SELECT CASE WHEN range < 900000 THEN range ELSE error('late') END AS n FROM range(1000000)";
    await expect(snapshot.writeTo(failing, target, format)).rejects.toThrow(/The query failed: .*late/);
    expect(readFileSync(target, "utf8")).toBe("before");
    await expect(snapshot.writeTo(failing, join(dir, "new"), format)).rejects.toThrow(/late/);
    expect(readdirSync(dir)).toEqual(["out"]);
    await snapshot.writeTo("SELECT 1 AS n", target, format);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readFileSync(target, "utf8")).not.toBe("before");
    expect(readdirSync(dir)).toEqual(["out"]);
  });

  it("writes through a link, and to a device", async () => {
    const dir = mkdtempSync(join(folder, "link-"));
    writeFileSync(join(dir, "out"), "before");
    symlinkSync(join(dir, "out"), join(dir, "link"));
    await snapshot.writeTo("SELECT 1 AS n", join(dir, "link"), "csv");
    expect(readFileSync(join(dir, "out"), "utf8")).toBe("n\n1\n");
    await snapshot.writeTo("SELECT 1 AS n", "/dev/null", "csv");
    expect(statSync("/dev/null").isFile()).toBe(false);
    await expect(snapshot.writeTo("SELECT 1", dir, "csv")).rejects.toThrow(/is a folder/);
    await expect(snapshot.writeTo("SELECT 1", join(dir, "no", "out"), "csv")).rejects.toThrow(
      /the folder .*no is missing/,
    );
  });

  it("has the values of the log as strings and as canonical JSON", async () => {
    const values: readonly (readonly [unknown, string | null])[] = [
      ["OPEN", "OPEN"],
      ["", ""],
      ['say "no"\n', 'say "no"\n'],
      ["3", "3"],
      ["null", "null"],
      [3, "3"],
      [-0.5, "-0.5"],
      [12345678901234567890n, "12345678901234567000"],
      [true, "true"],
      [false, "false"],
      [null, null],
      [["a", 1, null], '["a",1,null]'],
      [{ a: "b" }, '{"a":"b"}'],
      ["cut \ud83d", "cut \ufffd"],
    ];
    const log = values.map(([new_value], index) => {
      const record = JSON.stringify(change(index + 1, { layer_feature_id: 1, new_value: "?" }));
      const text = typeof new_value === "bigint" ? String(new_value) : JSON.stringify(new_value);
      return record.replace('"?"', text);
    });
    const logged = join(folder, "logged");
    await writeSnapshot(logged, { layerFeatures: [feature(1, { site_id: 1 })], propertyChanges: log });
    const reader = await openedSnapshot(logged);
    const found = await reader.sql("SELECT new_value, value FROM property_changes ORDER BY id");
    expect(found.array("value")).toEqual(values.map(([, text]) => text));
    const texts = values.map(([value]) => JSON.stringify(typeof value === "bigint" ? Number(value) : value));
    expect(found.array("new_value")).toEqual(texts.map((text) => (text === "null" ? null : text)));
    expect((await reader.sql("DESCRIBE property_changes")).array("column_name")).toContain("value");
    const empty = join(folder, "without-a-log");
    await writeSnapshot(empty, {});
    const without = await openedSnapshot(empty);
    expect((await without.sql("SELECT value FROM property_changes")).numRows()).toBe(0);
  });

  it("rounds times down to milliseconds, also before 1970", async () => {
    const times = ["1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00.000999Z", "1969-12-31T23:59:59Z"];
    const query = `SELECT ${times.map((time) => `TIMESTAMPTZ '${time}', '${time}'::TIMESTAMP`).join()}`;
    const [row = {}] = (await snapshot.sql(query)).objects();
    const rounded = times.map((time) => new Date(Math.floor(Date.parse(time))));
    expect(Object.values(row)).toEqual(rounded.flatMap((time) => [time, time]));
  });

  it("has the reason in the error of a query", async () => {
    await expect(snapshot.sql("SELECT nonsense FROM sites")).rejects.toThrow(/The query failed: .*nonsense/);
    const late = "SELECT CASE WHEN range < 900000 THEN range ELSE error('late') END AS n FROM range(1000000)";
    await expect(snapshot.sql(late)).rejects.toThrow(/The query failed: .*late/);
  });
});

describe("verifySnapshot", () => {
  it("finds records that refer to nothing", async () => {
    const path = join(folder, "references");
    await pull(
      fromRecords({
        sites: [site(12)],
        layerFeatures: [feature(1, { dataset_id: 9, properties: { [SEVERITY]: 1 } })],
      }),
      path,
    );
    const { damage, references } = await verifySnapshot(path);
    expect(damage).toEqual([]);
    expect(references.map(({ code, count }) => [code, count])).toEqual([["feature-without-dataset", 1]]);
  });

  it("notes keys without a definition, which are not errors", async () => {
    const path = join(folder, "unresolved");
    const keys = [SEVERITY, COST, COST2, FLAG, uuid(5, "aaaaaaaa"), uuid(6, "aaaaaaaa")];
    await pull(
      fromRecords({
        sites: [site(12)],
        datasets: [dataset(1)],
        propertyDefinitions: [definition(FLAG.toUpperCase(), "Flag")],
        layerFeatures: keys.map((key, index) => feature(index + 1, { site_id: 12, properties: { [key]: 1 } })),
      }),
      path,
    );
    const { damage, references, notes } = await verifySnapshot(path);
    expect([damage, references]).toEqual([[], []]);
    const unresolved = keys.filter((key) => key !== FLAG);
    expect(notes).toEqual([
      {
        code: "key-unresolved",
        severity: "warning",
        message: `5 property keys have no definition in the snapshot. Layers show the raw keys: ${unresolved.slice(0, 3).join(", ")}, ….`,
        count: 5,
        facts: { property_keys: unresolved },
      },
    ]);
  });

  it("finds the sample company sound", async () => {
    const path = join(folder, "sample");
    await writeSample(path, { features: 1000 });
    const { damage, references, notes } = await verifySnapshot(path);
    expect([damage, references]).toEqual([[], []]);
    expect(notes.map(({ count }) => count)).toEqual([1]);
  });

  it("skips values that the database cannot read", async () => {
    const path = join(folder, "half-a-pair");
    // JSON can have half a pair of surrogates, which DuckDB does not read.
    const layerFeatures = [feature(1, { properties: { STATUS: "cut \ud83d" } })];
    await pull(fromRecords({ sites: [site(12)], datasets: [dataset(1)], layerFeatures }), path);
    expect(await verifySnapshot(path)).toMatchObject({ damage: [], references: [] });
  });

  it("finds every damaged file", async () => {
    const path = await pulled();
    expect((await verifySnapshot(path)).damage).toEqual([]);
    const files = readdirSync(path, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".parquet"));
    appendFileSync(join(path, files[0] ?? ""), "x");
    rmSync(join(path, files[1] ?? ""));
    expect((await verifySnapshot(path)).damage).toHaveLength(2);
  });
});
