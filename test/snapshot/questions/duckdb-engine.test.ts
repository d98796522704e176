import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { duckdb, type EngineQueryOptions } from "../../../src/index.js";
import { readManifest } from "../../../src/snapshot/folder/manifest-file.js";
import { DuckDBEngine } from "../../../src/snapshot/questions/duckdb-engine.js";
import { duckdbRows } from "../../support/duckdb-rows.js";
import { writeSmallCompany } from "../../support/small-company.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder, temporaryPaths } from "../temporary-folder.js";

const folder = temporaryFolder();
const newPath = temporaryPaths(folder);

/** An engine over a small snapshot, which is closed when the test ends. */
async function openEngine(options = {}): Promise<DuckDBEngine> {
  const path = newPath();
  await writeSmallCompany(path);
  const engine = await DuckDBEngine.open(path, await readManifest(path), duckdb(options));
  onTestFinished(() => engine.close());
  return engine;
}

async function rowsOf(engine: DuckDBEngine, sql: string, options?: EngineQueryOptions): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const { rowCount, columns } of engine.query(sql, options)) {
    for (let row = 0; row < rowCount; row += 1) rows.push(columns.map((column) => column[row]));
  }
  return rows;
}

const ENDLESS = "SELECT count(*) FROM range(10000000000) a, range(1000000) b";

describe("DuckDB as an engine", () => {
  it("returns any number of rows, by columns", async () => {
    const engine = await openEngine();
    expect(await rowsOf(engine, "SELECT id, CAST(layer_feature_id AS DOUBLE) AS f FROM property_changes ORDER BY id LIMIT 1"))
      .toEqual([["00000000-0000-7000-8000-000000000001", 1]]); // biome-ignore format: short
    expect(
      await rowsOf(engine, "SELECT 'x' AS text, 1.5::DOUBLE AS number, true AS flag, NULL::VARCHAR AS nothing"),
    ).toEqual([["x", 1.5, true, null]]);
    expect(await rowsOf(engine, "SELECT 1 WHERE false")).toEqual([]);
    expect((await rowsOf(engine, "SELECT i::DOUBLE FROM range(100000) t(i) ORDER BY i")).map(([i]) => i)).toEqual(
      Array.from({ length: 100_000 }, (_, i) => i),
    );
  });

  it("returns UUIDs as words, and null as zeros", async () => {
    const engine = await openEngine();
    const ids = ["00000000-0000-0000-0000-000000000001", "7fffffff-89ab-7cde-8123-456789abcdef", null];
    const later = "ffffffff-ffff-ffff-ffff-fffffffffffe";
    const rows = [...ids, later].map((id, n) => `(${n}, ${id === null ? "NULL" : `'${id}'`}::UUID)`).join();
    const words: number[] = [];
    for await (const { rowCount, columns } of engine.query(`SELECT id FROM (VALUES ${rows}) t(n, id) ORDER BY n`)) {
      expect(columns[0]).toHaveLength(4 * rowCount);
      words.push(...Array.from(columns[0] ?? [], Number));
    }
    const digits = words.map((word) => word.toString(16).padStart(8, "0")).join("");
    const zeros = "0".repeat(32);
    expect(digits).toBe([...ids, later].map((id) => id?.replaceAll("-", "") ?? zeros).join(""));
  });

  it("fails if DuckDB would end a result early", async () => {
    const engine = await openEngine();
    const sql = "SELECT CASE WHEN i = 150000 THEN error('no more') ELSE '' END FROM range(200000) t(i)";
    await expect(rowsOf(engine, sql)).rejects.toMatchObject({
      code: "ERR_ENGINE",
      problem: "failed",
      message: expect.stringContaining("no more"),
    });
  });

  it("reports that memory ran out, and still runs queries", async () => {
    const engine = await openEngine({ memory: "64MB" });
    await expect(rowsOf(engine, "SELECT string_agg(repeat('x', 1000), ',') FROM range(1000000)")).rejects.toMatchObject(
      {
        code: "ERR_ENGINE",
        problem: "memory",
        engine: "DuckDB",
        hint: expect.stringContaining("duckdb({ memory:"),
      },
    );
    expect(await rowsOf(engine, "SELECT 'still here' AS answer")).toEqual([["still here"]]);
  });

  it("stops at once when a signal is aborted, with its reason", async () => {
    const engine = await openEngine();
    const reason = new Error("enough");
    await expect(rowsOf(engine, ENDLESS, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    for (const run of [
      (signal: AbortSignal) => rowsOf(engine, ENDLESS, { signal }),
      (signal: AbortSignal) => engine.store(ENDLESS, newPath("endless.parquet"), { signal }),
    ]) {
      const stop = new AbortController();
      const running = run(stop.signal);
      setTimeout(() => stop.abort(reason), 50);
      await expect(running).rejects.toBe(reason);
    }
    expect(readdirSync(folder).filter((name) => name.includes("endless"))).toEqual([]);
  });

  it("stores a result whole or not at all", async () => {
    const engine = await openEngine();
    const path = newPath("it's.parquet");
    await engine.store("SELECT 1 AS a, 'x' AS b", path);
    expect(await duckdbRows(`FROM read_parquet('${path.replace("'", "''")}')`)).toEqual({
      names: ["a", "b"],
      rows: [[1, "x"]],
    });
    await expect(engine.store("SELECT error('no')", path)).rejects.toMatchObject({ code: "ERR_ENGINE" });
    await engine.store(["SELECT 2 AS a ORDER BY a", "SELECT 3 ORDER BY 1", "SELECT 4"], path);
    expect((await duckdbRows(`FROM read_parquet('${path.replace("'", "''")}')`)).rows).toEqual([[2], [3], [4]]);
    await expect(engine.store("SELECT 1", folder)).rejects.toMatchObject({ code: "ERR_FILE" });
    expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  it("leaves its temporary folder empty", async () => {
    const tempDirectory = newPath("temp");
    mkdirSync(tempDirectory);
    const engine = await openEngine({ memory: "100MB", tempDirectory, threads: 1 });
    const sql =
      "SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY hash(i), repeat('x', 50)) AS n FROM range(3000000) t(i))";
    expect(await rowsOf(engine, `SELECT CAST(n AS DOUBLE) FROM (${sql}) s(n)`)).toEqual([[3_000_000]]);
    await engine.close();
    expect(readdirSync(tempDirectory)).toEqual([]);
  });

  it("names a damaged file", async () => {
    const path = newPath();
    await writeSmallCompany(path);
    const [file] = (await readManifest(path)).files.filter(({ resource }) => resource === "propertyChanges");
    const snapshot = await openedSnapshot(path);
    const damaged = join(path, file?.path ?? "");
    expect(existsSync(damaged)).toBe(true);
    const bytes = readFileSync(damaged);
    truncateSync(damaged, bytes.length >> 1);
    await expect(snapshot.lazyHistory({ site_id: 12 })).rejects.toMatchObject({
      code: "ERR_SNAPSHOT",
      message: expect.stringContaining(file?.path ?? "no file"),
    });
    writeFileSync(damaged, bytes);
    await using questions = await snapshot.lazyHistory({ site_id: 12 });
    expect((await questions.changes()).numRows()).toBe(5);
  });

  it("accepts sizes, folders and numbers only", () => {
    expect(duckdb({ memory: "1.5GB", threads: 2 })).toMatchObject({ memoryMb: 1500, threads: 2 });
    expect(duckdb({ memory: "64 mb" })).toMatchObject({ memoryMb: 64, tempDirectory: undefined });
    for (const options of [{ memory: "512" }, { memory: "1MB" }, { memory: 512 }, { threads: 0 }, { spil: "x" }]) {
      expect(() => duckdb(options as never)).toThrow(expect.objectContaining({ code: "ERR_ARGUMENT" }));
    }
  });
});
