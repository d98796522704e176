import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/api/resources.js";
import { diagnosticsOf } from "../../src/core/diagnostic.js";
import { fromRecords } from "../../src/source/from-records.js";
import { mockRecords } from "../client/mock-records.js";
import { change, dataset, feature } from "../support/records.js";

const memory = fromRecords({
  operations: mockRecords("operations", 2),
  layerFeatures: [feature(1)],
  datasets: [dataset(1)],
  propertyChanges: [change(1), change(2), change(3, { user_id: null, system: true })],
});

it("refuses records with a value that is nested too deep or contains itself", async () => {
  const nested = (levels: number): unknown => (levels === 0 ? [] : [nested(levels - 1)]);
  const layer = async (STATUS: unknown) =>
    fromRecords({ layerFeatures: [feature(1, { properties: { STATUS } })] }).layer({ dataset_id: 1 });
  expect((await layer(nested(499))).rowCount).toBe(1);
  const circle: unknown[] = [];
  circle.push(circle);
  for (const value of [nested(500), circle]) {
    await expect(layer(value)).rejects.toThrow("layerFeatures[0].properties is nested deeper than 500 levels.");
  }
});

describe("pseudonyms of records in memory", () => {
  it("are the same for the same person, and leave other values unchanged", async () => {
    const redact = { redact: true };
    const contact = expect.stringMatching(/^person-[0-9a-f]{10}$/);
    const rows = (await memory.operations({}, redact)).objects() as Partial<Operation>[];
    expect(rows).toMatchObject([
      { contact_name: contact, contact_phone: contact, data_product_name: null, status: "COMPLETED" },
      { contact_name: rows[0]?.contact_name },
    ]);
    const [first, second, third] = (await memory.history({ site_id: 12 }, redact)).changes().array("user_id");
    expect(first).toEqual(expect.any(Number));
    expect(first).not.toBe(7);
    expect([second, third]).toEqual([first, null]);
  });
});

describe("changes of features that no longer exist", () => {
  const log = [change(1), change(2, { layer_feature_id: 8 }), change(3, { layer_feature_id: 9 })];

  it("are reported by a history and left out of it", async () => {
    const history = await fromRecords({ layerFeatures: [feature(1)], propertyChanges: log }).history({ site_id: 12 });
    expect(history.diagnostics.filter(({ code }) => code === "change-without-feature")).toEqual([
      {
        code: "change-without-feature",
        severity: "warning",
        message: "The log has 2 changes of 2 features that no longer exist (id 8, 9). Histories skip these changes.",
        count: 2,
        facts: { ids: [8, 9] },
      },
    ]);
    expect(history.changes().numRows()).toBe(1);
  });

  it("are not reported for a log without features, or if all exist", async () => {
    const alone = await fromRecords({ propertyChanges: log }).table("propertyChanges", { layer_feature_id: [1, 8, 9] });
    expect([alone.numRows(), diagnosticsOf(alone)]).toEqual([3, []]);
    const whole = await memory.history({ site_id: 12 });
    expect(whole.diagnostics.map(({ code }) => code)).not.toContain("change-without-feature");
  });
});
