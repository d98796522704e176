import { realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withDuckDB } from "../../src/snapshot/database/open-duckdb.js";
import { wholeChunks } from "../../src/snapshot/database/whole-chunks.js";
import { openSnapshot } from "../../src/snapshot/open-snapshot.js";
import { pull } from "../../src/snapshot/pull.js";
import { writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";
import { writeDuckLake } from "../../src/snapshot/write-ducklake.js";
import { fromRecords } from "../../src/source/from-records.js";
import { listsOpenFiles, openFilesBelow } from "../support/open-files.js";
import { change, dataset, feature } from "../support/records.js";
import { temporaryFolder } from "./temporary-folder.js";

const folder = realpathSync(temporaryFolder());
const records = {
  datasets: [dataset(1)],
  layerFeatures: [feature(1, { properties: { STATUS: "OPEN" } }), feature(2)],
  propertyChanges: [change(1), change(2, { new_value: "DONE", created_at: "2024-07-01T00:00:00Z" })],
};
const settings = { memoryMb: 100, spillPath: join(folder, "spill") };

it.runIf(listsOpenFiles)("closes its database before it removes the folder of an import", async () => {
  const path = join(folder, "written.snapshot");
  await writeSnapshot(path, records);
  expect(openFilesBelow(folder)).toEqual([]);
  const bad = [...records.layerFeatures, { id: 3 }] as never;
  await expect(writeSnapshot(path, { ...records, layerFeatures: bad })).rejects.toThrow(/layer_features:3/);
  expect(openFilesBelow(folder)).toEqual([]);
});

it.runIf(listsOpenFiles)("closes the DuckLake catalog before a pull replaces it", async () => {
  const path = join(folder, "lake.snapshot");
  await pull(fromRecords(records), path);
  await writeDuckLake(path);
  const snapshot = await openSnapshot(path);
  await (await snapshot.layer({ site_id: 12 })).history();
  await snapshot.sql("FROM TRENCHES_HISTORY");
  await pull(fromRecords({ ...records, layerFeatures: [feature(1)] }), path);
  expect(openFilesBelow(folder)).toEqual([]);
  await snapshot.close();
});

it.runIf(listsOpenFiles)("closes the files of a result that is not read to its end", async () => {
  await withDuckDB(":memory:", settings, async (connection) => {
    const file = join(folder, "numbers.parquet");
    await connection.run(`COPY (SELECT range AS n FROM range(1_000_000)) TO '${file}'`);
    for await (const { rowCount } of wholeChunks(connection, `SELECT n FROM '${file}'`)) {
      expect(rowCount).toBeGreaterThan(0);
      break;
    }
    expect(openFilesBelow(folder)).toEqual([]);
    let rows = 0;
    for await (const { rowCount } of wholeChunks(connection, `SELECT n FROM '${file}'`)) rows += rowCount;
    expect(rows).toBe(1_000_000);
  });
  expect(openFilesBelow(folder)).toEqual([]);
});
