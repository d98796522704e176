import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSnapshot, type Snapshot, writeDuckLake } from "../../../src/index.js";
import { writeSample } from "../../support/asked-sample.js";
import { findPython, type Python } from "../../support/python.js";
import { expectSameHistory, expectSamePast, withoutLogged } from "../sql/same-past.js";
import { temporaryFolder } from "../temporary-folder.js";
import { LakeReader } from "./ask-lake.js";

const folder = temporaryFolder();
const packages = join(import.meta.dirname, "../../../.cache/duckdb2");
const python = findPython("duckdb");
const hasDuckdb2 = existsSync(join(packages, "duckdb"));
if (!hasDuckdb2) {
  const reason = ".cache/duckdb2 has no DuckDB 2. Run .ci/full duckdb2";
  if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
}

/**
 * The extension has no wheels for DuckDB 2. This makes the tables, views and macros from the rows of the catalog, as an
 * attachment does.
 */
describe.skipIf(!(python && hasDuckdb2))("the catalog of a lake in DuckDB 2", () => {
  let reader: LakeReader;
  let snapshot: Snapshot;
  const rows = async <Row>(query: string) => (await reader.sql(query)).objects() as Row[];

  beforeAll(async () => {
    const path = join(folder, "acme.snapshot");
    await writeSample(path);
    const { path: catalog } = await writeDuckLake(path, { timeZone: "Europe/Berlin" });
    snapshot = await openSnapshot(path);
    const { program, env } = python as Python;
    reader = new LakeReader({ program, env: { ...env, PYTHONPATH: packages } }, []);
    await reader.sql(`ATTACH '${catalog}' AS lake (READ_ONLY)`);
    const tables = await rows<{ name: string; columns: string[]; files: string[] }>(`SELECT table_name AS name,
      (SELECT list(column_name ORDER BY column_order) FROM lake.ducklake_column c
        WHERE c.table_id = t.table_id AND parent_column IS NULL) AS columns,
      (SELECT list(path) FROM lake.ducklake_data_file f WHERE f.table_id = t.table_id) AS files FROM lake.ducklake_table t`);
    expect(tables.length).toBeGreaterThan(5);
    for (const { name, columns, files } of tables.filter((table) => table.files?.length > 0)) {
      const list = files.map((file) => `'${path}/${file}'`).join();
      const named = columns.map((column) => `"${column}"`).join();
      await reader.sql(`CREATE VIEW ${name} AS SELECT ${named} FROM read_parquet([${list}], hive_partitioning = true)`);
    }
    const views = await rows<{ name: string; sql: string }>("SELECT view_name AS name, sql FROM lake.ducklake_view");
    for (const { name, sql } of views) await reader.sql(`CREATE VIEW "${name}" AS ${sql}`);
    const macros = await rows<{ name: string; names: string[] | null; sql: string }>(`SELECT macro_name AS name, sql,
      (SELECT list(parameter_name ORDER BY column_id) FROM lake.ducklake_macro_parameters p
        WHERE p.macro_id = m.macro_id) AS names
      FROM lake.ducklake_macro m JOIN lake.ducklake_macro_impl i USING (macro_id)`);
    for (const { name, names, sql } of macros) {
      await reader.sql(`CREATE MACRO "${name}"(${(names ?? []).join()}) AS TABLE ${sql}`);
    }
  });
  afterAll(async () => {
    reader.close();
    await snapshot.close();
  });

  it.each(["TRENCHES", "PUNCH_LIST_ITEMS"])("returns the same as a history of %s", async (type) => {
    expect((await reader.sql("SELECT version() AS v")).get("v", 0)).toMatch(/^v2\./);
    const history = await snapshot.history({ semantic_type: type }, { timeZone: "Europe/Berlin" });
    const source = { sql: async (query: string) => withoutLogged(await reader.sql(query)) };
    await expectSamePast(source, type, history, ["2024-06-30", "2025-10-26", "2026-06-30"]);
    await expectSameHistory(source, type, history);
    const known = history.knownAt("2025-07-02T08:00:00Z").asOf("2025-06-30");
    const asked = await reader.sql(`FROM "${type}_KNOWN_AT"(DATE '2025-06-30', '2025-07-02T08:00:00Z')`);
    expect(asked.array("id")).toEqual(known.array("id"));
    expect(asked.array("STATUS")).toEqual(known.array("STATUS"));
  });
});
