import { join } from "node:path";
import { expect, it } from "vitest";
import { SnapshotError } from "../../../src/core/errors.js";
import { pull, verifySnapshot } from "../../../src/index.js";
import { MemoryReader } from "../../../src/source/memory-reader.js";
import { Source } from "../../../src/source/source.js";
import { change, dataset, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

/** A service with four changes whose values have so many characters. */
function sourceOf(characters: number, numbers = [1, 2, 3, 4]): Source {
  const values = { layer_feature_id: 1, new_value: "x".repeat(characters) };
  const records = {
    sites: [site(1)],
    datasets: [dataset(1, { site_id: 1 })],
    layerFeatures: [feature(1, { site_id: 1 })],
    propertyChanges: numbers.map((n) => change(n, values)),
  };
  return new Source(new MemoryReader(records, Date.parse("2025-06-01T00:00:00Z")));
}

it("stores values of a megabyte and more", async () => {
  const path = join(folder, "large");
  expect((await pull(sourceOf(1.5e6), path)).rows.propertyChanges).toBe(4);
  expect((await verifySnapshot(path)).damage).toEqual([]);
});

it("tells of values that are too large, and keeps what was stored before", async () => {
  const path = join(folder, "too-large");
  const { generation } = await pull(sourceOf(1), path);
  const failure: unknown = await pull(sourceOf(16e6, [5, 6, 7, 8]), path, { fullLog: true }).catch(
    (error: unknown) => error,
  );
  if (!(failure instanceof SnapshotError)) throw failure;
  expect(failure.message).toMatch(/^Records are too large to be stored in .*too-large: .* in 96 MB of memory\.$/);
  expect(failure.hint).toMatch(/megabytes/);
  expect(failure.message).not.toContain("xx");
  expect((await verifySnapshot(path)).generation).toBe(generation);
});
