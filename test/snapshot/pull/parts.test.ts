import { join } from "node:path";
import { expect, it } from "vitest";
import { fromRecords, pull } from "../../../src/index.js";
import { readManifest } from "../../../src/snapshot/folder/manifest-file.js";
import { change, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
/** Eight of them are more than a part holds. */
const LONG = "x".repeat(2 ** 20);

it("cuts large records into parts that fit into memory, and keeps unchanged parts", async () => {
  const features = Array.from({ length: 12 }, (_, index) =>
    feature(index + 1, { site_id: 1, properties: { NOTE: `${index} ${LONG}` } }),
  );
  const changes = features.map(({ id }) => change(id, { layer_feature_id: id, new_value: `${id} ${LONG}` }));
  const company = { sites: [site(1)], layerFeatures: features, propertyChanges: changes };
  const path = join(folder, "large");
  await pull(fromRecords(company), path);
  const before = await filesOf(path);
  expect(before.map(({ resource, rows }) => [resource, rows])).toEqual([
    ["layerFeatures", 8],
    ["layerFeatures", 4],
    ["propertyChanges", 7],
    ["propertyChanges", 5],
  ]);

  await pull(fromRecords({ ...company, layerFeatures: [...features, feature(13, { site_id: 1 })] }), path);
  expect((await filesOf(path))[0]).toEqual(before[0]);

  const { table } = await (await openedSnapshot(path)).layer({ site_id: 1 });
  expect(table.array("id")).toEqual([...features.map(({ id }) => id), 13]);
  expect(table.get("NOTE", 7)).toBe(features[7]?.properties.NOTE);
});

const filesOf = async (path: string) => (await readManifest(path)).files.filter(({ site_id }) => site_id === 1);
