import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/core/errors.js";
import type { Engine } from "../../../../src/history/questions/engine/engine.js";
import { trino } from "../../../../src/history/questions/engine/trino.js";
import { literalTables } from "../../../../src/history/questions/sql/dialect/literals.js";
import { writeSnapshot } from "../../../../src/snapshot/write/write-snapshot.js";
import { feature } from "../../../snapshot/feature.js";
import { declareTables } from "../../../support/declare-tables.js";
import { oddTexts } from "../../../support/odd-texts.js";
import { clusterFolder, hasTrino, type TrinoCluster, trinoCluster } from "../../../support/trino-cluster.js";

const change = (number: number, layer_feature_id: number, new_value: string, created_at: string) =>
  `{"id":"0000000${number}-AAAA-7000-8000-000000000000","layer_feature_id":${layer_feature_id},"property_key":"K","new_value":${new_value},"system":false,"user_id":null,"caused_by_change_id":null,"created_at":"${created_at}"}`;

/** A join of minutes. */
const ENDLESS = "SELECT count(*) FROM big a JOIN big b ON a.n % 10 = b.n % 10 WHERE length(concat(a.t, b.t)) < 0";

async function all(engine: Engine, sql: string, signal?: AbortSignal): Promise<unknown[][]> {
  const found: unknown[][] = [];
  for await (const { rowCount, columns } of engine.query(sql, { signal })) {
    for (let row = 0; row < rowCount; row += 1) found.push(columns.map((column) => column[row]));
  }
  return found;
}

const thrown = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.skipIf(!hasTrino())("Trino", () => {
  let cluster: TrinoCluster;
  let engine: Engine & { readonly schema: string };
  const asked = (options: Readonly<Record<string, unknown>>) =>
    trino({ server: cluster.server, catalog: cluster.catalog, schema: engine.schema, ...options });
  /** The engine's own list of the queries of one source. */
  const queries = (source: string, columns: string) =>
    all(engine, `SELECT ${columns} FROM system.runtime.queries WHERE source = '${source}' ORDER BY query_id`);

  beforeAll(async () => {
    cluster = await trinoCluster();
    const folder = join(clusterFolder(cluster), "small.snapshot");
    await writeSnapshot(folder, {
      layerFeatures: [
        feature(2, { K: "é", M: [1.0, { b: 1, a: null }] }, 12),
        feature(1, { K: null }, 7),
        { ...feature(3, {}), site_id: null },
      ],
      propertyChanges: [
        change(2, 2, "9007199254740991.0", "2025-01-01T01:00:00.1234567+01:00"),
        change(1, 3, "null", "1969-12-31T23:59:59.999999Z"),
        change(3, 1, '"\\u00e9"', "2200-01-01T00:00:00.000001Z"),
      ],
    });
    engine = await declareTables(cluster, folder);
    const sequence = "SELECT n, lpad(CAST(n AS varchar), 40, 'x') AS t FROM UNNEST(sequence(1, 10000)) AS s(n)";
    await engine.store(
      `SELECT n * 100 + m AS n, t FROM (${sequence}) CROSS JOIN UNNEST(sequence(0, 99)) AS u(m)`,
      "big",
    );
  });

  it("reads a snapshot's files: sites, microseconds, canonical values, present values by key", async () => {
    expect(
      await all(engine, "SELECT layer_feature_id, site_id, created_at, new_value FROM property_changes ORDER BY 1"),
    ).toEqual([
      [1, 7, 7258118400000001, '"é"'],
      [2, 12, 1735689600123456, "9007199254740991"],
      [3, null, -1, null],
    ]);
    expect(
      await all(
        engine,
        `SELECT id, site_id, created_at, element_at(properties, 'K'), element_at(properties, 'M'),
        element_at(properties, 'none'), cardinality(properties) FROM layer_features ORDER BY id`,
      ),
    ).toEqual([
      [1, 7, 1735689600000000, null, null, null, 0],
      [2, 12, 1735689600000000, '"é"', '[1,{"a":null,"b":1}]', null, 2],
      [3, null, 1735689600000000, null, null, null, 0],
    ]);
  });

  it("reads geometries as well-known binary, and filters by the sides of their boxes", async () => {
    const columns = "id, to_hex(geometry), bbox.xmin, bbox.ymax";
    expect(await all(engine, `SELECT ${columns} FROM layer_features WHERE bbox.xmax < 9 AND id = 2`)).toEqual([
      [2, "01010000000000000000002140CDCCCCCCCC8C4740", 8.5, 47.1],
    ]);
    expect(await all(engine, "SELECT count(*) FROM layer_features WHERE bbox.xmin > 9")).toEqual([[0]]);
  });

  it("keeps every text as it is", async () => {
    const texts = [...oddTexts, "nul\0\u0001\\0000"];
    const list = texts.map((text) => engine.dialect.text(text)).join(", ");
    expect(await all(engine, `SELECT ${list}`)).toEqual([texts]);
  });

  it("returns a million rows in small parts, and waits for its reader", async () => {
    const slow = asked({ source: "slow reader" });
    let [rows, sum, most] = [0, 0, 0];
    for await (const { rowCount, columns } of slow.query("SELECT n, t FROM big")) {
      if (rows === 0) await delay(1500);
      rows += rowCount;
      most = Math.max(most, rowCount);
      for (const n of columns[0] as ArrayLike<number> & Iterable<number>) sum += n;
    }
    expect(rows).toBe(1_000_000);
    expect(sum).toBe(((100 + 1_000_099) * 1_000_000) / 2);
    expect(most).toBeLessThan(200_000);
  });

  it("reports the error and the id of a query", async () => {
    const error = await thrown(all(engine, "SELECT nothing FROM layer_features"));
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({ problem: "failed", queryId: expect.stringMatching(/^\d{8}_\d{6}_/) });
    expect(String(error)).toContain("COLUMN_NOT_FOUND");
    const absent = await thrown(all(asked({ schema: "absent" }), "SELECT 1 FROM layer_features"));
    expect(absent).toMatchObject({ hint: expect.stringContaining("siteframe ddl trino") });
  });

  it("reports that a query exceeded its memory or time", async () => {
    const little = asked({ session: { query_max_memory: "1MB" } });
    const error = await thrown(all(little, "SELECT count(*) FROM (SELECT n, t, count(*) FROM big GROUP BY n, t)"));
    expect(error).toMatchObject({ code: "ERR_ENGINE", problem: "memory", queryId: expect.any(String) });
    const brief = asked({ session: { query_max_run_time: "2s" } });
    expect(await thrown(all(brief, ENDLESS))).toMatchObject({ problem: "slow", queryId: expect.any(String) });
  });

  it("cancels the query when the reader aborts", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const source = `aborted ${Date.now()}`;
    const running = thrown(all(asked({ source }), ENDLESS, controller.signal));
    await expect.poll(() => queries(source, "state"), { timeout: 60_000 }).toEqual([["RUNNING"]]);
    controller.abort(reason);
    expect(await running).toBe(reason);
    await expect.poll(() => queries(source, "state, error_code")).toEqual([["FAILED", "USER_CANCELED"]]);
  });

  it("cancels the query when the reader stops", async () => {
    const source = `enough ${Date.now()}`;
    for await (const _ of asked({ source }).query("SELECT n, t FROM big")) break;
    // Without the reader, the query may be done by then.
    await expect.poll(() => queries(source, "state")).not.toContainEqual(["RUNNING"]);
  });

  describe("storing", () => {
    const tables = () =>
      all(
        engine,
        `SELECT table_name FROM ${cluster.catalog}.information_schema.tables WHERE table_schema = '${engine.schema}' AND table_name LIKE 'stored%'`,
      );
    /** Files of tables, finished or not. The nodes keep other files in their own folders. */
    const left = () => {
      const entries = readdirSync(cluster.files, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return files.filter((file) => /stored_(broken|aborted)|staging/.test(relative(cluster.files, file)));
    };

    it("writes a table with one or more statements", async () => {
      await engine.store(["SELECT id, site_id FROM layer_features", "SELECT 9, NULL"], `${engine.schema}.stored_one`);
      expect(await all(engine, "SELECT id, site_id FROM stored_one ORDER BY id")).toEqual([
        [1, 7],
        [2, 12],
        [3, null],
        [9, null],
      ]);
    });

    it("writes a table whose text exceeds the limit of a statement", async () => {
      const rows = Array.from({ length: 40_000 }, (_, row) => `trees of row ${row}`);
      const columns = [
        { name: "n", type: "bigint" as const, valueAt: (row: number) => row },
        { name: "t", type: "text" as const, valueAt: (row: number) => rows[row] ?? null },
      ];
      const statements = [...literalTables(engine.dialect, columns, rows.length, 500_000)];
      expect(statements.join("").length).toBeGreaterThan(1_000_000);
      await engine.store(statements, "stored_long");
      expect(await all(engine, "SELECT count(DISTINCT t), sum(n) FROM stored_long")).toEqual([[40_000, 799_980_000]]);
    });

    it("keeps an existing table", async () => {
      await engine.store("SELECT 1 AS one", "stored_before");
      const error = await thrown(engine.store("SELECT 2 AS two", "stored_before"));
      expect(error).toMatchObject({ code: "ERR_ENGINE", facts: { errorName: "TABLE_ALREADY_EXISTS" } });
      expect(await all(engine, "SELECT * FROM stored_before")).toEqual([[1]]);
    });

    it("leaves no files of a table that fails or is aborted", async () => {
      const broken = "SELECT n, 1 / (n - 500000) AS x FROM big";
      expect(await thrown(engine.store(broken, "stored_broken"))).toMatchObject({ problem: "failed" });
      expect(await thrown(engine.store(["SELECT 1 AS n, 1e0 AS x", broken], "stored_broken"))).toMatchObject({
        problem: "failed",
      });
      const controller = new AbortController();
      const source = `storing ${Date.now()}`;
      const slow = `SELECT a.n, b.t FROM big a JOIN big b ON a.n % 100 = b.n % 100`;
      const storing = thrown(asked({ source }).store(slow, "stored_aborted", { signal: controller.signal }));
      await expect.poll(() => queries(source, "state"), { timeout: 60_000 }).toContainEqual(["RUNNING"]);
      await delay(3000);
      controller.abort(new Error("enough"));
      expect(await storing).toMatchObject({ message: "enough" });
      expect((await tables()).flat()).not.toContain("stored_broken");
      expect((await tables()).flat()).not.toContain("stored_aborted");
      await expect.poll(left).toEqual([]);
    });
  });

  it("reports a lost worker, and answers the next query", async () => {
    const source = `worker ${Date.now()}`;
    const running = thrown(all(asked({ source }), ENDLESS));
    // The coordinator chooses which workers have tasks.
    let names: readonly unknown[] = [];
    const busy = async () => {
      names = (
        await all(
          engine,
          `SELECT DISTINCT node_id FROM system.runtime.tasks t JOIN system.runtime.queries q ON q.query_id = t.query_id
          WHERE q.source = '${source}' AND t.state = 'RUNNING' AND t.node_id LIKE 'worker%' ORDER BY node_id`,
        )
      ).flat();
      return names;
    };
    await expect.poll(busy, { timeout: 60_000 }).not.toEqual([]);
    const [name] = names;
    const worker = (await trinoCluster()).nodes.find((node) => node.name === name);
    process.kill(worker?.pid ?? Number.NaN, "SIGKILL");
    const error = await running;
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({
      problem: "worker-lost",
      queryId: expect.any(String),
      hint: expect.stringContaining("again"),
    });
    const nodes = () => all(engine, "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'").catch(() => []);
    await expect.poll(nodes, { timeout: 120_000, interval: 1000 }).toEqual([[3]]);
    expect(await all(engine, "SELECT count(*) FROM big")).toEqual([[1_000_000]]);
  });
});
