import { join } from "node:path";
import { expect, it } from "vitest";
import { fromRecords, pull, verifySnapshot } from "../../src/index.js";
import { dataset, definition, feature, uuid } from "../support/records.js";
import { site } from "./moving-service.js";
import { temporaryFolder } from "./temporary-folder.js";

it("reports nothing about a whole snapshot whose keys have definitions", async () => {
  const path = join(temporaryFolder(), "whole.snapshot");
  const key = uuid(1, "aaaaaaaa");
  const records = {
    sites: [site(12)],
    datasets: [dataset(1)],
    propertyDefinitions: [definition(key, "Depth")],
    layerFeatures: [feature(1, { properties: { [key]: 1 } })],
  };
  await pull(fromRecords(records), path);
  expect(await verifySnapshot(path)).toMatchObject({ damage: [], references: [], notes: [] });
});
