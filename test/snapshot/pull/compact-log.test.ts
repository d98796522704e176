import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fromRecords, openSnapshot, pull } from "../../../src/index.js";
import { change, feature, uuid } from "../../support/records.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

it("puts the small parts of many pulls together, without losing a change", async () => {
  const path = join(folder, "nightly");
  const parts: number[] = [];
  for (let night = 1; night <= 13; night += 1) {
    const log = Array.from({ length: night }, (_, index) => change(index + 1, { new_value: `night ${index + 1}` }));
    const updated_at = `2024-06-${String(night).padStart(2, "0")}T00:00:00Z`;
    await pull(
      fromRecords({ sites: [site(12)], layerFeatures: [feature(1, { updated_at })], propertyChanges: log }),
      path,
    );
    parts.push(logFiles(path).length);
  }
  expect(parts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]);

  const snapshot = await openSnapshot(path);
  const history = await snapshot.history({ site_id: 12 });
  expect(history.changes().array("change_id")).toEqual(Array.from({ length: 13 }, (_, index) => uuid(index + 1)));
  await snapshot.close();
}, 60_000);

function logFiles(path: string): readonly unknown[] {
  const { files } = JSON.parse(readFileSync(join(path, "manifest.json"), "utf8")) as {
    readonly files: readonly { readonly resource: string }[];
  };
  return files.filter(({ resource }) => resource === "propertyChanges");
}
