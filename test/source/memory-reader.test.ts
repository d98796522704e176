import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/api/resources.js";
import { findingsOf } from "../../src/core/finding.js";
import { openSnapshot, pull } from "../../src/index.js";
import { fromRecords } from "../../src/source/from-records.js";
import { mockRecords } from "../client/mock-records.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { change, dataset, feature } from "../support/records.js";

const folder = temporaryFolder();
const operations = mockRecords("operations", 2);
const memory = fromRecords({
  operations,
  layerFeatures: [feature(1)],
  datasets: [dataset(1)],
  propertyChanges: [change(1), change(2), change(3, { user_id: null, system: true })],
});

it("refuses records in memory with a value that is nested too deeply, or holds itself", async () => {
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

describe("person data of records in memory", () => {
  it("is replaced by the same pseudonyms in tables, records and pages", async () => {
    const redact = { redact: true };
    const rows = (await memory.operations({}, redact)).objects() as Partial<Operation>[];
    const records = [];
    for await (const record of memory.records("operations", {}, redact)) records.push(record);
    const pages = [];
    for await (const { data } of memory.pages("operations", {}, redact)) pages.push(...data);
    for (const read of [rows, records, pages]) {
      expect(JSON.stringify(read)).not.toMatch(/ada/i);
      expect(read.map(({ id }) => id)).toEqual(operations.map(({ id }) => id));
      expect(read[0]?.contact_name).toMatch(/^person-[0-9a-f]{10}$/);
      expect(read.map((one) => one.contact_name)).toEqual(rows.map(() => rows[0]?.contact_name));
      expect(read[0]?.contact_phone).toMatch(/^person-[0-9a-f]{10}$/);
      expect(read[0]?.data_product_name).toBeNull();
      expect(read[0]?.status).toBe("COMPLETED");
    }
  });

  it("is replaced in histories", async () => {
    const history = await memory.history({ site_id: 12 }, { redact: true });
    const [first, second, third] = history.changes().array("user_id");
    expect(first).toEqual(expect.any(Number));
    expect(first).not.toBe(7);
    expect([second, third]).toEqual([first, null]);
  });

  it("is replaced in snapshots pulled of them", async () => {
    const path = join(folder, "redacted");
    await pull(memory, path, { redact: true });
    const snapshot = await openSnapshot(path);
    const rows = (await snapshot.sql("SELECT contact_name, record FROM operations ORDER BY id")).objects();
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toMatch(/ada/i);
    expect(JSON.stringify(rows)).toMatch(/person-[0-9a-f]{10}/);
    await snapshot.close();
  });

  it("stays as it came otherwise", async () => {
    expect((await memory.operations()).objects()[0]).toMatchObject({
      contact_name: "Ada Person",
      contact_mail: "ada@example.com",
    });
    expect((await memory.history({ site_id: 12 })).changes().array("user_id")).toEqual([7, 7, null]);
  });
});

describe("changes of features that no longer exist", () => {
  const log = [change(1), change(2, { layer_feature_id: 8 }), change(3, { layer_feature_id: 9 })];

  it("are reported by a history, which leaves them out", async () => {
    const history = await fromRecords({ layerFeatures: [feature(1)], propertyChanges: log }).history({ site_id: 12 });
    expect(history.findings.filter(({ code }) => code === "change-without-feature")).toEqual([
      {
        code: "change-without-feature",
        message:
          "The log has 2 changes of 2 features that no longer exist (id 8, 9). Histories leave such changes out.",
        count: 2,
        facts: { ids: [8, 9] },
      },
    ]);
    expect(history.changes().numRows()).toBe(1);
  });

  it("are not reported for a log without features, or if all exist", async () => {
    const alone = await fromRecords({ propertyChanges: log }).table("propertyChanges", { layer_feature_id: [1, 8, 9] });
    expect([alone.numRows(), findingsOf(alone)]).toEqual([3, []]);
    const whole = await memory.history({ site_id: 12 });
    expect(whole.findings.map(({ code }) => code)).not.toContain("change-without-feature");
  });
});
