import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/index.js";
import { LazyDatabase } from "../../../src/snapshot/database/lazy-database.js";
import { readGeneration } from "../../../src/snapshot/folder/manifest-file.js";
import { SqlSpace } from "../../../src/snapshot/snapshot.js";
import type { TypePast } from "../../../src/snapshot/sql/type-past.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { dataset, feature } from "../../support/records.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

describe("a query about the past that an engine cannot run", () => {
  it("has the error of the engine", async () => {
    const path = join(folder, "cramped");
    await writeSnapshot(path, { datasets: [dataset(1)], layerFeatures: [feature(1)] });
    const failure = new EngineError("DuckDB ran out of memory.", "DuckDB", { problem: "memory" });
    const past: TypePast = {
      renamed: () => [],
      presentRenamed: () => [],
      present: () => "",
      asOf: () => Promise.reject(failure),
      states: () => "",
      mismatches: () => Promise.resolve([]),
      timelessId: () => "",
      knownAt: async () => past,
      knownBy: () => past,
      goneDiagnostics: [],
      history: () => "",
      dateAfterRead: () => [],
    };
    const database = new LazyDatabase(path, await readGeneration(path));
    const space = new SqlSpace(database, async () => past);
    const query = "FROM TRENCHES_AT('2025-06-30')";
    await expect(space.table({ query })).rejects.toBe(failure);
    await expect(space.copy({ query }, join(folder, "x.csv"), "csv")).rejects.toBe(failure);
    await space.close();
  });
});
