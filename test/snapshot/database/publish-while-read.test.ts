import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { fromRecords, pinGeneration, pull } from "../../../src/index.js";
import { Database } from "../../../src/snapshot/database/database.js";
import { readGeneration } from "../../../src/snapshot/folder/manifest-file.js";
import { duckdbJson } from "../../support/duckdb-rows.js";
import { change, dataset, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { pruneLater } from "../prune-later.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const SITES = [1, 2, 3, 4];
/** DuckDB reads 20,000 rows ahead for a stream, however short they are. */
const FEATURES = 40_000;

/** A company of which every feature changes from one generation to the next. */
const company = (status: string) => ({
  sites: SITES.map(site),
  datasets: [dataset(1, { site_id: null })],
  layerFeatures: Array.from({ length: FEATURES }, (_, index) =>
    feature(index + 1, { site_id: 1 + (index % SITES.length), properties: { STATUS: status } }),
  ),
  propertyChanges: [change(1, { new_value: status })],
});

const glob = (path: string, table: string) =>
  `read_parquet('${join(path, table, "**", "*.parquet")}', hive_partitioning = true)`;

describe("a pull that publishes while a query runs", () => {
  it("does not affect a stream of the library, which reads its generation to the end", async () => {
    const path = join(folder, "ours");
    await pull(fromRecords(company("OPEN")), path);
    // Each thread of more would have a file open before the first rows are handed over.
    const database = await Database.open(path, await readGeneration(path), { threads: 1 });
    const ids: number[] = [];
    const statuses = new Set<unknown>();
    let pulled = false;
    for await (const chunk of database.chunks("SELECT id::DOUBLE, properties['STATUS'], record FROM layer_features")) {
      ids.push(...chunk.getColumnValues(0).map(Number));
      for (const status of chunk.getColumnValues(1)) statuses.add(status);
      if (pulled) continue;
      await pull(fromRecords(company("DONE")), path);
      pulled = true;
    }
    database.close();
    expect(ids.toSorted((a, b) => a - b)).toEqual(company("").layerFeatures.map(({ id }) => id));
    expect([...statuses]).toEqual(['"OPEN"']);
  });

  it("leaves pinned tables as they are until a prune", async () => {
    const path = join(folder, "theirs");
    await pull(fromRecords(company("OPEN")), path);
    const pinned = await pinGeneration(path);
    expect(pinned).toEqual({ generation: 1, path: join(path, "generations", "000001") });
    expect(await pinGeneration(path)).toEqual(pinned);
    const place = (await readGeneration(path)).files.find(({ resource }) => resource === "layerFeatures")?.path ?? "";
    expect(statSync(join(pinned.path, place.replace("files/", ""))).ino).toBe(statSync(join(path, place)).ino);

    const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    const stream = await connection.stream(
      `SELECT id::DOUBLE, properties['STATUS'], record FROM ${glob(pinned.path, "layer_features")}`,
    );
    let read = 0;
    for (let chunk = await stream.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await stream.fetchChunk()) {
      if (read === 0) await pull(fromRecords(company("DONE")), path);
      read += chunk.rowCount;
      expect(new Set(chunk.getColumnValues(1))).toEqual(new Set(['"OPEN"']));
    }
    instance.closeSync();
    expect(read).toBe(FEATURES);

    const states = (place: string) =>
      duckdbJson(`SELECT properties['STATUS'], count(*)::INTEGER FROM ${glob(place, "layer_features")} GROUP BY ALL`);
    expect(await states(pinned.path)).toEqual([['"OPEN"', FEATURES]]);
    // Earlier generations can be pinned, too.
    const present = await pinGeneration(path);
    expect(await states(present.path)).toEqual([['"DONE"', FEATURES]]);
    await pull(fromRecords(company("GONE")), path);
    const earlier = await pinGeneration(path, { generation: 2 });
    expect(earlier).toEqual(present);

    const snapshot = await openedSnapshot(path, { generation: 1 });
    const { table } = await snapshot.layer({ site_id: 1 });
    expect(new Set(table.array("STATUS"))).toEqual(new Set(["OPEN"]));
    await pruneLater(path, 2);
    expect(readdirSync(join(path, "generations"))).not.toContain("000001");
    expect(await states(present.path)).toEqual([['"DONE"', FEATURES]]);
  });

  it("pins an earlier generation from its files", async () => {
    const path = join(folder, "earlier");
    await pull(fromRecords({ ...company("OPEN"), propertyChanges: [] }), path);
    await pull(fromRecords({ ...company("DONE"), propertyChanges: [] }), path);
    const { path: place } = await pinGeneration(path, { generation: 1 });
    const found = await duckdbJson(`SELECT DISTINCT properties['STATUS'] FROM ${glob(place, "layer_features")}`);
    expect(found).toEqual([['"OPEN"']]);
    await expect(pinGeneration(path, { generation: 7 })).rejects.toThrow(/has no generation 7/);
    await expect(pinGeneration(join(folder, "nowhere"))).rejects.toThrow(/No snapshot/);
  });
});
