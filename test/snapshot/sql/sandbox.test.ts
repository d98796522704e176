import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromRecords, type Layer, openSnapshot, pull, type Snapshot } from "../../../src/index.js";
import { change, dataset, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const path = join(folder, "acme.snapshot");
const secret = join(folder, "secret.csv");
const loot = join(folder, "loot.csv");
const sandbox = { sandbox: true };

const records = (name: string) =>
  fromRecords({
    sites: [{ ...site(1), name }],
    datasets: [dataset(1, { site_id: 1 })],
    layerFeatures: [1, 2].map((id) => feature(id, { site_id: 1, properties: { STATUS: id === 1 ? "OPEN" : "DONE" } })),
    propertyChanges: [change(1)],
  });

let snapshot: Snapshot;
let layer: Layer;
let part: string;

beforeAll(async () => {
  writeFileSync(secret, "a,b\n1,2\n");
  await pull(records("old"), path);
  snapshot = await openSnapshot(path);
  layer = await snapshot.layer({ site_id: 1 });
  part = join(path, "files", "sites", readdirSync(join(path, "files", "sites"))[0] ?? "");
});
afterAll(() => snapshot.close());

/** Queries that must not run in a sandbox, and a file that some of them would make. */
const forbidden = (): readonly string[] => [
  "FROM read_csv('/etc/passwd')",
  `FROM '${secret}'`,
  `FROM read_text('${secret}')`,
  `FROM read_blob('${path}/manifest.json')`,
  `FROM read_text('${path}/../secret.csv')`,
  `FROM glob('${folder}/*')`,
  `FROM sniff_csv('${secret}')`,
  "FROM read_csv('http://127.0.0.1:9/x.csv')",
  "FROM duckdb_secrets()",
  `COPY (SELECT 1) TO '${loot}'`,
  `COPY (SELECT 1 AS n) TO '${part}' (FORMAT parquet, USE_TMP_FILE false)`,
  `EXPLAIN ANALYZE COPY (SELECT 1 AS n) TO '${part}' (FORMAT parquet, USE_TMP_FILE false)`,
  `PREPARE p AS COPY (SELECT 1) TO '${part}'`,
  `SELECT 1; COPY (SELECT 1) TO '${loot}'`,
  `SELECT 1) TO '${loot}'; SELECT (1`,
  `EXPORT DATABASE '${folder}/export'`,
  `ATTACH '${loot}'`,
  "ATTACH ':memory:' AS other",
  "INSTALL spatial",
  "LOAD spatial",
  `LOAD '${folder}/x.duckdb_extension'`,
  "SET enable_external_access = true",
  "SET lock_configuration = false",
  "SET allowed_directories = ['/']",
  "RESET memory_limit",
  "PRAGMA enable_profiling",
  "CALL pragma_version()",
  "CREATE TABLE mine AS SELECT 1",
  "DROP VIEW layer",
];

describe.each(["snapshot.sql", "snapshot.copy", "layer.sql"])("%s in a sandbox", (call) => {
  const out = join(folder, `${call}.out`);
  const run = (query: string) => {
    if (call === "layer.sql") return layer.sql(query, sandbox);
    return call === "snapshot.sql" ? snapshot.sql(query, sandbox) : snapshot.writeTo(query, out, "csv", sandbox);
  };

  it("refuses queries that affect anything else", async () => {
    const before = readFileSync(part);
    for (const query of forbidden()) {
      await expect(run(query), query).rejects.toMatchObject({ name: "QueryError", code: "ERR_QUERY" });
    }
    expect(readFileSync(part)).toEqual(before);
    expect(existsSync(loot)).toBe(false);
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(["acme.snapshot", "secret.csv"]);
  });

  it("has a message and a hint", async () => {
    await expect(run(`FROM '${secret}'`)).rejects.toMatchObject({
      hint: "Queries in a sandbox cannot open files. Remove `sandbox` to allow it.",
    });
    await expect(run("SET threads = 1")).rejects.toThrow("sql(): SET is not allowed in a sandbox.");
  });
});

describe("a sandbox", () => {
  it("runs every query over the snapshot", async () => {
    const query = `SELECT f.id, "STATUS", count(c.id) AS n FROM TRENCHES f LEFT JOIN property_changes c
      ON c.layer_feature_id = f.id GROUP BY ALL ORDER BY f.id; -- done`;
    const rows = [
      { id: 1, STATUS: "OPEN", n: 1 },
      { id: 2, STATUS: "DONE", n: 0 },
    ];
    expect((await snapshot.sql(query, sandbox)).objects()).toEqual(rows);
    expect((await snapshot.sql(query)).objects()).toEqual(rows);
    for (const shown of ["DESCRIBE sites", "SUMMARIZE sites", "SHOW TABLES", "VALUES (1)", "FROM sites"]) {
      expect((await snapshot.sql(shown, sandbox)).numRows()).toBeGreaterThan(0);
    }
    for (const format of ["csv", "json", "parquet"] as const) {
      const target = join(folder, `copied.${format}`);
      await snapshot.writeTo(query, target, format, sandbox);
      expect((await snapshot.sql(`SELECT count(*) AS n FROM '${target}'`)).get("n", 0)).toBe(2);
    }
    const places = join(folder, "places.parquet");
    await snapshot.writeTo("SELECT geometry FROM TRENCHES", places, "parquet", sandbox);
    const geo = await snapshot.sql(`SELECT count(*) AS n FROM parquet_kv_metadata('${places}') WHERE key = 'geo'`);
    expect(geo.get("n", 0)).toBe(1);
    const counted = 'SELECT "STATUS", count(*) AS n FROM layer GROUP BY ALL ORDER BY ALL';
    expect((await layer.sql(counted, sandbox)).objects()).toEqual([
      { STATUS: "DONE", n: 1 },
      { STATUS: "OPEN", n: 1 },
    ]);
  });

  it("keeps its generation after a pull, and ends when the snapshot is closed", async () => {
    const again = join(folder, "again.snapshot");
    await pull(records("old"), again);
    const reader = await openSnapshot(again);
    const name = async () => (await reader.sql("SELECT name FROM sites", sandbox)).get("name", 0);
    expect(await name()).toBe("old");
    await pull(records("new"), again);
    expect(await name()).toBe("old");
    const target = join(folder, "again.csv");
    await reader.writeTo("SELECT name FROM sites", target, "csv", sandbox);
    expect(readFileSync(target, "utf8")).toBe("name\nold\n");
    await reader.close();
    await expect(name()).rejects.toMatchObject({ code: "ERR_SNAPSHOT" });
    await expect(reader.writeTo("FROM sites", target, "csv", sandbox)).rejects.toMatchObject({ code: "ERR_SNAPSHOT" });
  });

  it.each([{ sandBox: true }, { sandbox: "yes" }, "sandbox", null])("is not requested by %j", async (options) => {
    const refused = { code: "ERR_ARGUMENT" };
    await expect(snapshot.sql("FROM sites", options as never)).rejects.toMatchObject(refused);
    await expect(layer.sql("FROM layer", options as never)).rejects.toMatchObject(refused);
    const target = join(folder, "never.csv");
    await expect(snapshot.writeTo("FROM sites", target, "csv", options as never)).rejects.toMatchObject(refused);
  });
});

describe("a bounded query", () => {
  it("returns the first rows, for all ends of a query", async () => {
    const asked = async (query: string, limit: number) => (await snapshot.sql(query, { ...sandbox, limit })).array("n");
    expect(await asked("SELECT range AS n FROM range(10) ORDER BY range DESC; -- last", 3)).toEqual([9, 8, 7]);
    expect(await asked("SELECT 1 AS n", 3)).toEqual([1]);
    expect((await snapshot.sql("SHOW TABLES", { limit: 2 })).numRows()).toBe(2);
    await expect(snapshot.sql("SELECT 1", { limit: -1 })).rejects.toThrow("limit must be an integer of at least 0");
  });

  it("can do no more than other queries in a sandbox", async () => {
    for (const query of forbidden())
      await expect(snapshot.sql(query, { ...sandbox, limit: 1 }), query).rejects.toThrow();
    expect(existsSync(loot)).toBe(false);
  });

  it("ends with the reason of the signal", async () => {
    const query = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b";
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("enough")), 200);
    await expect(snapshot.sql(query, { ...sandbox, signal: stop.signal })).rejects.toThrow("enough");
    await expect(snapshot.sql("SELECT 1", { signal: stop.signal })).rejects.toThrow("enough");
  });
});
