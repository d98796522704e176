import { cpSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ColumnTable } from "arquero";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveTimePoint } from "../../../src/history/time/valid-time.js";
import { fromRecords, type History, openSnapshot, pull, type Snapshot, writeDuckLake } from "../../../src/index.js";
import { askedCompanies, writeCompany } from "../../support/asked-company.js";
import { writeSample } from "../../support/asked-sample.js";
import { findPython } from "../../support/python.js";
import { randomRuns, seed } from "../../support/random-runs.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { site } from "../moving-service.js";
import { pruneLater } from "../prune-later.js";
import { SEMANTIC_TYPES } from "../random-company.js";
import { serveFolder } from "../serve-folder.js";
import { expectSameHistory, expectSameLayer, expectSamePast, withoutLogged } from "../sql/same-past.js";
import { temporaryFolder } from "../temporary-folder.js";
import { LakeReader } from "./ask-lake.js";

const folder = temporaryFolder();
const python = findPython("duckdb, duckdb_extension_ducklake, duckdb_extension_httpfs");
const ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati"];
/** Around changes of clocks, between microseconds, and before and after everything. */
const DAYS = ["2016-12-31", "2024-03-30", "2024-03-31", "2024-06-30", "2024-10-26", "2024-10-27", "2035-01-01"];
const INSTANTS = ["2024-03-31T01:00:00Z", "2024-03-31T01:00:00.000001Z", "2024-10-27T01:29:59.999999Z"];
const POINTS = [...DAYS, "2024-W13", "2024-W43", "2020-W53", ...INSTANTS, "2016-12-31T23:59:60Z"];

const records = (status: string, features = 2) => ({
  sites: [site(1)],
  datasets: [dataset(1, { site_id: 1 })],
  layerFeatures: [1, 2, 3].slice(0, features).map((id) =>
    feature(id, {
      site_id: id === 3 ? null : 1,
      created_at: "2024-01-01T00:00:00Z",
      updated_at: status === "DONE" ? "2025-01-15T00:00:00Z" : "2024-06-01T00:00:00Z",
      properties: { STATUS: id === 1 ? status : "OPEN" },
    }),
  ),
  propertyChanges: [
    change(1, { new_value: "OPEN", created_at: "2024-06-01T00:00:00Z" }),
    ...(status === "DONE" ? [change(2, { new_value: "DONE", created_at: "2025-01-15T00:00:00Z" })] : []),
  ],
});

/** A snapshot of three generations, read in the first three months of 2025. */
async function pulled(name: string): Promise<string> {
  const path = join(folder, name);
  const states = [records("OPEN"), records("DONE", 3), records("DONE", 1)];
  for (const [month, state] of states.entries()) {
    const readAt = new Date(Date.UTC(2025, month + 1, 1));
    await pull(fromRecords(state, { readAt }), path, { allowShrink: true, showProgress: false, now: () => readAt });
  }
  return path;
}

describe.skipIf(!python)("a snapshot attached as a DuckLake", () => {
  let reader: LakeReader;
  beforeAll(() => {
    reader = new LakeReader(python);
  });
  afterAll(() => reader.close());
  const column = async (sql: string, name: string) => [...(await reader.sql(sql)).array(name)];

  it("has the tables of every generation, by number and by time", async () => {
    const path = await pulled("states.snapshot");
    const { path: catalog, generations } = await writeDuckLake(path);
    expect(generations).toEqual([1, 2, 3]);
    await reader.attach(catalog, "any name");
    const ids = (at: string) => column(`SELECT id FROM layer_features ${at} ORDER BY id`, "id");
    expect(await ids("")).toEqual([1]);
    expect(await ids("AT (VERSION => 2)")).toEqual([1, 2, 3]);
    expect(await ids("AT (TIMESTAMP => TIMESTAMPTZ '2025-02-28 23:59:59Z')")).toEqual([1, 2]);
    expect(await ids("AT (TIMESTAMP => TIMESTAMPTZ '2025-03-01 00:00:00Z')")).toEqual([1, 2, 3]);
    expect(await ids("AT (TIMESTAMP => now())")).toEqual([1]);
    await expect(ids("AT (TIMESTAMP => TIMESTAMPTZ '2025-01-31 00:00:00Z')")).rejects.toThrow(/No snapshot/);
    const sites = "SELECT site_id FROM layer_features AT (VERSION => 2) WHERE id = 3 AND site_id IS NULL";
    expect(await column(sites, "site_id")).toEqual([null]);
    expect(await column("SELECT id FROM gone_features ORDER BY id", "id")).toEqual([2, 3]);
    expect(await column("SELECT count(*) AS n FROM property_changes AT (VERSION => 1)", "n")).toEqual([1]);
    expect(await column("SELECT count(*) AS n FROM property_changes", "n")).toEqual([2]);
    expect(await column("SELECT properties['STATUS'] AS s FROM layer_features AT (VERSION => 1)", "s")).toEqual([
      '"OPEN"',
      '"OPEN"',
    ]);
    await reader.sql("USE memory");
    expect(await column('SELECT "STATUS" FROM "any name".TRENCHES', "STATUS")).toEqual(["DONE"]);
    const open = `SELECT id FROM "any name".trenches_history WHERE "column" = 'STATUS' AND value = 'OPEN'`;
    // Also of features that are gone.
    expect(await column(`${open} ORDER BY id`, "id")).toEqual([1, 2, 3]);
  });

  it("follows pulls and prunes, in its time zone", async () => {
    const path = await pulled("kept.snapshot");
    const { path: catalog } = await writeDuckLake(path, { timeZone: "Pacific/Kiritimati" });
    const readAt = new Date("2025-05-01T00:00:00Z");
    await pull(fromRecords(records("DONE", 3), { readAt }), path, { showProgress: false, now: () => readAt });
    await reader.attach(catalog);
    expect(await column("SELECT snapshot_id AS n FROM lake.snapshots() ORDER BY n", "n")).toEqual([1, 2, 3, 4]);
    for (const generation of [1, 2, 3, 4]) {
      const expected = await openSnapshot(path, { generation });
      for (const name of ["sites", "layer_features", "property_changes", "gone_features"]) {
        const query = `SELECT id, record FROM ${name} `;
        const found = await reader.sql(`${query} AT (VERSION => ${generation}) ORDER BY id`);
        expect(found.objects()).toEqual((await expected.sql(`${query} ORDER BY id`)).objects());
      }
      await expected.close();
    }
    // There the 15th ends ten hours before midnight in UTC.
    expect(await column("SELECT \"STATUS\" FROM trenches_at(DATE '2025-01-14') WHERE id = 1", "STATUS")).toEqual([
      "OPEN",
    ]);
    expect(await column("SELECT \"STATUS\" FROM trenches_at(DATE '2025-01-15') WHERE id = 1", "STATUS")).toEqual([
      "DONE",
    ]);
    await pruneLater(path, 2);
    await reader.attach(catalog);
    expect(await column("SELECT snapshot_id AS n FROM lake.snapshots() ORDER BY n", "n")).toEqual([3, 4]);
    expect(await column("SELECT id FROM layer_features AT (VERSION => 3)", "id")).toEqual([1]);
  });

  it("has values of the wrong type as logged, and a table of diagnostics", async () => {
    const path = join(folder, "mistyped.snapshot");
    const depth = uuid(5, "dddddddd");
    const pullWith = async (ids: readonly number[], day: string) => {
      const readAt = new Date(day);
      const source = fromRecords(
        {
          sites: [site(1)],
          datasets: [dataset(1, { site_id: 1 })],
          propertyDefinitions: [definition(depth, "Depth", { type: "NUMBER" })],
          layerFeatures: ids.map((id) =>
            feature(id, { site_id: 1, properties: { [depth]: id === 1 ? "13.3 K" : id } }),
          ),
        },
        { readAt },
      );
      await pull(source, path, { allowShrink: true, showProgress: false, now: () => readAt });
    };
    await pullWith([1, 2, 3], "2025-02-01T00:00:00Z");
    await pullWith([1, 2], "2025-03-01T00:00:00Z");
    const { path: catalog } = await writeDuckLake(path);
    await reader.attach(catalog);
    const layer = await reader.sql('SELECT "Depth", "Depth (as logged)" FROM TRENCHES ORDER BY id');
    expect(layer.objects()).toEqual([
      { Depth: null, "Depth (as logged)": '"13.3 K"' },
      { Depth: 2, "Depth (as logged)": "2" },
    ]);
    const past = await reader.sql("SELECT \"Depth (as logged)\" AS d FROM TRENCHES_AT(DATE '2025-02-10') ORDER BY id");
    expect(past.array("d")).toEqual(['"13.3 K"', "2", "3"]);
    const diagnostics = await reader.sql(
      "SELECT relation, code, count::INTEGER AS n, message FROM siteframe_diagnostics",
    );
    expect(diagnostics.objects()).toMatchObject([
      {
        relation: "TRENCHES",
        code: "value-type-mismatch",
        n: 1,
        message: expect.stringContaining("a string of 6 characters"),
      },
      { relation: "TRENCHES", code: "feature-gone", n: 1 },
    ]);
  });

  it("can be moved, with the path of its data", async () => {
    const path = await pulled("here.snapshot");
    await writeDuckLake(path);
    const moved = join(folder, "there.snapshot");
    cpSync(path, moved, { recursive: true });
    const place = `READ_ONLY, DATA_PATH '${moved}', OVERRIDE_DATA_PATH true`;
    await reader.attach(join(moved, "lake.ducklake"), "lake", place);
    const files = "SELECT DISTINCT data_file FROM ducklake_list_files('lake', 'layer_features')";
    for (const file of await column(files, "data_file")) expect(file).toContain("there.snapshot");
    expect(await column('SELECT "STATUS" FROM TRENCHES', "STATUS")).toEqual(["DONE"]);
  });

  it("accepts an expression, a parameter or a column as a time, and refuses other values", async () => {
    const path = await pulled("times.snapshot");
    const { path: catalog } = await writeDuckLake(path, { timeZone: "Europe/Berlin" });
    await reader.attach(catalog);
    const status = async (argument: string, parameters: Parameters<LakeReader["sql"]>[1] = []) =>
      (await reader.sql(`SELECT "STATUS" FROM trenches_at(${argument}) WHERE id = 1`, parameters)).array("STATUS");
    expect(await status("DATE '2025-01-14'")).toEqual(["OPEN"]);
    expect(await status("DATE '2025-01-14' + INTERVAL 1 DAY || ''").catch(String)).toMatch(/has no time zone/);
    expect(await status("DATE '2025-01-14' + 1")).toEqual(["DONE"]);
    expect(await status("TIMESTAMPTZ '2025-01-14 23:59:59.999999Z'")).toEqual(["OPEN"]);
    expect(await status("(SELECT max(created_at) FROM property_changes)")).toEqual(["DONE"]);
    expect(await status("?", [{ date: "2025-01-14" }])).toEqual(["OPEN"]);
    expect(await status("?", [{ instant: Date.UTC(2025, 0, 15) * 1000 }])).toEqual(["DONE"]);
    expect(await status("?", ["2025-01-15T01:00:00+01:00"])).toEqual(["DONE"]);
    expect(await status("NULL")).toEqual([]);
    const lateral =
      await reader.sql(`SELECT day, "STATUS" AS status FROM range(DATE '2025-01-14', DATE '2025-01-16', INTERVAL 1 DAY) days(d),
      LATERAL (SELECT d::DATE AS day) l, trenches_at(l.day) WHERE id = 1 ORDER BY day`);
    expect(lateral.objects()).toEqual([
      { day: "2025-01-14", status: "OPEN" },
      { day: "2025-01-15", status: "DONE" },
    ]);
    await reader.sql('PREPARE asked AS SELECT "STATUS" FROM trenches_at($1) WHERE id = 1');
    expect(await column("EXECUTE asked(DATE '2025-01-14')", "STATUS")).toEqual(["OPEN"]);
    expect(await status("'2025-W02'")).toEqual(["OPEN"]);
    expect(await status("'2025-W03'")).toEqual(["DONE"]);
    await expect(status("'2025-W53'")).rejects.toThrow("TRENCHES_AT(): 2025-W53 is not a valid time.");
    await expect(status("'yesterday'")).rejects.toThrow("TRENCHES_AT(): yesterday is not a valid time.");
    await expect(status("'2025-02-30'")).rejects.toThrow("2025-02-30 is not a valid time.");
    await expect(status("'2025-02-20T25:00:00Z'")).rejects.toThrow("is not a valid time.");
    await expect(status("TIMESTAMP '2025-02-20 12:00:00'")).rejects.toThrow("2025-02-20 12:00:00 has no time zone.");
  });

  it("ends every day at the same time as a history", async () => {
    const path = await pulled("days.snapshot");
    for (const timeZone of [...ZONES, "America/Sao_Paulo", "Pacific/Apia", "Asia/Beirut", "Africa/Cairo"]) {
      const { path: catalog } = await writeDuckLake(path, { timeZone });
      await reader.attach(catalog);
      const macro = await reader.sql(`SELECT sql FROM __ducklake_metadata_lake.ducklake_macro_impl
        JOIN __ducklake_metadata_lake.ducklake_macro USING (macro_id) WHERE macro_name = 'TRENCHES_AT'`);
      const asked = /^WITH asked AS \(SELECT ([\s\S]*?) AS us\)\nSELECT/.exec(String(macro.get("sql", 0)))?.[1];
      const days = await reader.sql(`SELECT strftime(t, '%Y-%m-%d') AS day, ${asked} AS us FROM (
        SELECT unnest(range(DATE '1985-01-01', DATE '2030-01-01', INTERVAL 1 DAY))::DATE AS t)`);
      const wrong = (days.objects() as { day: string; us: number }[]).filter(
        ({ day, us }) => us !== resolveTimePoint(day, timeZone),
      );
      expect(wrong, timeZone).toEqual([]);
    }
  });

  it("is read over HTTP in the ranges that a query needs", async () => {
    const path = join(folder, "served.snapshot");
    await writeSample(path);
    await using served = await serveFolder(folder);
    const location = `${served.url}/served.snapshot`;
    await writeDuckLake(path, { location });
    await reader.attach(`${location}/lake.ducklake`);
    served.bytes.clear();
    const counted = await reader.sql("SELECT count(*) AS n, min(id) AS first FROM layer_features WHERE site_id = 103");
    expect(counted.get("n", 0)).toBe(102);
    const read = [...served.bytes.keys()].filter((name) => name.endsWith(".parquet"));
    expect(read.length).toBeGreaterThan(0);
    // Files of features without a site have no least and greatest site, so that they are read, too.
    for (const name of read) expect(name).toMatch(/\/layer_features\/site_id=(103|__HIVE_DEFAULT_PARTITION__)\//);

    served.bytes.clear();
    const snapshot = await openSnapshot(path);
    const history = await snapshot.history({ semantic_type: "TRENCHES" });
    await expectSamePast({ sql: async (query) => withoutLogged(await reader.sql(query)) }, "TRENCHES", history, [
      "2024-06-30",
    ]);
    await snapshot.close();
    served.bytes.clear();
    await reader.attach(`${location}/lake.ducklake`);
    await reader.sql("SELECT \"STATUS\", count(*) FROM trenches_at(DATE '2024-06-30') GROUP BY ALL");
    const log = [...served.bytes].filter(([name]) => name.includes("/property_changes/"));
    const stored = log.reduce((sum, [name]) => sum + statSync(join(folder, name)).size, 0);
    const fetched = log.reduce((sum, [, bytes]) => sum + bytes, 0);
    // The records, which are most of each file, are not read.
    expect(fetched).toBeGreaterThan(0);
    expect(fetched).toBeLessThan(stored / 2);
  });

  it("runs the queries of the guide", async () => {
    const path = join(folder, "acme.snapshot");
    await writeSample(path, { readAt: new Date("2025-06-30T12:00:00Z") });
    await writeDuckLake(path, { timeZone: "Europe/Berlin" });
    const guide = readFileSync(join(import.meta.dirname, "../../../docs/how-to/ducklake.md"), "utf8");
    const [block = ""] = [...guide.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, sql]) => sql);
    const statements = block.split(";").map((statement) => statement.trim());
    const [install, attach = "", ...queries] = statements.filter((statement) => statement !== "");
    // The extension is there already.
    expect(install).toBe("INSTALL ducklake");
    await reader.sql(attach.replace("acme.snapshot", path));
    expect(queries).toHaveLength(4);
    for (const query of queries) {
      const answer = await reader.sql(query);
      if (!query.startsWith("USE")) expect(answer.numRows(), query).toBeGreaterThan(0);
    }
  });

  it("has the past of features of which one is gone", async () => {
    const path = join(folder, "gone-states.snapshot");
    const layerFeatures = [feature(5, { site_id: null }), feature(8)];
    const propertyChanges = [
      change(1, { layer_feature_id: 5, created_at: "2024-10-27T00:30:00Z", new_value: null }),
      change(2, { layer_feature_id: 8, property_key: "id", created_at: "2024-03-31T21:59:59Z" }),
    ];
    await writeCompany(path, {
      layerFeatures: layerFeatures.map((record) => JSON.stringify(record)),
      propertyChanges: propertyChanges.map((record) => JSON.stringify(record)),
      ...{ isOdd: false, gone: [5], params: {}, options: {} },
    });
    const { path: catalog } = await writeDuckLake(path);
    await reader.attach(catalog);
    const snapshot = await openSnapshot(path);
    const history = await snapshot.history({ semantic_type: "TRENCHES" });
    const points = ["2024-03-30", "2024-11-30", "2099-01-01"];
    const sql = async (query: string) => withoutLogged(await reader.sql(query));
    await expectSamePast({ sql }, "TRENCHES", history, points).finally(() => snapshot.close());
  });

  it("returns the same as a history, for all ties, time zones and knownAt()", { timeout: 600_000 }, async () => {
    const some = fc.array(fc.constantFrom(...POINTS), { minLength: 1, maxLength: 2 });
    const zone = fc.constantFrom(...ZONES);
    let paths = 0;
    await fc.assert(
      fc.asyncProperty(
        askedCompanies,
        some,
        fc.constantFrom(...POINTS),
        zone,
        async (company, points, known, timeZone) => {
          const path = join(folder, `asked-${++paths}`);
          await writeCompany(path, company);
          const { path: catalog } = await writeDuckLake(path, { timeZone });
          await reader.attach(catalog, `lake ${paths}`);
          const snapshot = await openSnapshot(path);
          await expectSameLake(reader, snapshot, { points, known, timeZone }).finally(() => snapshot.close());
        },
      ),
      { numRuns: randomRuns(30, 6), seed, endOnFailure: true },
    );
  });
});

interface Asked {
  readonly points: readonly string[];
  readonly known: string;
  readonly timeZone: string;
}

const CALL = /^FROM (".*")\('(.*)'\)$/s;

/** Queries every type of a snapshot with literals, with parameters, and with columns of another table. */
async function expectSameLake(reader: LakeReader, snapshot: Snapshot, { points, known, timeZone }: Asked) {
  const stored = (await snapshot.sql("SELECT DISTINCT semantic_type AS t FROM layer_features")).array("t");
  for (const type of SEMANTIC_TYPES.filter((name) => stored.includes(name))) {
    const history = await snapshot.history({ semantic_type: type }, { timeZone, strict: false });
    await expectSameHistory({ sql: (query) => reader.sql(query) }, type, history);
    await expectSamePast({ sql: async (query) => withoutLogged(await reader.sql(query)) }, type, history, points);
    const withParameter = (query: string) => {
      const [, macro, time = ""] = CALL.exec(query) ?? [];
      const isDay = /^\d{4}-\d\d-\d\d$/.test(time);
      return reader.sql(`FROM ${macro}(?)`, [isDay ? { date: time } : time]).then(withoutLogged);
    };
    await expectSamePast({ sql: withParameter }, type, history, points);
    const names = history.columns.map((name) => `'${name.replaceAll("'", "''")}'`).join();
    const beside = (query: string) => {
      const [, macro, time] = CALL.exec(query) ?? [];
      const order = macro?.endsWith('_STATES"') ? `a.id, list_position([${names}]::VARCHAR[], a."column")` : "a.id";
      const found = reader.sql(`SELECT a.* FROM (VALUES ('2020-01-01'), ('${time}')) days(day), ${macro}(days.day) a
        WHERE day = '${time}' ORDER BY ${order}`);
      return found.then(withoutLogged);
    };
    await expectSamePast({ sql: beside }, type, history, points);
    await expectSameKnown(reader, type, history, points, known);
  }
}

async function expectSameKnown(
  reader: LakeReader,
  type: string,
  history: History,
  points: readonly string[],
  known: string,
) {
  const id = history.length > 0 ? String(history.changes().get("change_id", 0)) : undefined;
  for (const time of points) {
    for (const point of [known, ...(id === undefined ? [] : [id.toUpperCase()])]) {
      const call = reader.sql(`FROM "${type}_KNOWN_AT"('${time}', '${point}')`);
      let expected: ColumnTable | undefined;
      try {
        expected = history.knownAt(point).asOf(time);
      } catch {
        await expect(call).rejects.toThrow(/not a UUIDv7/);
      }
      if (expected) expectSameLayer(withoutLogged(await call), expected, history);
    }
  }
}
