import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromRecords, type Layer, openSnapshot, pull, QueryError, type Snapshot } from "../../../src/index.js";
import { sandboxFunctions } from "../../../src/tables/sql/sandbox.js";
import { change, dataset, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const path = join(folder, "acme.snapshot");
const sandbox = { sandbox: true };
let snapshot: Snapshot;
let layer: Layer;

beforeAll(async () => {
  await pull(
    fromRecords({
      sites: [site(1)],
      datasets: [dataset(1, { site_id: 1 })],
      layerFeatures: [
        feature(1, { site_id: 1, properties: { STATUS: "OPEN", LIST: [1, { b: null }] } }),
        feature(2, { site_id: 1 }),
      ],
      propertyChanges: [change(1)],
    }),
    path,
  );
  snapshot = await openSnapshot(path);
  layer = await snapshot.layer({ site_id: 1 });
});
afterAll(() => snapshot.close());

/** The sandbox processes below another, by their ids. */
function processesOf(parent: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const ofParent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1]) === parent;
      return ofParent && readFileSync(`/proc/${name}/cmdline`, "utf8").includes("sandbox-main") ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

const isLinux = process.platform === "linux";
const stuck = "SELECT levenshtein(repeat('a', 2000000), repeat('b', 2000000))";
const deadly = "SELECT json_structure(repeat('[', 1000000) || repeat(']', 1000000))";

describe("a query in a sandbox", () => {
  it("that ends its process causes an error, and the next query runs", async () => {
    for (const run of [() => snapshot.sql(deadly, sandbox), () => layer.sql(deadly, sandbox)]) {
      await expect(run()).rejects.toMatchObject({
        code: "ERR_QUERY",
        message: expect.stringMatching(/the query ended the process that ran it \(SIG/),
      });
    }
    expect((await snapshot.sql("SELECT 1 AS n", sandbox)).objects()).toEqual([{ n: 1 }]);
    expect((await layer.sql("SELECT count(*) AS n FROM layer", sandbox)).objects()).toEqual([{ n: 2 }]);
  });

  it("ends with its signal, also if DuckDB does not check it, without delaying others", async () => {
    const asked = Array.from({ length: 5 }, async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error("too long")), 500);
      return snapshot.sql(stuck, { ...sandbox, signal: stop.signal }).catch((error: unknown) => String(error));
    });
    expect(await Promise.all(asked)).toEqual(Array(5).fill("Error: too long"));
    expect((await snapshot.sql("SELECT 1 AS n", sandbox)).objects()).toEqual([{ n: 1 }]);
    if (isLinux) await expect.poll(() => processesOf(process.pid).length).toBeLessThanOrEqual(3);
  });

  it("is limited in memory", async () => {
    const greedy = "SELECT len(list_transform(range(40), lambda n: repeat('x', 200000000))) AS n";
    await expect(snapshot.sql(greedy, sandbox)).rejects.toMatchObject({
      name: "QueryError",
      message: expect.stringMatching(/memory/i),
    });
  });

  it.runIf(isLinux)("ends with the process that started it", async () => {
    const script = `import { openSnapshot } from "./dist/index.js";
      const snapshot = await openSnapshot(${JSON.stringify(path)});
      snapshot.sql(${JSON.stringify(stuck)}, { sandbox: true }).catch(() => {});
      setInterval(() => {}, 1000);`;
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      const asking = spawn(process.execPath, ["--input-type=module", "-e", script]);
      await expect.poll(() => processesOf(asking.pid ?? 0)).toHaveLength(1);
      const [child = 0] = processesOf(asking.pid ?? 0);
      await pause(300);
      asking.kill(signal);
      await expect.poll(() => readdirSync("/proc").includes(String(child))).toBe(false);
    }
  });

  it("does not keep a finished program running", async () => {
    const script = `import { openSnapshot } from "./dist/index.js";
      const snapshot = await openSnapshot(${JSON.stringify(path)});
      await snapshot.sql("SELECT 1", { sandbox: true });
      const layer = await snapshot.layer({ site_id: 1 });
      await layer.sql("SELECT 1", { sandbox: true });
      console.log("done");`;
    // An idle sandbox is kept for 30 seconds.
    const program = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(program, "exit");
    const [output] = await once(program.stdout.setEncoding("utf8"), "data");
    expect(output).toBe("done\n");
    const since = performance.now();
    expect(await ended).toEqual([0, null]);
    expect(performance.now() - since).toBeLessThan(29_000);
  });

  it("has the values and types of a query without a sandbox", async () => {
    const query = `SELECT id, created_at, created_at::DATE AS day, 12345678901234567890::HUGEINT AS big, [1, NULL] AS list,
      {'a': 1.5, 'b': 'x'} AS struct, 'a'::BLOB AS bytes, INTERVAL 1 DAY AS span, NULL AS nothing, "STATUS"
      FROM TRENCHES ORDER BY id`;
    expect((await snapshot.sql(query, sandbox)).objects()).toEqual((await snapshot.sql(query)).objects());
    const ofLayer = "SELECT * FROM layer ORDER BY id";
    expect((await layer.sql(ofLayer, sandbox)).objects()).toEqual((await layer.sql(ofLayer)).objects());
    const closed = await openSnapshot(path);
    await closed.close();
    await expect(closed.sql("SELECT 1", sandbox)).rejects.toMatchObject({ code: "ERR_SNAPSHOT" });
  });

  it.each([
    "SELECT write_log('x')",
    "FROM enable_logging(storage := 'stdout')",
    "SELECT current_setting('access_mode')",
    "FROM duckdb_settings()",
    "FROM duckdb_settings",
    "FROM duckdb_secrets()",
    "FROM pg_catalog.pg_settings",
    "FROM query('SELECT 1')",
    "FROM query_table('sites')",
    "FROM read_text('/etc/passwd')",
    "FROM glob('/*')",
    "SELECT 1 ORDER BY pg_sleep(1)",
    "DESCRIBE SELECT write_log('x')",
    "WITH a AS (SELECT 1 LIMIT (SELECT write_log('x'))) FROM a",
    "SELECT system.main.write_log('x')",
    "FROM json_execute_serialized_sql('{}')",
  ])("calls only functions that are known to be safe: %s", async (query) => {
    for (const run of [() => snapshot.sql(query, sandbox), () => layer.sql(query, sandbox)]) {
      await expect(run()).rejects.toMatchObject({
        message: expect.stringMatching(/^sql\(\): the (function|table) \S+ is not allowed in a sandbox/),
      });
    }
  });

  it("suggests a similar function", async () => {
    await expect(snapshot.sql("SELECT jaro_similarty('a', 'b')", sandbox)).rejects.toMatchObject({
      hint: "Did you mean jaro_similarity?",
    });
  });
});

describe("the functions of a sandbox", () => {
  it("exist, and include no table function that opens, sets or runs something", async () => {
    const connection = await (await DuckDBInstance.create()).connect();
    const rows = await connection.runAndReadAll(
      "SELECT DISTINCT lower(function_name), function_type FROM duckdb_functions()",
    );
    const kinds = new Map<string, Set<string>>();
    for (const [name, type] of rows.getRows())
      kinds.set(String(name), (kinds.get(String(name)) ?? new Set()).add(String(type)));
    expect([...sandboxFunctions].filter((name) => !kinds.has(name))).toEqual([]);
    const tables = [...sandboxFunctions].filter((name) => /table/.test([...(kinds.get(name) ?? [])].join()));
    expect(
      tables.filter((name) => /read|write|scan|log|secret|setting|query|glob|sniff|file|enable|disable/.test(name)),
    ).toEqual([]);
  });

  /** Unusual arguments. Arguments that take DuckDB minutes are in the test of signals. */
  const odd = [
    "NULL",
    "-1",
    "9223372036854775807",
    "1e308",
    "'x'",
    "repeat('[', 100000)",
    "repeat('x', 100000)",
    "[1, NULL]",
    "'\\x00'::BLOB",
    "DATE '9999-12-31'",
  ];

  it("end at most their query, for all arguments", async () => {
    const connection = await (await DuckDBInstance.create()).connect();
    const listed = await connection.runAndReadAll(
      "SELECT DISTINCT function_name, function_type FROM duckdb_functions() WHERE function_type <> 'pragma' ORDER BY ALL",
    );
    const functions = listed
      .getRows()
      .filter(([name]) => /^\w+$/.test(String(name)) && !/^icu_collate|^__/.test(String(name)));
    const stride = Number(process.env["SITEFRAME_SANDBOX_STRIDE"] ?? 9);
    const answers = { table: 0, refused: 0, ended: 0 };
    for (const [index, [name, type]] of functions.entries()) {
      if (index % stride !== 0) continue;
      const [one, other] = [odd[index % odd.length], odd[(index * 7 + 3) % odd.length]];
      for (const args of ["", one, `${one}, ${other}`]) {
        const query = String(type).startsWith("table") ? `FROM "${name}"(${args})` : `SELECT "${name}"(${args})`;
        const signal = AbortSignal.timeout(5000);
        const answer = await snapshot.sql(query, { ...sandbox, signal, limit: 10 }).catch((error: unknown) => error);
        if (!(answer instanceof Error)) answers.table += 1;
        else if (String(answer).includes("ended the process")) answers.ended += 1;
        else if (answer instanceof QueryError || answer.name === "TimeoutError") answers.refused += 1;
        else throw new Error(`${query}: ${String(answer)}`);
      }
    }
    expect(answers.table).toBeGreaterThan(0);
    expect(answers.refused).toBeGreaterThan(0);
    expect((await snapshot.sql("SELECT 1 AS n", sandbox)).objects()).toEqual([{ n: 1 }]);
  });
});
