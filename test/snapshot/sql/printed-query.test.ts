import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Diagnostic, type DialectName, openSnapshot, type Snapshot } from "../../../src/index.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { writeSample } from "../../support/asked-sample.js";
import { openPlainDuckDB } from "../../support/plain-duckdb.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { site } from "../moving-service.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { reportedDiagnostics } from "../reported-diagnostics.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

/** Runs a statement in a DuckDB that has the tables of a snapshot, and nothing else. */
async function runAlone(name: string, text: string): Promise<unknown[][]> {
  const alone = await openPlainDuckDB(join(folder, name));
  const { rows } = await alone.rows(text).finally(() => alone.close());
  return rows.map((row) => row.map((value) => (typeof value === "bigint" ? Number(value) : value)));
}

describe("the text of a query", () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    const path = join(folder, "sample");
    await writeSample(path);
    snapshot = await openSnapshot(path);
    return () => snapshot.close();
  });

  const print = (query: string, dialect: DialectName = "duckdb") =>
    snapshot.toSQL(query, { dialect, timeZone: "Europe/Berlin" });

  it.each([
    "FROM TRENCHES_AT('2025-06-30')",
    "SELECT * FROM TRENCHES_AT('2025-06-30T12:00:00Z');",
    "FROM TRENCHES_STATES('2025-06-30') -- at '2025-01-01'",
    "FROM TRENCHES_HISTORY",
    "FROM trenches ORDER BY id",
    "SELECT \"STATUS\", count(*) AS n FROM PUNCH_LIST_ITEMS_AT(DATE '2025-06-30') GROUP BY ALL ORDER BY ALL",
    `SELECT a.id, a."STATUS" AS a, b."STATUS" AS b FROM "PUNCH_LIST_ITEMS_AT"('2025-03-31') a
     JOIN punch_list_items_at ( '2025-06-30' ) b USING (id) ORDER BY id`,
    `/* two */ WITH ended AS (FROM TRENCHES_HISTORY WHERE valid_to IS NOT NULL), features AS (FROM TRENCHES)
     SELECT "column", count(*) AS n FROM ended JOIN features USING (id) GROUP BY ALL ORDER BY ALL`,
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) FROM t, FENCES_AT('2025-06-30') ORDER BY ALL",
    "SELECT id FROM layer_features ORDER BY id",
    "SELECT id FROM trenches WHERE visible_id <> '; -- none' ORDER BY id; -- done; /* ; */ ;",
    "SELECT id, e'it\\'s (TRENCHES' AS \"; ' -- x\" FROM TRENCHES_AT($$2025-06-30$$) -- TRENCHES_AT('no time') ORDER\nORDER BY id",
    "WITH trenches AS (SELECT * FROM TRENCHES_AT('2025-06-30')) SELECT count(*) FROM trenches",
    `WITH /* , */ a("x)") AS NOT MATERIALIZED (SELECT id FROM trenches_history), "Trenches" (n) AS MATERIALIZED (
     SELECT count(*) FROM a WHERE 'trenches' <> ')') SELECT n FROM TRENCHES`,
    `SELECT (WITH trenches AS (SELECT 1 AS n) SELECT n FROM trenches) AS n, id FROM TRENCHES ORDER BY id`,
    "WITH RECURSIVE trenches(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM trenches WHERE n < 3) FROM trenches, FENCES ORDER BY ALL",
  ])("runs without views and macros: %s", async (query) => {
    const text = await print(query);
    const expected = await snapshot.sql(query, { timeZone: "Europe/Berlin" });
    expect(await runAlone("sample", text)).toEqual(expected.objects().map((row) => Object.values(row as object)));
  });

  it("is the text of the macro or view if the query has nothing else", async () => {
    const alone = await print("TRENCHES_AT('2025-06-30')");
    expect(alone).toBe(await print("SELECT * FROM trenches_at('2025-06-30') ;"));
    expect(alone).toMatch(/^WITH /);
    const questions = await snapshot.lazyHistory({ semantic_type: "TRENCHES" }, { timeZone: "Europe/Berlin" });
    expect(alone).toBe(await questions.asOf("2025-06-30").toSQL());
    expect(await print("TRENCHES_STATES('2025-06-30')", "trino")).toBe(
      await questions.states("2025-06-30").toSQL("trino"),
    );
    await questions.close();
  });

  it("is in the dialect of its engine", async () => {
    const query = "SELECT \"STATUS\" FROM TRENCHES_AT('2025-06-30') JOIN TRENCHES_HISTORY USING (id)";
    const [trino, spark] = [await print(query, "trino"), await print(query, "spark")];
    expect(trino).toContain('WITH "TRENCHES_AT 2025-06-30" AS (');
    expect(trino).toContain("from_unixtime_nanos");
    expect(spark).toContain("WITH `TRENCHES_AT 2025-06-30` AS (");
    expect(spark).toContain("timestamp_micros");
    expect(await print("SELECT `STATUS` FROM `TRENCHES_AT`('2025-06-30') x", "spark")).toContain(
      "FROM `TRENCHES_AT 2025-06-30` x",
    );
  });

  it("is read with the string literals of the engine", async () => {
    const spark = await print(
      "SELECT 'it\\'s FENCES', \"say \\\"FENCES\\\", it's\" FROM TRENCHES_AT('2025-06-30') WHERE x = 'a\\\\'",
      "spark",
    );
    expect(spark.match(/^(WITH )?`[^`]+` AS \($/gm)).toEqual(["WITH `TRENCHES_AT 2025-06-30` AS ("]);
    expect(spark).toMatch(/FROM `TRENCHES_AT 2025-06-30` WHERE x = 'a\\\\'$/);
    // A backslash is no escape elsewhere.
    const trino = await print("SELECT 'a\\' FROM TRENCHES_AT('2025-06-30')", "trino");
    expect(trino).toMatch(/SELECT 'a\\' FROM "TRENCHES_AT 2025-06-30"$/);
  });

  it.each([
    ["FROM TRENCHES_AT('yesterday')", /invalid time "yesterday"/i],
    ["FROM TRENCHES_AT('2025-06-30T12:00:00')", /has no time zone/],
    ["FROM TRENCHES_AT(current_date)", /invalid time "current_date"/],
    ["FROM TRENCHES_AT(NULL)", /invalid time "NULL"/],
    ["FROM TRENCHES_AT()", /invalid time ""/],
  ])("is refused with a hint: %s", async (query, message) => {
    const asked = print(query, "trino");
    await expect(asked).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      hint: expect.stringContaining("TRENCHES_AT('2025-06-30')"),
    });
    await expect(asked).rejects.toThrow(message);
  });

  it("is refused if a name of the query hides a view that it reads", async () => {
    const query = "WITH trenches AS (SELECT * FROM TRENCHES WHERE id > 3) SELECT count(*) FROM trenches";
    expect((await snapshot.sql(query)).numRows()).toBe(1);
    await expect(print(query)).rejects.toMatchObject({
      code: "ERR_QUERY",
      message: expect.stringContaining('the view "TRENCHES"'),
      hint: "Rename the CTE.",
    });
  });

  it("is refused for an unknown dialect", async () => {
    await expect(print("FROM TRENCHES", "oracle" as never)).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
  });
});

describe("the text of a query about types with similar names", () => {
  const types = ["SOLAR", "SOLAR_PANELS", "Roads", "ROADS", 'odd "name', "06", "SÜD", "süd"];
  let snapshot: Snapshot;
  beforeAll(async () => {
    const path = join(folder, "alike");
    const layerFeatures = types.map((semantic_type, n) =>
      feature(n + 1, { site_id: 1, semantic_type, created_at: "2024-01-01T00:00:00Z", properties: { STATUS: "OPEN" } }),
    );
    const propertyChanges = types.map((_, n) =>
      change(n + 1, { layer_feature_id: n + 1, new_value: "OPEN", created_at: "2024-06-01T00:00:00Z" }),
    );
    await writeSnapshot(path, {
      sites: [site(1)],
      datasets: [dataset(1, { site_id: 1 })],
      layerFeatures,
      propertyChanges,
    });
    snapshot = await openSnapshot(path);
    return () => snapshot.close();
  });

  it.each([
    "SOLAR_PANELS_AT('2025-06-30')",
    "SOLAR_PANELS",
    "SELECT * FROM SOLAR_PANELS_HISTORY",
    "SELECT * FROM SOLAR_AT('2025-06-30');",
    '"odd ""name"',
    "süd",
    "SÜD_AT('2025-06-30')",
  ])("is the text of one view or macro: %s", async (query) => {
    const text = await snapshot.toSQL(query);
    expect(text).not.toMatch(/WITH "[A-Z]/);
    const expected = await snapshot.sql(/^select/i.test(query) ? query : `FROM ${query}`);
    expect(await runAlone("alike", text)).toEqual(expected.objects().map((row) => Object.values(row as object)));
  });

  it("has the views and macros that it reads as its members", async () => {
    const members = async (query: string) =>
      [...(await snapshot.toSQL(query)).matchAll(/^(?:WITH )?("(?:[^"]|"")+") AS \($/gm)].map(([, name]) => name);
    expect(await members("SELECT id FROM solar_panels")).toEqual(['"SOLAR_PANELS"']);
    expect(await members("SELECT id FROM SOLAR_PANELS_AT('2025-06-30')")).toEqual(['"SOLAR_PANELS_AT 2025-06-30"']);
    expect(await members("SELECT 'SOLAR' FROM layer_features -- SOLAR")).toEqual([]);
    const [roads] = (await snapshot.sql("SHOW TABLES")).array("name").filter((name) => /^Roads \(/.test(String(name)));
    expect(await members(`SELECT id FROM "${roads}"`)).toEqual([`"${roads}"`]);
    expect(await members(`SELECT id FROM "${roads}", SOLAR, SÜD`)).toHaveLength(3);
  });
});

describe("the text of a view", () => {
  it("has the columns of the view, and reports renamed columns", async () => {
    const [a, b] = [uuid(1, "aaaaaaaa"), uuid(1, "bbbbbbbb")];
    const path = join(folder, "renamed");
    const layout_definition = { items: [{ type: "PROPERTY" as const, property_definition_id: "laid_out" }] };
    await writeSnapshot(path, {
      sites: [site(1)],
      datasets: [dataset(1, { site_id: 1, layout_definition })],
      propertyDefinitions: [definition(a, "Severity"), definition(b, "severity")],
      layerFeatures: [feature(1, { site_id: 1, properties: { [a]: 1, [b]: 2, own: "x", id: 7 } })],
      propertyChanges: [change(1, { property_key: "only_logged" }), change(2, { property_key: "OWN" })],
    });
    const snapshot = await openedSnapshot(path);
    const query = "SELECT * FROM (FROM TRENCHES)";
    const text = await snapshot.toSQL(query);
    const described = async (asked: string) => (await snapshot.sql(`DESCRIBE ${asked}`)).array("column_name");
    expect(await described(text)).toEqual(await described("FROM TRENCHES"));
    expect(await described(text)).toEqual(expect.arrayContaining(["laid_out", "own", "Severity (aaaaaaaa)"]));
    const asked = await reportedDiagnostics((onDiagnostic) => snapshot.sql(query, { onDiagnostic }));
    expect(asked).toMatchObject([{ code: "column-renamed-in-sql", facts: { columns: ["Severity", "severity"] } }]);
    expect(await reportedDiagnostics((onDiagnostic) => snapshot.toSQL(query, { onDiagnostic }))).toEqual(asked);
  });
});

describe("the text for Spark", () => {
  const trap = `${"$"}{env:HOME}`;
  const types = [trap, `T ${trap}`, "T"];
  const queries = types.flatMap((type) => [
    `\`${type}\``,
    `SELECT * FROM \`${type}\` JOIN \`${type}_HISTORY\` USING (id)`,
    `\`${type}_HISTORY\``,
    `\`${type}_AT\`('2025-06-30')`,
    `SELECT id FROM \`${type}_AT\`('2025-06-30') a, \`${type}_STATES\`('2025-06-30') b`,
  ]);
  let snapshot: Snapshot;
  beforeAll(async () => {
    const path = join(folder, "environment");
    const [a, b, c] = [uuid(1, "aaaaaaaa"), uuid(1, "bbbbbbbb"), uuid(1, "cccccccc")];
    const names = [a, b, c, trap, `${trap}\0`, "$" + "{", `$${"$"}{x}}`, `\`${trap}\``];
    const properties = Object.fromEntries(names.map((name) => [name, trap]));
    const layout_definition = { items: [{ type: "PROPERTY" as const, property_definition_id: `$${"{"}laid:out}` }] };
    await writeSnapshot(path, {
      sites: [site(1)],
      datasets: types.map((semantic_type, n) =>
        dataset(n + 1, { site_id: 1, name: trap, identifier: trap, semantic_type, layout_definition }),
      ),
      propertyDefinitions: [definition(a, trap), definition(b, trap.toLowerCase()), definition(c, "$ {env:HOME}")],
      layerFeatures: types.map((semantic_type, n) =>
        feature(n + 1, { site_id: 1, dataset_id: n + 1, visible_id: trap, semantic_type, properties }),
      ),
      propertyChanges: types.flatMap((_, n) =>
        names.map((property_key, m) =>
          change(10 * n + m + 1, { layer_feature_id: n + 1, property_key, new_value: { [trap]: trap } }),
        ),
      ),
    });
    snapshot = await openSnapshot(path);
    return () => snapshot.close();
  });

  it.each(queries)("has no part that Spark replaces: %s", async (query) => {
    const found: Diagnostic[] = [];
    const text = await snapshot.toSQL(query, {
      dialect: "spark",
      asLogged: true,
      onDiagnostic: (one) => found.push(one),
    });
    expect(text).not.toMatch(/\$\{/);
    expect(text).toContain("\\u0024{env:HOME}");
    if (!/HISTORY|STATES/.test(query)) {
      const renamed = found.flatMap(({ facts }) => (facts?.["sql_names"] ?? []) as string[]);
      expect(renamed.filter((name) => name.startsWith("$ {env:HOME} (")).length).toBeGreaterThan(2);
      expect(new Set(renamed).size).toBe(renamed.length);
    }
  });

  it("keeps the names for engines that replace nothing", async () => {
    for (const dialect of ["duckdb", "trino"] as const) {
      expect(await snapshot.toSQL('"T"', { dialect })).toContain(`"$${"$"}{x}}"`);
    }
  });
});
