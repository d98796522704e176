import { expect, it, vi } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";
import { fromRecords } from "../../src/source/from-records.js";
import { change, dataset, feature } from "../support/records.js";

it("refuses an unknown time zone before the log is read", async () => {
  const source = fromRecords({
    layerFeatures: [feature(1)],
    datasets: [dataset(1)],
    propertyChanges: [change(1)],
  });
  const all = vi.spyOn(source.reader, "all");
  const layer = await source.layer({ site_id: 12 });
  await expect(layer.history({ timeZone: "Mars/Olympus" })).rejects.toThrow(ArgumentError);
  const asked = () => all.mock.calls.map(([resource]) => resource);
  expect(asked()).not.toContain("propertyChanges");
  await layer.history({ timeZone: "Europe/Berlin" });
  expect(asked()).toContain("propertyChanges");
});
