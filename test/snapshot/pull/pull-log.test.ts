import { join } from "node:path";
import { expect, it } from "vitest";
import { fromRecords, pull } from "../../../src/index.js";
import { change, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

it("estimates the remaining time of the log after its first request", async () => {
  const left: unknown[] = [];
  const company = { sites: [site(12)], layerFeatures: [feature(1)], propertyChanges: [change(1)] };
  await pull(fromRecords(company), join(temporaryFolder(), "log.snapshot"), {
    onProgress: ({ stage, remainingMs }) => {
      if (stage === "property_changes") left.push(remainingMs);
    },
  });
  expect(left.at(-1)).toBe(0);
});
