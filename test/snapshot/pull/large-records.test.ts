import { join } from "node:path";
import { expect, it } from "vitest";
import { pull, verifySnapshot } from "../../../src/index.js";
import { MemoryReader } from "../../../src/source/from-records.js";
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

it("refuses values that are too large, and keeps the earlier generation", async () => {
  const path = join(folder, "too-large");
  const { generation } = await pull(sourceOf(1), path);
  await expect(pull(sourceOf(16e6, [5, 6, 7, 8]), path, { fullLog: true })).rejects.toMatchObject({
    name: "SnapshotError",
    // Without the value.
    message: expect.stringMatching(
      /^(?!.*xx).*too-large cannot be written: records are too large for the 96 MB of memory for a request\.$/,
    ),
    hint: expect.stringContaining("megabytes"),
  });
  expect((await verifySnapshot(path)).generation).toBe(generation);
});
