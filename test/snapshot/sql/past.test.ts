import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ColumnTable } from "arquero";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
  ArgumentError,
  type Diagnostic,
  fromRecords,
  openSnapshot,
  pull,
  QueryError,
  type Snapshot,
} from "../../../src/index.js";
import { type SnapshotTables, writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { askedCompanies, writeCompany } from "../../support/asked-company.js";
import { writeSample } from "../../support/asked-sample.js";
import { keyRefusals } from "../../support/open-asked.js";
import { randomRuns, seed } from "../../support/random-runs.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { site } from "../moving-service.js";
import { openedSnapshot, pulledSnapshot } from "../opened-snapshot.js";
import { randomCompany, SEMANTIC_TYPES } from "../random-company.js";
import { reportedDiagnostics } from "../reported-diagnostics.js";
import { temporaryFolder, temporaryPaths } from "../temporary-folder.js";
import { expectSameHistory, expectSamePast } from "./same-past.js";

const folder = temporaryFolder();
const newPath = temporaryPaths(folder);
const numRuns = randomRuns(75, 15);
/** Around changes of clocks, between microseconds, and before and after everything. */
const POINTS = [
  ...["2016-12-31", "2023-12-31", "2024-03-30", "2024-03-31", "2024-06-30", "2024-10-26", "2024-10-27", "2035-01-01"],
  ...["2024-W13", "2024-W43", "2020-W53", "2025-W01"],
  ...["2024-03-31T01:00:00Z", "2024-03-31T01:00:00.000001Z", "2024-10-27T01:29:59.999999Z", "2016-12-31T23:59:60Z"],
];
const ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati"];

/** A snapshot of records, until the test ends. */
async function written(records: SnapshotTables): Promise<Snapshot> {
  const path = newPath();
  await writeSnapshot(path, records);
  return openedSnapshot(path);
}

describe("the past of the sample company's types", () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    const path = join(folder, "sample");
    await writeSample(path);
    snapshot = await openSnapshot(path);
    return () => snapshot.close();
  });

  const types = async () =>
    (
      await snapshot.sql(
        "SELECT DISTINCT semantic_type FROM layer_features WHERE semantic_type IS NOT NULL ORDER BY ALL",
      )
    ).array("semantic_type") as string[];

  it("is the same as in a history", async () => {
    for (const [index, type] of (await types()).entries()) {
      const timeZone = ZONES[index % ZONES.length] ?? "UTC";
      const history = await snapshot.history({ semantic_type: type }, { timeZone });
      const middle = history.changes().get("created_at", Math.floor(history.length / 2)) as Date | undefined;
      const dates = ["2025-06-30", ...(middle ? [middle.toISOString(), middle.toISOString().slice(0, 10)] : [])];
      await expectSamePast(snapshot, type, history, dates);
    }
  });

  it("is read in one scan of the log, of the features of the type", async () => {
    const plan = await planOf(snapshot, "FROM PUNCH_LIST_ITEMS_AT('2025-06-30')");
    const logs = plan.filter((node) => reads(node, "property_changes"));
    expect(logs).toHaveLength(1);
    const own = `SELECT count(*) AS n FROM property_changes c JOIN PUNCH_LIST_ITEMS f ON f.id = c.layer_feature_id`;
    const count = (await snapshot.sql(own)).get("n", 0);
    const grouped = plan.filter(({ name, rowsIn }) => name.includes("GROUP_BY") && rowsIn > 0);
    expect(Math.max(...grouped.map(({ rowsIn }) => rowsIn))).toBe(count);
  });

  it("is read for one column if a query needs intervals of one column", async () => {
    const logs = (await planOf(snapshot, `FROM PUNCH_LIST_ITEMS_HISTORY WHERE "column" = 'STATUS'`)).filter((node) =>
      reads(node, "property_changes"),
    );
    const withValues = logs.filter(({ info }) => info.includes("new_value"));
    expect(withValues).toHaveLength(1);
    expect(withValues[0]?.info).toContain("property_key='STATUS'");
    const intervals = await snapshot.sql(
      `SELECT id, valid_from_us FROM PUNCH_LIST_ITEMS_HISTORY WHERE "column" = 'STATUS'`,
    );
    const history = await snapshot.history({ semantic_type: "PUNCH_LIST_ITEMS" });
    expect(intervals.objects()).toEqual(history.intervals("STATUS").select("id", "valid_from_us").objects());
  });
});

interface PlanNode {
  readonly name: string;
  /** Files, filters and columns, as JSON. */
  readonly info: string;
  readonly rowsIn: number;
}

interface Explained {
  readonly operator_name?: string;
  readonly operator_cardinality?: number;
  readonly extra_info?: unknown;
  readonly children?: readonly Explained[];
}

/** The operators of a query as it ran. */
async function planOf(snapshot: Snapshot, query: string): Promise<readonly PlanNode[]> {
  const explained = await snapshot.sql(`EXPLAIN (ANALYZE, FORMAT json) ${query}`);
  const nodes: PlanNode[] = [];
  const walk = ({ operator_name: name = "", extra_info: info, children = [] }: Explained) => {
    const rowsIn = children.reduce((sum, child) => sum + (child.operator_cardinality ?? 0), 0);
    nodes.push({ name, info: JSON.stringify(info ?? {}), rowsIn });
    children.forEach(walk);
  };
  walk(JSON.parse(String(explained.get("explain_value", 0))) as Explained);
  return nodes;
}

function reads({ name, info }: PlanNode, table: string): boolean {
  return /SCAN|READ_PARQUET/.test(name) && info.includes(`/${table}/`);
}

describe("the past of random companies", () => {
  it("is the same as in a history, for all ties and time zones", async () => {
    const some = fc.array(fc.constantFrom(...POINTS), { minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(askedCompanies, some, fc.constantFrom(...ZONES), async (company, points, timeZone) => {
        const path = newPath();
        await writeCompany(path, company);
        await withTypes(path, async (snapshot, type) => {
          const history = await snapshot.history({ semantic_type: type }, { timeZone, strict: false });
          // Engines refuse one key in two columns, as `openAsked()` expects.
          if (keyRefusals(history).length > 0) return;
          await expectSamePast(snapshot, type, history, points);
          await expectSameHistory(snapshot, type, history);
        });
      }),
      { numRuns, seed },
    );
  });

  it("has the features of a layer, for all sites, datasets and keys", async () => {
    await fc.assert(
      fc.asyncProperty(randomCompany, fc.constantFrom(...ZONES), async (company, timeZone) => {
        const path = newPath();
        await writeSnapshot(path, company);
        await withTypes(path, async (snapshot, type) => {
          const history = await snapshot.history({ semantic_type: type }, { timeZone });
          await expectSamePast(snapshot, type, history, ["2024-12-31", "2025-01-01T00:00:00.000001Z"]);
          await expectSameHistory(snapshot, type, history);
          const past = (await snapshot.sql(`DESCRIBE FROM ${type}_AT('2025-01-01')`)).array("column_name");
          const { table } = await snapshot.layer({ semantic_type: type });
          // Columns that differ in case only have other names in SQL.
          const names = table.columnNames();
          expect(past.filter((name) => names.includes(String(name)))).toEqual(
            names.filter((name) => past.includes(name)),
          );
          const ids = await snapshot.sql(`SELECT id FROM ${type} ORDER BY id`);
          expect(ids.objects()).toEqual(table.select("id").objects());
        });
      }),
      { numRuns, seed },
    );
  });
});

/** Calls a test for each semantic type of a snapshot. */
async function withTypes(path: string, test: (snapshot: Snapshot, type: string) => Promise<void>): Promise<void> {
  const snapshot = await openSnapshot(path);
  try {
    const stored = (await snapshot.sql("SELECT DISTINCT semantic_type AS t FROM layer_features")).array("t");
    for (const type of SEMANTIC_TYPES.filter((name) => stored.includes(name))) await test(snapshot, type);
  } finally {
    await snapshot.close();
  }
}

const records = {
  sites: [site(1)],
  datasets: [dataset(1, { site_id: 1 })],
  layerFeatures: [
    feature(1, { site_id: 1, created_at: "2024-01-01T00:00:00Z", properties: { STATUS: "DONE", "'; DROP": 3 } }),
    feature(2, { site_id: 1, created_at: "2024-06-30T22:30:00Z", properties: { STATUS: "OPEN" } }),
  ],
  propertyChanges: [
    change(1, { new_value: "OPEN", created_at: "2024-06-01T00:00:00Z" }),
    change(2, { new_value: "DONE", created_at: "2024-06-30T22:30:00.000001Z" }),
  ],
};

describe("a macro's time", () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    const path = join(folder, "times");
    await pull(fromRecords(records, { readAt: new Date("2025-01-01T00:00:00Z") }), path);
    snapshot = await openSnapshot(path);
    return () => snapshot.close();
  });
  const status = async (call: string, timeZone?: string) => {
    const found = await snapshot.sql(`SELECT id, "STATUS" FROM ${call} ORDER BY id`, { timeZone });
    return found.array("STATUS");
  };

  it("includes a whole day of the time zone, or an instant to the microsecond", async () => {
    expect(await status("TRENCHES_AT('2024-06-30')")).toEqual(["DONE", "OPEN"]);
    expect(await status("TRENCHES_AT('2024-06-30')", "Europe/Berlin")).toEqual(["OPEN"]);
    expect(await status("TRENCHES_AT('2024-06-30')", "America/St_Johns")).toEqual(["DONE", "OPEN"]);
    expect(await status("TRENCHES_AT('2024-06-30T22:30:00Z')")).toEqual(["OPEN", "OPEN"]);
    expect(await status("TRENCHES_AT('2024-07-01T00:30:00.000001+02:00')")).toEqual(["DONE", "OPEN"]);
    expect(await status("trenches_at(DATE '2024-06-30')", "Europe/Berlin")).toEqual(["OPEN"]);
    expect(await status('"TRENCHES_AT"($$2024-06-30$$)')).toEqual(["DONE", "OPEN"]);
  });

  it("can be several in one query, of several macros", async () => {
    const query = `SELECT a."STATUS" AS before, b."STATUS" AS after, s.state /* it's '2024-01-01' */
      FROM TRENCHES_AT('2024-06-05') a JOIN TRENCHES_AT('2024-07-01') b USING (id) JOIN TRENCHES t USING (id)
      JOIN TRENCHES_STATES('2024-07-01') s ON s.id = t.id AND s."column" = 'STATUS'
      JOIN TRENCHES_HISTORY h ON h.change_id = s.change_id`;
    expect((await snapshot.sql(query)).objects()).toEqual([{ before: "OPEN", after: "DONE", state: "logged" }]);
    expect((await snapshot.sql(query, { sandbox: true })).objects()).toHaveLength(1);
    const target = join(folder, "copied.csv");
    for (const sandbox of [true, false]) {
      await snapshot.writeTo("SELECT id, \"STATUS\" FROM TRENCHES_AT('2024-06-30'); -- done", target, "csv", {
        sandbox,
        timeZone: "Europe/Berlin",
      });
      expect(readFileSync(target, "utf8")).toBe("id,STATUS\n1,OPEN\n");
    }
    await snapshot.sql("CREATE TABLE kept AS FROM TRENCHES_AT('2024-06-05')");
    expect(await status("kept")).toEqual(["OPEN"]);
  });

  it("depends on the time zone of its query only", async () => {
    const zones = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "UTC" : "Europe/Berlin"));
    const found = await Promise.all(zones.map((zone) => status("TRENCHES_AT('2024-06-30')", zone)));
    expect(found).toEqual(zones.map((zone) => (zone === "UTC" ? ["DONE", "OPEN"] : ["OPEN"])));
  });

  it.each([
    ["'yesterday'", 'invalid time "yesterday".'],
    ["'2024-02-30'", 'invalid time "2024-02-30": the last day of that month is 2024-02-29.'],
    ["'2024-06-30T12:00:00'", 'the instant "2024-06-30T12:00:00" has no time zone.'],
    ["''", 'invalid time "".'],
    ["20240630", 'invalid time "20240630".'],
    ["'2024-06' || '-30'", 'the argument "2024-06-30" is not a literal.'],
    ["'a\"b'", /invalid time/],
    ["'x.csv'", 'invalid time "x.csv".'],
    ["'../../x.parquet'", 'invalid time "../../x.parquet".'],
    ["['2024-06-30']", 'invalid time "[2024-06-30]".'],
    ["NULL", /NULL/, QueryError],
    ["(SELECT '2024-06-30')", /subqueries/, QueryError],
    ["", /does not support the supplied arguments/, QueryError],
    ["'2024-06-30', 'Europe/Berlin'", /does not support the supplied arguments/, QueryError],
  ])("cannot be %s", async (argument, message, type: typeof ArgumentError | typeof QueryError = ArgumentError) => {
    for (const sandbox of [false, true]) {
      const asked = snapshot.sql(`FROM TRENCHES_AT(${argument})`, { sandbox, timeZone: "Europe/Berlin" });
      const hint = expect.stringContaining(
        "a calendar date or ISO week, which includes the whole day or week in Europe/Berlin",
      );
      await expect(asked).rejects.toBeInstanceOf(type);
      await expect(asked).rejects.toMatchObject({ hint });
      await expect(asked).rejects.toThrow(message);
    }
  });

  it("cannot be a column of another table, or missing", async () => {
    const hint = expect.stringContaining("TRENCHES_AT('2025-06-30')");
    const lateral = snapshot.sql("FROM sites s, TRENCHES_AT(s.name)");
    await expect(lateral).rejects.toMatchObject({ code: "ERR_QUERY", hint });
    await expect(snapshot.sql("FROM TRENCHES_AT")).rejects.toMatchObject({ code: "ERR_QUERY", hint });
  });

  it("is refused also in a query without rows", async () => {
    await expect(snapshot.sql("FROM TRENCHES_AT('nonsense') WHERE false")).rejects.toThrow(/invalid time "nonsense"/);
    await expect(snapshot.sql("SELECT 1 WHERE false AND EXISTS (FROM TRENCHES_STATES(NULL))")).rejects.toThrow(/NULL/);
  });

  it("is reported if it is after the log was read", async () => {
    const timesReported = async (query: string) => {
      const diagnostics = await reportedDiagnostics((onDiagnostic) => snapshot.sql(query, { onDiagnostic }));
      return diagnostics.map(({ code, facts }) => [code, facts?.["asked"]]);
    };
    for (const argument of ["'2031-01-01'", "DATE '2031-01-01'", "$$2031-01-01$$", "/* ( */ '2031-01-01'"]) {
      expect(await timesReported(`FROM trenches_at ( ${argument} )`)).toEqual([["date-after-read", "2031-01-01"]]);
    }
    expect(await timesReported("SELECT '2031-01-01' FROM TRENCHES_AT('2024-06-30')")).toEqual([]);
    expect(await timesReported("FROM TRENCHES_AT('2024-06-30') -- TRENCHES_AT('2031-01-01')")).toEqual([]);
  });

  it("has a view if it is an argument of a macro", async () => {
    const days = Array.from({ length: 30 }, (_, day) => `'2024-06-${String(day + 1).padStart(2, "0")}'`);
    const views = `(SELECT count(*) FROM duckdb_views() WHERE view_name LIKE 'past %')`;
    const made = async (from: string) => {
      const found = await snapshot.sql(`SELECT ${views} AS n, '2024-06-30' IN (${days}) AS has ${from}`);
      return found.get("n", 0);
    };
    expect(await made("FROM TRENCHES_AT('2024-06-30')")).toBe(1);
    expect(await made("FROM TRENCHES_AT('2024-06-30') JOIN TRENCHES_STATES('2024-07-01') USING (id)")).toBe(2);
    // Other kinds of arguments can be any date of the query.
    expect(await made("FROM TRENCHES_AT(\"time\" := '2024-06-30')")).toBe(30);
    expect(await made("FROM TRENCHES_AT('2024-06-30'), (SELECT 1 AS trenches_at)")).toBe(30);
  });

  it("needs a known time zone", async () => {
    for (const timeZone of ["Mars/Olympus", "", 3]) {
      const asked = snapshot.sql("FROM sites", { timeZone: timeZone as string });
      await expect(asked).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
    }
  });
});

describe("views and macros of the past", () => {
  const rows = async (snapshot: Snapshot, query: string) => (await snapshot.sql(query)).objects();

  it("are listed with the tables if they are views", async () => {
    const snapshot = await written(records);
    const listed = (await snapshot.sql("SHOW TABLES")).array("name");
    expect(listed).toEqual(expect.arrayContaining(["TRENCHES", "TRENCHES_HISTORY"]));
    expect(listed).toHaveLength(10);
  });

  it("are found for the types that a query names, and listed for all types", async () => {
    const [upper, lower] = [uuid(1, "AAAAAAAA"), uuid(1, "aaaaaaaa")];
    const company = {
      ...records,
      layerFeatures: [
        feature(1, { properties: { [upper]: 1 } }),
        feature(2, { properties: { [lower]: 2 } }),
        feature(3, { semantic_type: "CABLE_TRENCHES", properties: { STATUS: "OPEN" } }),
      ],
      propertyChanges: [change(1, { layer_feature_id: 3, new_value: "DONE" })],
    };
    const snapshot = await written(company);
    const refused = { code: "ERR_ARGUMENT", message: expect.stringContaining("in upper and lower case") };
    await expect(snapshot.sql("FROM TRENCHES_AT('2025-06-30')")).rejects.toMatchObject(refused);
    expect(await rows(snapshot, "SELECT id FROM CABLE_TRENCHES_AT('2025-06-30')")).toEqual([{ id: 3 }]);
    expect(await rows(snapshot, "SELECT id FROM CABLE_TRENCHES")).toEqual([{ id: 3 }]);
    const columns = `SELECT column_name, data_type FROM information_schema.columns
      WHERE table_name = 'CABLE_TRENCHES' || '_HISTORY' ORDER BY ordinal_position`;
    const listed = await rows(snapshot, columns);
    expect((await snapshot.sql("SHOW TABLES")).array("name")).toContain("TRENCHES_HISTORY");
    const described = await rows(snapshot, "DESCRIBE CABLE_TRENCHES_HISTORY");
    expect(described).toMatchObject(
      listed.map((row) => {
        const { column_name, data_type: column_type } = row as Record<string, unknown>;
        return { column_name, column_type };
      }),
    );
    expect(described).toHaveLength(listed.length);
    const [one, ...others] = await Promise.all(
      ["FROM CABLE_TRENCHES_HISTORY", "SHOW TABLES", "FROM CABLE_TRENCHES_HISTORY"].map((query) =>
        rows(snapshot, query),
      ),
    );
    expect(one).toHaveLength(2);
    expect(others[1]).toEqual(one);
    await expect(snapshot.sql("FROM TRENCHES_HISTORY")).rejects.toMatchObject(refused);
  });

  it("have distinct columns for properties that differ in case only", async () => {
    const [a, b] = [uuid(1, "aaaaaaaa"), uuid(1, "bbbbbbbb")];
    const company = {
      datasets: [dataset(1)],
      propertyDefinitions: [definition(a, "Severity"), definition(b, "severity")],
      layerFeatures: [feature(1, { properties: { [a]: 1, [b]: 2, value: "own", id: 7 } })],
      propertyChanges: [change(1, { property_key: a, new_value: 0 }), change(2, { property_key: "only_logged" })],
    };
    const snapshot = await written(company);
    const found: Diagnostic[] = [];
    const at = await snapshot.sql("FROM TRENCHES_AT('2024-07-01')", {
      onDiagnostic: (diagnostic) => found.push(diagnostic),
    });
    expect(at.columnNames()).toEqual(
      expect.arrayContaining(["Severity (aaaaaaaa)", "severity (bbbbbbbb)", "only_logged", "value", "properties.id"]),
    );
    expect(at.objects()).toMatchObject([{ "Severity (aaaaaaaa)": 0, "severity (bbbbbbbb)": 2, only_logged: "OPEN" }]);
    expect(found).toMatchObject([{ code: "column-renamed-in-sql", facts: { columns: ["Severity", "severity"] } }]);
    await expect(snapshot.sql("SELECT Severity FROM TRENCHES_AT('2024-07-01')")).rejects.toMatchObject({
      hint: expect.stringContaining('"Severity (aaaaaaaa)"'),
    });
  });

  it("are never mixed with views of other types", async () => {
    const types = ["TRENCHES", "trenches", "TRENCHES_AT", "Fences_HISTORY", "FENCES", 'odd "name\0', "ROADS"];
    const layerFeatures = types.map((semantic_type, index) => feature(index + 1, { semantic_type }));
    const snapshot = await written({ datasets: [dataset(1)], layerFeatures });
    const found: Diagnostic[] = [];
    const onDiagnostic = (diagnostic: Diagnostic) => found.push(diagnostic);
    const failed = await snapshot
      .sql("FROM TRENCHES_AT('2025-01-01')", { onDiagnostic })
      .catch((error: unknown) => error);
    const names = found.flatMap(({ facts }) => facts?.["sql_names"] as string[]);
    expect(names).toHaveLength(3);
    expect(failed).toMatchObject({ code: "ERR_QUERY", hint: expect.stringContaining(String(names[0])) });
    expect(failed).toMatchObject({ hint: expect.stringContaining("The views and macros of") });
    const ids = async (name: string | undefined, call: string) => {
      return (await snapshot.sql(`SELECT id FROM "${name}"${call}`)).array("id");
    };
    const macros = found.flatMap(({ facts = {} }) => {
      const sqlNames = facts["sql_names"] as string[];
      return (facts["semantic_types"] as string[]).map((type, n) => [type, sqlNames[n]] as const);
    });
    expect(await ids(macros.find(([type]) => type === "TRENCHES")?.[1], "('2025-01-01')")).toEqual([1]);
    expect(await ids(macros.find(([type]) => type === "trenches")?.[1], "('2025-01-01')")).toEqual([2]);
    expect(await ids(macros.find(([type]) => type === "TRENCHES_AT")?.[1], "")).toEqual([3]);
    const listed = (await snapshot.sql("SHOW TABLES")).array("name") as string[];
    expect(listed.filter((name) => name.toLowerCase() === "fences_history")).toEqual([]);
    expect(listed.filter((name) => /^fences_history \([0-9a-f]{8}\)$/i.test(name))).toHaveLength(2);
    expect(await ids('odd ""name␀_AT', "('2025-01-01')")).toEqual([6]);
    expect(await ids("roads_at", "('2025-01-01')")).toEqual([7]);
    expect(await rows(snapshot, `SELECT count(*) AS n FROM "odd ""name␀_HISTORY"`)).toEqual([{ n: 0 }]);
  });

  it("are empty for a type without properties, and have features without changes", async () => {
    const snapshot = await written({ layerFeatures: [feature(1)] });
    expect(await rows(snapshot, "SELECT id FROM TRENCHES_AT('2024-07-01')")).toEqual([{ id: 1 }]);
    expect(await rows(snapshot, "SELECT id FROM TRENCHES_AT('2020-07-01')")).toEqual([]);
    expect((await snapshot.sql("FROM TRENCHES_STATES('2024-07-01')")).numRows()).toBe(0);
    const history = await snapshot.sql("FROM TRENCHES_HISTORY");
    expect([history.numRows(), history.columnNames()[0]]).toEqual([0, "id"]);
  });

  it("keep their generation after a pull", async () => {
    const path = join(folder, "moving");
    const reader = await pulledSnapshot(records, path);
    const status = async (sandbox: boolean) =>
      (await reader.sql("SELECT \"STATUS\" FROM TRENCHES_AT('2024-06-05')", { sandbox })).array("STATUS");
    for (const sandbox of [false, true]) expect(await status(sandbox)).toEqual(["OPEN"]);
    await pull(fromRecords({ ...records, propertyChanges: [] }), path);
    for (const sandbox of [false, true]) expect(await status(sandbox)).toEqual(["OPEN"]);
  });

  it("have the type of the logged values, without values at impossible times", async () => {
    const company = {
      datasets: [dataset(1)],
      layerFeatures: [feature(1, { properties: { SIZE: 2 } })],
      propertyChanges: [
        change(1, { property_key: "SIZE", new_value: 1, created_at: "2024-02-01T00:00:00Z" }),
        change(2, { property_key: "SIZE", new_value: "huge", created_at: "2024-02-30T00:00:00Z" }),
      ],
    };
    const path = join(folder, "no-such-day");
    await pull(fromRecords(company), path, { strict: false });
    const snapshot = await openedSnapshot(path);
    expect((await snapshot.sql("FROM TRENCHES_AT('2024-07-01')")).get("SIZE", 0)).toBe(1);
  });

  it("have values with characters that SQL escapes", async () => {
    const odd = ["'; DROP TABLE x", 'say "no"', "a\\b", "line\nbreak", "a\0b", "ü\u{1f600}", "?", "=", "null"];
    const company = {
      datasets: [dataset(1)],
      layerFeatures: [feature(1, { properties: Object.fromEntries(odd.map((key) => [key, key])) })],
      propertyChanges: [
        ...odd.map((key, index) => change(index + 1, { property_key: key, new_value: `${key}!` })),
        // Half a pair of surrogates has no UTF-8.
        change(99, { new_value: "cut \ud83d" }),
      ],
    };
    const snapshot = await written(company);
    const history = await snapshot.history({ semantic_type: "TRENCHES" });
    const cells = (table: ColumnTable) =>
      (table.objects() as Record<string, unknown>[]).map(({ column, value }) => [column, value]);
    const expected = cells(history.states("2024-07-01")).map(([column, value]) => {
      return [column, column === "STATUS" ? "cut \ufffd" : value];
    });
    expect(cells(await snapshot.sql("FROM TRENCHES_STATES('2024-07-01')"))).toEqual(expected);
    const states = await snapshot.sql("SELECT DISTINCT state FROM TRENCHES_HISTORY ORDER BY ALL");
    expect(states.array("state")).toEqual(["logged", "unknown"]);
  });
});
