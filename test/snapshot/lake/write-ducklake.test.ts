import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it, vi } from "vitest";
import { siteframeProgram } from "../../../src/cli/program.js";
import { fromRecords, pull, writeDuckLake } from "../../../src/index.js";
import { dataset } from "../../support/records.js";
import { feature } from "../feature.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const readAt = new Date("2025-02-01T00:00:00Z");
const records = { sites: [site(7)], layerFeatures: [feature(1, { STATUS: "OPEN" }, 7)] };

async function pulled(name: string): Promise<string> {
  const path = join(folder, name);
  await pull(fromRecords(records, { readAt }), path, { showProgress: false, now: () => readAt });
  return path;
}

/** The rows of a query over the tables of a catalog, which is a DuckDB database. */
async function ask(catalog: string, query: string): Promise<readonly unknown[]> {
  const instance = await DuckDBInstance.create(catalog, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(query)).getRowsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

const DATA_PATH = "SELECT value FROM ducklake_metadata WHERE key = 'data_path'";

describe("the catalog of a lake", () => {
  it("has the tables of DuckLake 1.0, the relative paths of files, and their folder", async () => {
    const path = await pulled("catalog.snapshot");
    const { path: catalog, generations } = await writeDuckLake(path);
    expect(generations).toEqual([1]);
    expect(await ask(catalog, "SELECT count(*)::INTEGER FROM duckdb_tables()")).toEqual([[28]]);
    expect(await ask(catalog, "SELECT value FROM ducklake_metadata WHERE key = 'version'")).toEqual([["1.0"]]);
    expect(await ask(catalog, DATA_PATH)).toEqual([[`${path}/`]]);
    const files =
      "SELECT f.path_is_relative, f.path LIKE 'files/layer_features/site_id=7/part-%.parquet' FROM ducklake_data_file f";
    expect(
      await ask(catalog, `${files} JOIN ducklake_table USING (table_id) WHERE table_name = 'layer_features'`),
    ).toEqual([[true, true]]);
    const ids = "SELECT min(data_file_id) = 0, max(data_file_id) = count(*) - 1 FROM ducklake_data_file";
    expect(await ask(catalog, ids)).toEqual([[true, true]]);
    const relations =
      "SELECT view_name FROM ducklake_view UNION ALL SELECT macro_name FROM ducklake_macro ORDER BY ALL";
    expect((await ask(catalog, relations)).flat()).toEqual([
      ...["TRENCHES", "TRENCHES_AT", "TRENCHES_HISTORY", "TRENCHES_HISTORY", "TRENCHES_KNOWN_AT", "TRENCHES_STATES"],
      "siteframe_diagnostics",
    ]);
  });

  it("lists the diagnostics of its views", async () => {
    const listed = async (path: string) => {
      const { path: catalog } = await writeDuckLake(path);
      const found = await ask(catalog, "SELECT sql FROM ducklake_view WHERE view_name = 'siteframe_diagnostics'");
      const [[sql = ""] = []] = found as readonly string[][];
      return ask(catalog, `SELECT relation, code FROM (${sql}) ORDER BY ALL`);
    };
    expect(await listed(await pulled("plain.snapshot"))).toEqual([]);
    const path = join(folder, "renamed.snapshot");
    const trench = feature(1, { STATUS: "OPEN", status: "DONE" }, 7);
    const layerFeatures = [trench, { ...feature(2, {}, 7), semantic_type: "SITES" }];
    await pull(fromRecords({ ...records, layerFeatures }, { readAt }), path, { showProgress: false });
    expect(await listed(path)).toEqual([
      ["TRENCHES", "column-renamed-in-sql"],
      [null, "column-renamed-in-sql"],
    ]);
  });

  it("has the range of a site column that is stored in the files", async () => {
    const path = join(folder, "ranges.snapshot");
    await pull(fromRecords({ ...records, datasets: [dataset(1, { site_id: 7 })] }), path, { showProgress: false });
    const { path: catalog } = await writeDuckLake(path);
    const ranges = `SELECT min_value, max_value FROM ducklake_file_column_stats JOIN ducklake_column
      USING (table_id, column_id) JOIN ducklake_table USING (table_id)
      WHERE column_name = 'site_id' AND table_name = 'datasets'`;
    expect(await ask(catalog, ranges)).toEqual([["7", "7"]]);
  });

  it("has comments on its tables and columns", async () => {
    const { path: catalog } = await writeDuckLake(await pulled("comments.snapshot"));
    const tables = "FROM ducklake_table t LEFT JOIN ducklake_tag c ON c.object_id = table_id AND key = 'comment'";
    expect(await ask(catalog, `SELECT table_name ${tables} WHERE value IS NULL`)).toEqual([]);
    const columns = `SELECT table_name, value FROM ducklake_column_tag c JOIN ducklake_table USING (table_id)
      JOIN ducklake_column k USING (table_id, column_id) WHERE key = 'comment' AND column_name = `;
    expect(await ask(catalog, `${columns} 'record_bytes' ORDER BY ALL`)).toHaveLength(8);
    expect(await ask(catalog, `${columns} 'gone_at'`)).toEqual([
      ["gone_features", "Time of the first generation without the feature."],
    ]);
  });

  it("is written by the command, and keeps its location when the snapshot is pulled again", async () => {
    const path = await pulled("command.snapshot");
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const program = await siteframeProgram(["ducklake"]);
    await program.parseAsync(["node", "siteframe", "ducklake", path, "--location", "s3://bucket/acme.snapshot/"]);
    const catalog = join(path, "lake.ducklake");
    expect(written.mock.calls.join()).toContain(`Wrote ${catalog} with generation 1 and time zone UTC.`);
    written.mockRestore();
    await pull(fromRecords(records, { readAt }), path, { showProgress: false, now: () => readAt });
    expect(await ask(catalog, DATA_PATH)).toEqual([["s3://bucket/acme.snapshot/"]]);
    expect(await ask(catalog, "SELECT snapshot_id::INTEGER FROM ducklake_snapshot ORDER BY ALL")).toEqual([[1], [2]]);
  });

  it("keeps its options when it is written again without them", async () => {
    const path = await pulled("kept.snapshot");
    const options = { timeZone: "America/Los_Angeles", location: "s3://bucket/acme.snapshot" };
    await writeDuckLake(path, options);
    const { path: catalog, timeZone } = await writeDuckLake(path);
    expect(timeZone).toBe(options.timeZone);
    expect(await ask(catalog, DATA_PATH)).toEqual([["s3://bucket/acme.snapshot/"]]);
    expect((await writeDuckLake(path, { timeZone: "UTC" })).timeZone).toBe("UTC");
    expect(await ask(catalog, DATA_PATH)).toEqual([["s3://bucket/acme.snapshot/"]]);
  });

  it("is refused for an invalid URL, an unknown time zone or a missing snapshot", async () => {
    const path = await pulled("refused.snapshot");
    const facts = { location: "data/acme" };
    await expect(writeDuckLake(path, facts)).rejects.toMatchObject({ code: "ERR_ARGUMENT", facts });
    for (const location of ["s3://", "C://data/acme"]) {
      await expect(writeDuckLake(path, { location }), location).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
    }
    await expect(writeDuckLake(path, { timeZone: "Mars" })).rejects.toThrow('Unknown time zone "Mars".');
    await expect(writeDuckLake(join(folder, "none"))).rejects.toThrow(/No snapshot at/);
  });

  it("is refused with a hint if its file is not a catalog", async () => {
    const path = await pulled("damaged.snapshot");
    writeFileSync(join(path, "lake.ducklake"), "no database");
    const again = pull(fromRecords(records, { readAt }), path, { showProgress: false, now: () => readAt });
    await expect(again).rejects.toMatchObject({
      code: "ERR_SNAPSHOT",
      hint: "Write it again with siteframe ducklake, or remove it.",
    });
    expect((await writeDuckLake(path)).generations).toEqual([1, 2]);
  });
});
