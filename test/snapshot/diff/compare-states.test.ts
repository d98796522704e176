import { join } from "node:path";
import { expect, it } from "vitest";
import { diffSnapshots, fromRecords, pull } from "../../../src/index.js";
import { dataset, definition, feature, uuid } from "../../support/records.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const power = uuid(7, "aaaaaaaa");
const undefinedKey = uuid(8, "aaaaaaaa");

it("lists changes of definitions, other records, and properties without a definition", async () => {
  const path = join(temporaryFolder(), "two.snapshot");
  for (const [name, value] of [
    ["Power", 1],
    ["Peak power", 2],
  ] as const) {
    const state = {
      sites: [{ ...site(12), name: `Site of ${name}` }],
      datasets: [dataset(1)],
      propertyDefinitions: [definition(power, name, { type: "FLOAT" })],
      layerFeatures: [feature(1, { properties: { [power]: value, [undefinedKey]: value } })],
    };
    await pull(fromRecords(state), path);
  }
  const diff = await diffSnapshots(path);
  const renamed = { change: "changed", field: "name" };
  expect(diff.features.objects()).toMatchObject([{ id: 1, change: "changed", what: ["Peak power", undefinedKey] }]);
  expect(diff.definitions.objects()).toEqual([
    { property_key: power, name: "Peak power", dataset_id: 1, ...renamed, before: "Power", after: "Peak power" },
  ]);
  const [before, after] = ["Site of Power", "Site of Peak power"];
  expect(diff.records.objects()).toEqual([{ resource: "sites", id: 12, name: after, ...renamed, before, after }]);
  expect(diff.diagnostics).toEqual([]);
});
