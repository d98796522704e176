import { EventEmitter, once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { readGeneration } from "../../src/snapshot/folder/manifest-file.js";
import { storedFiles } from "../../src/snapshot/format/manifest.js";
import { guideStatements } from "./guide-listing.js";
import { expectOneGeneration, publish, readOwn, type SeenGeneration } from "./published-company.js";
import { temporaryFolder } from "./temporary-folder.js";

const PUBLICATIONS = 4;
/** Reads of each kind before each publication. */
const READS_EACH = 40;
const path = join(temporaryFolder(), "acme.snapshot");

/** Reads a snapshot by the statements of the guide. */
async function readByDuckDB(instance: DuckDBInstance): Promise<SeenGeneration> {
  const connection = await instance.connect();
  try {
    await connection.run(guideStatements(path));
    const rows = async (columns: string, table: string) => {
      const sql = `SELECT ${columns} FROM read_parquet(files_of('${table}'), hive_partitioning = true)`;
      return (await connection.runAndReadAll(sql)).getRows();
    };
    const features = await rows("id, visible_id", "layer_features");
    const [[changes] = []] = await rows("count(*)", "property_changes");
    return { ids: features.map(([id]) => id), marks: features.map(([, mark]) => mark), changes: Number(changes) };
  } finally {
    connection.closeSync();
  }
}

it("a reader sees one generation at any moment, and can open files that it listed before", async () => {
  await publish(path, 1);
  const first = storedFiles(await readGeneration(path)).map((file) => join(path, file.path));
  const instance = await DuckDBInstance.create(":memory:");
  const ways = [() => readOwn(path), () => readByDuckDB(instance)].map((read) => ({ read, reads: 0 }));
  const progress = new EventEmitter();
  let hasEnded = false;
  const readers = ways.map(async (way) => {
    while (!hasEnded) {
      expectOneGeneration(await way.read());
      way.reads += 1;
      progress.emit("read");
    }
  });
  try {
    for (let publication = 1; publication <= PUBLICATIONS; publication += 1) {
      // They read on while the next generation is published.
      const isDue = () => ways.every(({ reads }) => reads >= READS_EACH * publication);
      while (!isDue()) await Promise.race([once(progress, "read"), ...readers]);
      await publish(path, publication + 1);
    }
  } finally {
    hasEnded = true;
    await Promise.all(readers);
    instance.closeSync();
  }
  expect(first.filter((file) => !existsSync(file))).toEqual([]);
  expectOneGeneration(await readOwn(path));
});
