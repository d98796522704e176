import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/core/diagnostic.js";
import { fromRecords, openSnapshot, pull, type Snapshot } from "../../../src/index.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { site } from "../moving-service.js";
import { pulledSnapshot } from "../opened-snapshot.js";
import { reportedDiagnostics } from "../reported-diagnostics.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const types = { Cost: "FLOAT", Count: "INTEGER", Day: "DATE", Link: "RELATIONSHIP", Safe: "BOOLEAN", Seen: "DATETIME" };
const keys = Object.keys(types).map((_, n) => uuid(n, "aaaaaaaa"));
const [cost = "", count = "", day = ""] = keys;
const rows = [
  [1.5, 3, "2024-06-30", 7, true, "2024-06-30T12:00:00.123456+02:00"],
  ["5", 2.5, "2023-02-29", null, "yes", "noon"],
  [-0.25, -4, null, 9, false, null],
];
const written = Object.entries({
  Cost: "DOUBLE",
  Count: "BIGINT",
  Day: "DATE",
  Link: "BIGINT",
  Safe: "BOOLEAN",
  Seen: "TIMESTAMP WITH TIME ZONE",
});

let snapshot: Snapshot;

beforeAll(async () => {
  const path = join(folder, "typed.snapshot");
  const source = fromRecords({
    sites: [site(1)],
    datasets: [dataset(1, { site_id: 1 })],
    propertyDefinitions: Object.entries(types).map(([name, type], n) => definition(keys[n] ?? "", name, { type })),
    layerFeatures: rows.map((row, n) =>
      feature(n + 1, { site_id: 1, properties: Object.fromEntries(keys.map((key, at) => [key, row[at]])) }),
    ),
    propertyChanges: [
      change(1, { property_key: cost, new_value: 8, created_at: "2024-02-01T00:00:00Z" }),
      change(2, { property_key: cost, new_value: "8", created_at: "2024-03-01T00:00:00Z" }),
      change(3, { property_key: cost, new_value: 1.5, created_at: "2024-04-01T00:00:00Z" }),
      change(4, { property_key: count, new_value: 3, created_at: "2024-02-01T00:00:00Z" }),
      change(5, { property_key: day, new_value: "2024-06-30", created_at: "2024-02-01T00:00:00Z" }),
    ],
  });
  await pull(source, path);
  snapshot = await openSnapshot(path);
  return () => snapshot.close();
});

describe("views and macros of semantic types", () => {
  it.each(["TRENCHES", "TRENCHES_AT('2024-06-30')"])(
    "have columns of their definitions' types: %s",
    async (relation) => {
      const described = await snapshot.sql(`SELECT column_name, column_type FROM (DESCRIBE FROM ${relation})`);
      const found = new Map(described.objects().map((row) => Object.values(row) as [string, string]));
      expect(written.map(([name]) => [name, found.get(name)])).toEqual(written);
      const names = written.map(([name]) => `"${name}"`).join();
      expect(
        (await snapshot.sql(`SELECT ${names} FROM ${relation} ORDER BY id`)).objects().map((row) => Object.values(row)),
      ).toEqual([
        [1.5, 3, "2024-06-30", 7, true, new Date("2024-06-30T10:00:00.123Z")],
        [null, null, null, null, null, null],
        [-0.25, -4, null, 9, false, null],
      ]);
    },
  );

  it("report values that are null in SQL", async () => {
    const diagnostics = await reportedDiagnostics((onDiagnostic) => snapshot.sql("FROM TRENCHES", { onDiagnostic }));
    const shown = ({ message }: Diagnostic) => /\((.*)\): null/.exec(message)?.[1];
    expect(diagnostics.map((one) => [one.code, one.count, one.facts?.["column"], shown(one)])).toEqual([
      ["value-type-mismatch", 1, "Cost", '"5"'],
      ["value-type-mismatch", 1, "Count", "2.5"],
      ["value-type-mismatch", 1, "Day", '"2023-02-29"'],
      ["value-type-mismatch", 1, "Safe", "a string of 3 characters"],
      ["value-type-mismatch", 1, "Seen", "a string of 4 characters"],
    ]);
    expect(diagnostics).toEqual((await snapshot.layer({ semantic_type: "TRENCHES" })).diagnostics);
  });

  it.each<[query: string, columns: readonly string[]]>([
    ["SELECT count(*) FROM TRENCHES", []],
    ['SELECT sum("Cost") FROM TRENCHES', ["Cost"]],
    ['SELECT id FROM TRENCHES WHERE "cost" > 2 ORDER BY Day', ["Cost", "Day"]],
    ["SELECT count(*) FROM TRENCHES_AT('2024-03-15') WHERE \"Cost\" > 1", ["Cost"]],
    ["SELECT t.id FROM TRENCHES t", []],
    ["SELECT t FROM TRENCHES AS t", ["Cost", "Count", "Day", "Safe", "Seen"]],
    ["WITH all_of AS (FROM TRENCHES) SELECT id FROM all_of", ["Cost", "Count", "Day", "Safe", "Seen"]],
    ["SELECT t.* FROM TRENCHES t", ["Cost", "Count", "Day", "Safe", "Seen"]],
    ["SELECT COLUMNS('C.*') FROM TRENCHES", ["Cost", "Count", "Day", "Safe", "Seen"]],
  ])("have diagnostics only of columns that the query uses: %s", async (query, columns) => {
    const diagnostics = await reportedDiagnostics((onDiagnostic) => snapshot.sql(query, { onDiagnostic }));
    expect(diagnostics.map(({ facts }) => facts?.["column"])).toEqual(columns);
  });

  it.each(["2024-02-15", "2024-03-15", "2024-04-15"])("report values that were null on %s", async (date) => {
    const reported = (relation: string) =>
      reportedDiagnostics((onDiagnostic) => snapshot.sql(`FROM ${relation}`, { onDiagnostic }));
    const found = await reported(`TRENCHES_AT('${date}')`);
    const history = await snapshot.history({ semantic_type: "TRENCHES" });
    const layer = history.layerAsOf(date);
    const about = ({ code, count: n, facts }: Diagnostic) => [code, n, facts?.["column"], facts?.["property_key"]];
    expect(found.map(about)).toEqual(layer.diagnostics.map(about));
    const cost = found.find(({ facts }) => facts?.["column"] === "Cost");
    expect(cost?.message).toContain(date === "2024-03-15" ? '("5", "8")' : '("5")');
    expect(cost?.message).toMatch(
      date === "2024-03-15"
        ? /^TRENCHES_AT\('2024-03-15'\): 2 values of "Cost" are not of the definition's type FLOAT/
        : /^TRENCHES_AT\('2024-0[24]-15'\): 1 value of "Cost" is not of the definition's type FLOAT/,
    );
    const twice = await reported(`TRENCHES_AT('${date}') JOIN TRENCHES_AT('2024-03-15') USING (id)`);
    expect(twice.filter(({ facts }) => facts?.["time"] === date).map(about)).toEqual(found.map(about));
    expect(await reported(`TRENCHES_STATES('${date}')`)).toEqual([]);
  });
});

describe("asLogged", () => {
  const logged = ["Cost (as logged)", "Count (as logged)", "Day (as logged)", "Safe (as logged)", "Seen (as logged)"];
  const namesOf = (names: readonly string[]) => names.filter((name) => name.endsWith("(as logged)"));

  it("adds the logged values of columns with values of another type, as exports do", async () => {
    const table = await snapshot.sql("FROM TRENCHES ORDER BY id", { asLogged: true });
    expect(namesOf(table.columnNames())).toEqual(logged);
    expect(table.columnNames().indexOf("Cost (as logged)")).toBe(table.columnNames().indexOf("Cost") + 1);
    expect(table.array("Cost (as logged)")).toEqual(["1.5", '"5"', "-0.25"]);
    expect(table.array("Cost")).toEqual([1.5, null, -0.25]);
    expect(table.array("Seen (as logged)")).toEqual(['"2024-06-30T12:00:00.123456+02:00"', '"noon"', null]);
    const layer = await snapshot.layer({ semantic_type: "TRENCHES" });
    const exported = await layer.sql("FROM layer ORDER BY id", { asLogged: true });
    expect(table.columnNames()).toEqual(exported.columnNames());
    const parsed = (name: string) => Array.from(table.array(name), (text) => JSON.parse(String(text)) as unknown);
    for (const name of logged) expect(parsed(name)).toEqual(exported.array(name));
  });

  it("does not affect other queries", async () => {
    await snapshot.sql("FROM TRENCHES", { asLogged: true });
    for (const options of [{}, { asLogged: false }]) {
      expect(namesOf((await snapshot.sql("FROM TRENCHES", options)).columnNames())).toEqual([]);
    }
    const both = await Promise.all([true, false].map((asLogged) => snapshot.sql("FROM TRENCHES", { asLogged })));
    expect(both.map((table) => namesOf(table.columnNames()).length)).toEqual([5, 0]);
    const sandboxed = await snapshot.sql("FROM TRENCHES", { asLogged: true, sandbox: true });
    expect(namesOf(sandboxed.columnNames())).toEqual(logged);
    expect((await snapshot.sql("SHOW TABLES", { asLogged: true })).objects()).toEqual(
      (await snapshot.sql("SHOW TABLES")).objects(),
    );
  });

  it("adds the same columns at each date", async () => {
    const at = (date: string) =>
      snapshot.sql(`FROM TRENCHES_AT('${date}') ORDER BY id`, { asLogged: true, sandbox: date > "2024-04" });
    const [february, march, april] = await Promise.all(["2024-02-15", "2024-03-15", "2024-04-15"].map(at));
    expect(february?.columnNames()).toEqual((await snapshot.sql("FROM TRENCHES", { asLogged: true })).columnNames());
    expect(march?.columnNames()).toEqual(february?.columnNames());
    expect(february?.get("Cost (as logged)", 0)).toBe("8");
    expect(march?.array("Cost (as logged)")).toEqual(['"8"', '"5"', "-0.25"]);
    expect(march?.array("Cost")).toEqual([null, null, -0.25]);
    expect(april?.array("Cost (as logged)")).toEqual(["1.5", '"5"', "-0.25"]);
    const plain = await snapshot.sql("FROM TRENCHES_AT('2024-03-15')");
    expect(namesOf(plain.columnNames())).toEqual([]);
  });

  it("adds the columns to written results and printed queries", async () => {
    const file = join(folder, "logged.csv");
    await snapshot.writeTo('SELECT "Count (as logged)" FROM TRENCHES ORDER BY id', file, "csv", { asLogged: true });
    expect(await readFile(file, "utf8")).toBe("Count (as logged)\n3\n2.5\n-4\n");
    for (const relation of ["TRENCHES", "TRENCHES_AT('2024-03-15')"]) {
      const text = await snapshot.toSQL(relation, { asLogged: true });
      const table = await snapshot.sql(text);
      expect(namesOf(table.columnNames())).toEqual(logged);
      expect(namesOf((await snapshot.sql(await snapshot.toSQL(relation))).columnNames())).toEqual([]);
      const asked = await snapshot.sql(`FROM ${relation}`, { asLogged: true });
      for (const name of logged) expect(table.array(name)).toEqual(asked.array(name));
    }
  });

  it("keeps a column that already has such a name", async () => {
    const own = uuid(9, "aaaaaaaa");
    const clash = await pulledSnapshot({
      propertyDefinitions: [
        definition(cost, "Cost", { type: "FLOAT" }),
        definition(own, "Cost (as logged)", { type: "STRING" }),
      ],
      layerFeatures: [feature(1, { properties: { [cost]: "5", [own]: "own" } })],
    });
    for (const relation of ["TRENCHES", "TRENCHES_AT('2024-03-15')"]) {
      const table = await clash.sql(`FROM ${relation}`, { asLogged: true });
      expect(table.select("Cost", "Cost (as logged)", "Cost (as logged)_").objects()).toEqual([
        { Cost: null, "Cost (as logged)": "own", "Cost (as logged)_": '"5"' },
      ]);
    }
  });
});
